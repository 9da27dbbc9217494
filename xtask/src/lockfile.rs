//! Versions: in Cargo.lock, and in what a program says of itself.

/// The version of a package in the text of Cargo.lock.
pub(crate) fn version_of<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let mut lines = lock.lines();
    lines.find(|line| value_of(line, "name") == Some(package))?;
    lines.next().and_then(|line| value_of(line, "version"))
}

/// The version that the packages of the workspace share, in the text of Cargo.toml.
pub(crate) fn own_version(manifest: &str) -> Option<&str> {
    of_the_workspace(manifest, "version")
}

/// The oldest compiler that they promise to work with.
pub(crate) fn oldest_compiler(manifest: &str) -> Option<&str> {
    of_the_workspace(manifest, "rust-version")
}

fn of_the_workspace<'a>(manifest: &'a str, key: &str) -> Option<&'a str> {
    let mut lines = manifest.lines();
    lines.find(|line| line.trim() == "[workspace.package]")?;
    lines.take_while(|line| !line.starts_with('[')).find_map(|line| value_of(line, key))
}

fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim().strip_prefix('"')?.strip_suffix('"')
}

/// Whether the first line of a program's `--version` holds this version as a word of its own.
pub(crate) fn says_version(output: &str, version: &str) -> bool {
    output.lines().next().is_some_and(|line| line.split_whitespace().any(|word| word == version))
}

/// The first number of a version such as `v20.11.1`.
pub(crate) fn major(version: &str) -> Option<u32> {
    version.trim().trim_start_matches('v').split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{major, oldest_compiler, own_version, says_version, version_of};

    const LOCK: &str = r#"
[[package]]
name = "wasm-bindgen-macro"
version = "0.2.9"

[[package]]
name = "wasm-bindgen"
version = "0.2.121"
source = "registry"
dependencies = [
 "wasm-bindgen-macro",
]
"#;

    #[test]
    fn the_lock_names_the_version() {
        assert_eq!(version_of(LOCK, "wasm-bindgen"), Some("0.2.121"));
        assert_eq!(version_of(LOCK, "wasm-bindgen-macro"), Some("0.2.9"));
        assert_eq!(version_of(LOCK, "wasm"), None);
    }

    #[test]
    fn the_workspace_has_one_version() {
        let manifest = "[workspace]\nversion = \"9\"\n[workspace.package]\nedition = \"2024\"\nversion = \"1.2.3\"\nrust-version = \"1.88\"\n[package]\n";
        assert_eq!(own_version(manifest), Some("1.2.3"));
        assert_eq!(oldest_compiler(manifest), Some("1.88"));
        assert_eq!(oldest_compiler("[package]\nrust-version = \"1.88\"\n"), None);
        assert_eq!(own_version("[workspace.package]\n[package]\nversion = \"1\"\n"), None);
    }

    #[test]
    fn versions_are_compared_as_whole_words() {
        assert!(says_version("trunk 0.21.14\n", "0.21.14"));
        assert!(says_version("wasm-opt version 132 (version_132)", "132"));
        assert!(!says_version("trunk 0.21.14", "0.21.1"));
        assert!(!says_version("trunk 0.21.14-beta.1", "0.21.14"));
        assert!(!says_version("", "132"));
    }

    #[test]
    fn node_says_its_version_with_a_letter() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("strange"), None);
    }
}
