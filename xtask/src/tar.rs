//! An archive in the format `ustar`: the same bytes from the same files, whenever and by whomever it is made.

/// The archive of these files, each with its name.
pub(crate) fn archive(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    for (name, bytes) in files {
        out.extend(header(name, bytes.len())?);
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    // Two empty blocks are the end.
    out.resize(out.len() + 1024, 0);
    Ok(out)
}

/// The block before a file: readable by all, of no day and of nobody.
fn header(name: &str, length: usize) -> Result<Vec<u8>, String> {
    let field = |text: &str, width: usize| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(width, 0);
        bytes
    };
    if name.len() > 100 || length > 0o777_7777_7777 {
        return Err(format!("{name} does not fit into a plain archive."));
    }
    let before = [
        field(name, 100),
        field("0000644", 8),
        field("0000000", 8),
        field("0000000", 8),
        field(&format!("{length:011o}"), 12),
        field("00000000000", 12),
    ]
    .concat();
    let after = [b"0".to_vec(), vec![0; 100], b"ustar\x0000".to_vec(), vec![0; 247]].concat();
    // Counted with blanks in its own place.
    let sum: u32 = before.iter().chain(&after).chain(&[b' '; 8]).map(|byte| u32::from(*byte)).sum();
    Ok([before, format!("{sum:06o}\0 ").into_bytes(), after].concat())
}

#[cfg(test)]
mod tests {
    use super::archive;

    #[test]
    fn files_stand_in_blocks() {
        let files = [("a/b.txt".to_owned(), b"hello".to_vec()), ("c".to_owned(), vec![7; 512])];
        let made = archive(&files).unwrap();
        assert_eq!(made.len(), 512 * 6);
        assert!(made.starts_with(b"a/b.txt\0") && made[512..].starts_with(b"hello\0"));
        assert_eq!(&made[124..136], b"00000000005\0");
        assert_eq!(&made[257..265], b"ustar\x0000");
        assert_eq!(made, archive(&files).unwrap());
    }

    #[test]
    fn a_name_that_does_not_fit_is_refused() {
        assert!(archive(&[("x".repeat(101), Vec::new())]).is_err());
    }
}
