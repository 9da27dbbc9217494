//! Zip files, the same bytes from the same files; `kit/pack.js` writes packages with the same files in the browser.

use std::io::{Cursor, Write as _};

use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

type Writer = ZipWriter<Cursor<Vec<u8>>>;

/// A compressed file, which is an archive of its own: any number of packages take it over as it is.
#[derive(Clone)]
pub(crate) struct Packed(Vec<u8>);

impl Packed {
    /// Compresses a file.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, String> {
        let mut zip = writer();
        add(&mut zip, "", bytes)
            .and_then(|()| zip.finish())
            .map(|zip| Self(zip.into_inner()))
            .map_err(|error| told(&error))
    }
}

/// An archive of these files, each with its name, in their order.
///
/// # Errors
///
/// A name that is there twice, or more than the format holds.
pub(crate) fn zip<'a>(files: impl IntoIterator<Item = (&'a str, &'a Packed)>) -> Result<Vec<u8>, String> {
    let mut zip = writer();
    for (name, Packed(archive)) in files {
        let copied = ZipArchive::new(Cursor::new(archive.as_slice()))
            .and_then(|mut one| zip.raw_copy_file_rename(one.by_index_raw(0)?, name));
        copied.map_err(|error| format!("{name}: {}", told(&error)))?;
    }
    closed(zip)
}

/// An archive of texts.
pub(crate) fn zip_of(files: &[(String, String)]) -> Result<Vec<u8>, String> {
    let mut zip = writer();
    for (name, text) in files {
        add(&mut zip, name, text.as_bytes()).map_err(|error| format!("{name}: {}", told(&error)))?;
    }
    closed(zip)
}

fn add(zip: &mut Writer, name: &str, bytes: &[u8]) -> ZipResult<()> {
    // The first day that the format knows: an archive says nothing of when it was made.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default());
    zip.start_file(name, options)?;
    Ok(zip.write_all(bytes)?)
}

fn writer() -> Writer {
    ZipWriter::new(Cursor::new(Vec::new()))
}

fn closed(zip: Writer) -> Result<Vec<u8>, String> {
    zip.finish().map(Cursor::into_inner).map_err(|error| told(&error))
}

fn told(error: &dyn std::fmt::Display) -> String {
    format!("cannot be packed: {error}")
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};

    use super::*;

    #[test]
    fn what_is_packed_is_read_again() {
        let long = "The memory wall. ".repeat(1_000);
        let files = [
            ("a/naïve.txt".to_owned(), long.clone()),
            ("b".to_owned(), String::new()),
            ("c".to_owned(), "x".to_owned()),
        ];
        let bytes = zip_of(&files).unwrap();
        assert!(bytes.len() < long.len() / 10, "it is packed");
        let mut read = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
        assert_eq!(read.len(), 3);
        for (place, (name, text)) in files.iter().enumerate() {
            let mut file = read.by_index(place).unwrap();
            let mut content = String::new();
            // The reader compares the sum.
            file.read_to_string(&mut content).unwrap();
            assert_eq!((file.name().unwrap().as_ref(), &content), (name.as_str(), text));
        }
        assert_eq!(bytes, zip_of(&files).unwrap());
        assert!(zip_of(&[("a".to_owned(), String::new()), ("a".to_owned(), String::new())]).is_err());
    }
}
