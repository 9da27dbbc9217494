//! Where the project lies, and how its children are started.

use std::cell::OnceCell;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::network;
use crate::process::Job;

/// The checkout, with the search path that finds the project's own tools first.
pub(crate) struct Place {
    root: PathBuf,
    github: OnceCell<bool>,
    released: Option<String>,
}

impl Place {
    /// Finds the checkout: the folder above this crate, or the nearest one upwards that holds Trunk.toml.
    pub(crate) fn find() -> Result<Self, String> {
        let start = match env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => env::current_dir().map_err(|error| format!("The current folder is not readable: {error}."))?,
        };
        start
            .ancestors()
            .find(|folder| folder.join("Trunk.toml").is_file())
            .map(|root| Self { root: root.to_path_buf(), github: OnceCell::new(), released: None })
            .ok_or_else(|| "No Trunk.toml here or above: run this inside the project.".to_owned())
    }

    /// The same place, where what is built is the release of a day.
    pub(crate) fn released_on(self, date: &str) -> Self {
        Self { released: Some(date.to_owned()), ..self }
    }

    /// The day of the release that is built, if one is.
    pub(crate) fn release(&self) -> Option<&str> {
        self.released.as_deref()
    }

    /// The root of the checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of tools that git ignores.
    pub(crate) fn tools(&self) -> PathBuf {
        self.root.join(".tools")
    }

    /// The folder of cargo's output that git ignores, for small files of our own.
    pub(crate) fn target(&self) -> PathBuf {
        self.root.join("target")
    }

    /// The built page.
    pub(crate) fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// The browser tests.
    pub(crate) fn e2e(&self) -> PathBuf {
        self.root.join("tests").join("e2e")
    }

    /// What the pages are measured with that only Lighthouse needs.
    pub(crate) fn lighthouse(&self) -> PathBuf {
        self.root.join("tests").join("lighthouse")
    }

    /// Whether ready binaries can be fetched; asked at most once in a run.
    pub(crate) fn github(&self) -> bool {
        *self.github.get_or_init(network::github_answers)
    }

    /// The folders searched for programs: the project's own tools, then the caller's.
    pub(crate) fn search_path(&self) -> Vec<PathBuf> {
        let own = [self.tools().join("bin"), self.tools().join("npm").join("node_modules").join(".bin")];
        let inherited = env::var_os("PATH").unwrap_or_default();
        own.into_iter().chain(env::split_paths(&inherited)).collect()
    }

    /// The first program of this name on the search path.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        let names =
            if cfg!(windows) { vec![format!("{name}.exe"), format!("{name}.cmd")] } else { vec![name.to_owned()] };
        self.search_path()
            .iter()
            .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
            .find(|file| is_executable(file))
    }

    /// A child that runs in the root of the checkout and finds the project's tools.
    pub(crate) fn job(&self, program: &str) -> Job {
        let path = env::join_paths(self.search_path()).unwrap_or_else(|_| env::var_os("PATH").unwrap_or_default());
        // The full path: otherwise the search would be done with the caller's PATH, not the child's.
        let found = self.program(program).map_or_else(|| OsString::from(program), PathBuf::into_os_string);
        let mut job = Job::new(&found, program).folder(&self.root).env("PATH", path);
        // What `cargo run` tells this process about itself is wrong for its children.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                job = job.without(&name);
            }
        }
        job
    }
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}
