//! Zip files, the same bytes from the same files; `kit/pack.js` writes them in the browser by the same layout.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// 1 January 1980, the first day that the format knows: an archive says nothing of when it was made.
const DAY: u16 = 0x21;
/// The version that readers need for folders and DEFLATE, and the flag that says that names are UTF-8.
const VERSION: u16 = 20;
const UTF8: u16 = 0x800;

/// A file as it lies in an archive.
#[derive(Clone)]
pub(crate) struct Packed {
    /// 0 as it is, 8 with DEFLATE.
    method: u16,
    bytes: Vec<u8>,
    crc: u32,
    /// How long it is when it is unpacked.
    length: u32,
}

impl Packed {
    /// Packs a file.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, String> {
        let length = u32::try_from(bytes.len()).map_err(|_| "a file of 4 GiB does not fit into an archive")?;
        let mut crc = Crc::new();
        crc.update(bytes);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).map_err(|error| format!("a file cannot be packed: {error}"))?;
        let deflated = encoder.finish().map_err(|error| format!("a file cannot be packed: {error}"))?;
        let (method, bytes) = if deflated.len() < bytes.len() { (8, deflated) } else { (0, bytes.to_vec()) };
        Ok(Self { method, bytes, crc: crc.sum(), length })
    }

    /// What is said of it in both places, from the version to the length of its name.
    fn head(&self, name: &str) -> Result<Vec<u8>, String> {
        let packed = u32::try_from(self.bytes.len()).map_err(|_| format!("{name} is too large"))?;
        let letters = u16::try_from(name.len()).map_err(|_| format!("{name} is too long a name"))?;
        let mut head = Vec::new();
        for number in [VERSION, UTF8, self.method, 0, DAY] {
            head.extend(number.to_le_bytes());
        }
        for number in [self.crc, packed, self.length] {
            head.extend(number.to_le_bytes());
        }
        head.extend(letters.to_le_bytes());
        Ok(head)
    }
}

/// An archive of these files, each with its name, in their order.
///
/// # Errors
///
/// More files, longer names or more bytes than the format holds.
pub(crate) fn zip<'a>(files: impl IntoIterator<Item = (&'a str, &'a Packed)>) -> Result<Vec<u8>, String> {
    let (mut out, mut list, mut count) = (Vec::new(), Vec::new(), 0_u16);
    let large = "more than an archive holds";
    for (name, packed) in files {
        let place = u32::try_from(out.len()).map_err(|_| large)?;
        let head = packed.head(name)?;
        out.extend(b"PK\x03\x04");
        out.extend(&head);
        // No extra field.
        out.extend([0; 2]);
        out.extend(name.as_bytes());
        out.extend(&packed.bytes);
        list.extend(b"PK\x01\x02");
        list.extend(VERSION.to_le_bytes());
        list.extend(&head);
        // No extra field, no comment, the first disk, no attributes.
        list.extend([0; 12]);
        list.extend(place.to_le_bytes());
        list.extend(name.as_bytes());
        count = count.checked_add(1).ok_or(large)?;
    }
    let (place, length) = (u32::try_from(out.len()).map_err(|_| large)?, u32::try_from(list.len()).map_err(|_| large)?);
    out.extend(list);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    out.extend([length.to_le_bytes(), place.to_le_bytes()].concat());
    out.extend([0; 2]);
    Ok(out)
}

/// An archive of texts.
pub(crate) fn zip_of(files: &[(String, String)]) -> Result<Vec<u8>, String> {
    let mut packed = BTreeMap::new();
    for (name, text) in files {
        if packed.insert(name, Packed::of(text.as_bytes())?).is_some() {
            return Err(format!("{name} is in the archive twice"));
        }
    }
    zip(files.iter().filter_map(|(name, _)| Some((name.as_str(), packed.get(name)?))))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};

    use super::*;

    #[test]
    fn what_is_packed_is_read_by_another_program() {
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
