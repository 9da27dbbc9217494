//! Released programs: fetched from where their makers publish them, and taken only if they are the very files that are known here.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::Path;

use crate::place::Place;

/// A released archive for one kind of machine, with its SHA-256.
pub(crate) struct Archive {
    os: &'static str,
    arch: &'static str,
    address: &'static str,
    sha256: &'static str,
}

/// Trunk 0.21.14 (`versions::TRUNK`); those for Linux need no library of the system.
/// Checksums: github.com/taiki-e/install-action, `manifests/trunk.json`, 2026-11-23.
///
/// There is no such list for `wasm-bindgen` 0.2.130, whose checksum nobody has published: Trunk fetches it by itself.
pub(crate) const TRUNK: [Archive; 5] = [
    Archive {
        os: "linux",
        arch: "x86_64",
        address: "https://github.com/trunk-rs/trunk/releases/download/v0.21.14/trunk-x86_64-unknown-linux-musl.tar.gz",
        sha256: "a67f4054b249fe9acc5fabc25de1aebf19783aca3ad6ff64bf34d7da44d0ea20",
    },
    Archive {
        os: "linux",
        arch: "aarch64",
        address: "https://github.com/trunk-rs/trunk/releases/download/v0.21.14/trunk-aarch64-unknown-linux-musl.tar.gz",
        sha256: "e8e2a2bb423ce6702ab9f4f02f8c9ae99d790f0301f7634e986b2dd8706019cc",
    },
    Archive {
        os: "macos",
        arch: "x86_64",
        address: "https://github.com/trunk-rs/trunk/releases/download/v0.21.14/trunk-x86_64-apple-darwin.tar.gz",
        sha256: "f1ba0e3bbe24e0ae219c6d22c33e24e2825c1608dd27c2556e323495110f1a95",
    },
    Archive {
        os: "macos",
        arch: "aarch64",
        address: "https://github.com/trunk-rs/trunk/releases/download/v0.21.14/trunk-aarch64-apple-darwin.tar.gz",
        sha256: "764e299dd50d89442a4e96a236349f57961984b701e74d3dbdb39cd1c9f5101e",
    },
    Archive {
        os: "windows",
        arch: "x86_64",
        address: "https://github.com/trunk-rs/trunk/releases/download/v0.21.14/trunk-x86_64-pc-windows-msvc.zip",
        sha256: "cd6ac15b9daff0365e5695036791ef2ce3c63f61c014f5a8c532363266e4569c",
    },
];

/// The archive for this machine, if there is one.
pub(crate) fn for_this_machine(archives: &[Archive]) -> Option<&Archive> {
    archives.iter().find(|archive| archive.os == OS && archive.arch == ARCH)
}

impl Archive {
    /// Fetches the archive, checks it, and unpacks the program `name` from it into `.tools/bin`.
    pub(crate) fn fetch(&self, place: &Place, name: &str) -> Result<(), String> {
        self.fetch_into(place, name, &place.tools().join("bin"))
    }

    fn fetch_into(&self, place: &Place, name: &str, folder: &Path) -> Result<(), String> {
        fs::create_dir_all(folder).map_err(|error| format!("{} cannot be made: {error}.", folder.display()))?;
        let file = folder.join(self.address.rsplit('/').next().unwrap_or(name));
        let unpacked = self.download(place, &file).and_then(|()| unpack(place, &file, name, folder));
        // It has served, or is not what it should be.
        let _ = fs::remove_file(&file);
        unpacked
    }

    /// Leaves a file only if it has the checksum.
    fn download(&self, place: &Place, file: &Path) -> Result<(), String> {
        place
            .job("curl")
            .args(["--fail", "--location", "--silent", "--show-error", "--proto-redir", "=https"])
            .args(["--connect-timeout", "5", "--max-time", "300", "--output"])
            .args([file])
            .args([self.address])
            .run()?;
        let sum = sha256(place, file)?;
        if sum == self.sha256 {
            return Ok(());
        }
        Err(format!("{} is not the file that was released: its SHA-256 is {sum}, not {}.", self.address, self.sha256))
    }
}

/// The SHA-256 of a file, by whichever program for it the system has.
fn sha256(place: &Place, file: &Path) -> Result<String, String> {
    let sums: [(&str, &[&str], &[&str]); 3] =
        [("sha256sum", &[], &[]), ("shasum", &["-a", "256"], &[]), ("certutil", &["-hashfile"], &["SHA256"])];
    let (program, before, after) = sums
        .into_iter()
        .find(|(program, ..)| place.program(program).is_some())
        .ok_or("There is no sha256sum, shasum or certutil to check a file with.")?;
    let said = place.job(program).args(before).args([file]).args(after).text()?;
    sum_in(&said).ok_or_else(|| format!("`{program}` gave no SHA-256 of {}.", file.display()))
}

/// The first word that is a SHA-256.
fn sum_in(text: &str) -> Option<String> {
    // `sha256sum` puts a backslash before the sum when a file's name holds one, as on Windows.
    let mut words = text.split_whitespace().map(|word| word.trim_start_matches('\\'));
    words.find(|word| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit())).map(str::to_lowercase)
}

fn unpack(place: &Place, file: &Path, name: &str, folder: &Path) -> Result<(), String> {
    let program = if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() };
    // The one of Windows reads zip as well; another may stand before it on the search path.
    let tar = std::env::var_os("SystemRoot").map(|root| Path::new(&root).join("System32").join("tar.exe"));
    let tar = tar.filter(|tar| tar.is_file()).map_or_else(|| "tar".to_owned(), |tar| tar.display().to_string());
    place.job(&tar).args(["-xf"]).args([file]).args(["-C"]).args([folder]).args([program]).run()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{Archive, TRUNK, for_this_machine, sha256, sum_in};
    use crate::place::Place;
    use crate::versions;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("memory-wall-released-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// An archive with a program `tool` in it, which a local address leads to.
    fn released(place: &Place, folder: &Path) -> Archive {
        let program = if cfg!(windows) { "tool.exe" } else { "tool" };
        fs::write(folder.join(program), "a program").unwrap();
        fs::write(folder.join("README"), "what else is in it").unwrap();
        let tar = place.job("tar").folder(folder).args(["-czf", "tool.tar.gz", program, "README"]);
        tar.run().unwrap();
        let file = folder.join("tool.tar.gz");
        let sha256 = sha256(place, &file).unwrap().leak();
        let slash = if cfg!(windows) { "/" } else { "" };
        let path = file.to_string_lossy().replace('\\', "/");
        Archive { os: "", arch: "", address: format!("file://{slash}{path}").leak(), sha256 }
    }

    #[test]
    fn a_released_program_is_fetched_checked_and_unpacked() {
        let place = Place::find().unwrap();
        let from = folder("from");
        let archive = released(&place, &from);
        let to = from.join("to");
        archive.fetch_into(&place, "tool", &to).unwrap();
        let program = if cfg!(windows) { "tool.exe" } else { "tool" };
        assert_eq!(fs::read_to_string(to.join(program)).unwrap(), "a program");
        assert_eq!(fs::read_dir(&to).unwrap().count(), 1, "the archive itself and what else is in it are not kept");
        fs::remove_dir_all(&from).unwrap();
    }

    #[test]
    fn another_file_than_the_released_one_is_refused() {
        let place = Place::find().unwrap();
        let from = folder("other");
        let archive = Archive { sha256: TRUNK[0].sha256, ..released(&place, &from) };
        let to = from.join("to");
        let said = archive.fetch_into(&place, "tool", &to).unwrap_err();
        assert!(said.contains("is not the file that was released") && said.contains(TRUNK[0].sha256), "{said}");
        assert_eq!(fs::read_dir(&to).unwrap().count(), 0);
        fs::remove_dir_all(&from).unwrap();
    }

    #[test]
    fn an_address_that_does_not_answer_is_an_error_soon() {
        let place = Place::find().unwrap();
        let to = folder("silent");
        // Port 9 of this machine: nobody listens there.
        let archive = Archive { os: "", arch: "", address: "http://127.0.0.1:9/tool.tar.gz", sha256: "" };
        let start = std::time::Instant::now();
        assert!(archive.fetch_into(&place, "tool", &to).unwrap_err().contains("curl"));
        assert!(start.elapsed().as_secs() < 20);
        fs::remove_dir_all(&to).unwrap();
    }

    #[test]
    fn every_archive_is_of_the_version_that_is_asked_for() {
        for archive in &TRUNK {
            let start = format!("https://github.com/trunk-rs/trunk/releases/download/v{}/trunk-", versions::TRUNK);
            assert!(
                archive.address.starts_with(&start) && archive.address.contains(archive.arch),
                "{}",
                archive.address
            );
            assert_eq!(sum_in(archive.sha256).as_deref(), Some(archive.sha256));
        }
        let found = for_this_machine(&TRUNK).map(|archive| (archive.os, archive.arch));
        assert!(found.is_none_or(|found| found == (std::env::consts::OS, std::env::consts::ARCH)));
    }

    #[test]
    fn a_sum_is_found_in_what_each_program_says() {
        let sum = "a67f4054b249fe9acc5fabc25de1aebf19783aca3ad6ff64bf34d7da44d0ea20";
        assert_eq!(sum_in(&format!("{sum}  trunk.tar.gz")).as_deref(), Some(sum));
        assert_eq!(sum_in(&format!("\\{sum} *C:\\\\trunk.zip")).as_deref(), Some(sum));
        let windows = format!("SHA256 hash of trunk.zip:\r\n{sum}\r\nCertUtil: done.");
        assert_eq!(sum_in(&windows).as_deref(), Some(sum));
        assert_eq!(sum_in("no such file"), None);
    }
}
