//! Packages for learning platforms: a figure, a section or the whole tutorial with a page that tells the platform what its reader
//! answers.
//!
//! The build writes the rules for packages (`kit/rules.json`), the scripts that packages contain, and one package of the whole tutorial
//! for each standard. All other packages are made on demand: in the browser by `pack.js`, or by `cargo xtask release`, which calls
//! [`release`].

mod items;
pub(crate) mod json;
mod parts;
mod standards;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use self::json::{list, object, text};
use self::parts::{Part, Site};
use self::standards::{STANDARDS, Standard};
use crate::archive::{self, Packed};
use crate::wording::{Words, escaped};
use crate::{apart, page, policy, script, template, write};

/// The folder below the page, and in packages.
const FOLDER: &str = "kit";
/// What `teach.js` fetches to pack.
const PACK: &str = "kit/pack.js";
/// The page that a platform opens.
const LAUNCH: &str = "launch.html";
/// The share of the points, in percent, at which a part is passed, unless a teacher chooses another.
pub(crate) const MASTERY: u32 = 80;

/// What a build writes beside the rules: a file of the folder, and its text.
const FILES: [(&str, &str); 4] = [
    ("kit/launch.js", include_str!("launch.js")),
    ("kit/scorm.js", include_str!("scorm.js")),
    ("kit/cmi5.js", include_str!("cmi5.js")),
    ("kit/launch.css", include_str!("launch.css")),
];

/// Writes the folder into a finished site, whose files these are.
pub(crate) fn build(staging: &Path, files: &[String]) -> Result<(), String> {
    let folder = staging.join(FOLDER);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    for (name, text) in FILES {
        write(&staging.join(name), script::without_comments(text))?;
    }
    let kit = Kit::of(staging, files)?;
    write(&staging.join(PACK), script::without_comments(include_str!("pack.js")))?;
    write(&folder.join("rules.json"), kit.rules()?)?;
    let course = kit.parts.first().ok_or("there is nothing to pack")?;
    let mut packed = BTreeMap::new();
    for standard in &STANDARDS {
        write(&staging.join(ready(standard.id)), kit.package(course, standard, &mut packed)?)?;
    }
    Ok(())
}

/// The whole tutorial in a standard, as a build packs it.
pub(crate) fn ready(standard: &str) -> String {
    format!("{FOLDER}/memory-wall-{standard}.zip")
}

/// Every standard, in the order in which they are offered.
pub(crate) fn standards() -> impl Iterator<Item = &'static str> {
    STANDARDS.iter().map(|standard| standard.id)
}

/// Packs every part of a built site in every standard into a folder.
///
/// # Errors
///
/// A file that cannot be read or written.
pub(crate) fn release(dist: &Path, files: &[String], to: &Path) -> Result<usize, String> {
    let kit = Kit::of(dist, files)?;
    let mut packed = BTreeMap::new();
    for standard in &STANDARDS {
        let folder = to.join(standard.id);
        std::fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
        for part in &kit.parts {
            let name = format!("memory-wall-{}-{}.zip", part.id, standard.id);
            write(&folder.join(name), kit.package(part, standard, &mut packed)?)?;
        }
    }
    Ok(kit.parts.len() * STANDARDS.len())
}

/// A site with all that can be packed of it.
struct Kit<'a> {
    site: Site<'a>,
    parts: Vec<Part>,
    words: Words,
}

impl<'a> Kit<'a> {
    fn of(folder: &'a Path, files: &[String]) -> Result<Self, String> {
        let site = Site::of(folder, files)?;
        let parts = parts::all(&site)?;
        Ok(Self { site, parts, words: Words::read("kit.txt")? })
    }

    /// The page that a platform opens, still without its part.
    fn launch(&self) -> Result<String, String> {
        let html = self.words.put(include_str!("launch.html").to_owned(), "");
        apart::is_said(FOLDER, &html).map(|()| html)
    }

    /// What stands in the place of each `@{name}`, for a part in a standard that is passed at `mastery` percent.
    fn values(&self, part: &Part, standard: &Standard, mastery: u32) -> Result<Vec<(&'static str, String)>, String> {
        let files: BTreeSet<&str> =
            part.files.iter().map(String::as_str).chain(fixed(standard)).chain([LAUNCH]).collect();
        let listed = files.iter().map(|file| filled(standard.file, &[("file", (*file).to_owned())]));
        let measure = (f64::from(mastery) / 100.0).to_string();
        let mut values = vec![
            ("id", part.id.clone()),
            ("title", escaped(&part.title)),
            ("language", page::language()),
            ("activity", part.activity()),
            ("files", listed.collect::<Result<String, _>>()?),
            ("mastery", mastery.to_string()),
            ("measure", measure),
            ("data", part.json(&self.words)),
            ("standard", standard.id.to_owned()),
            ("script", standard.script.to_owned()),
            ("connect", standard.connect.to_owned()),
        ];
        let scored = if part.items.is_empty() { standard.unscored } else { standard.scored };
        let scored = filled(scored, &values)?;
        values.push(("scored", scored));
        Ok(values)
    }

    /// Builds the package of a part. Files that were compressed for an earlier package are reused.
    fn package(
        &self,
        part: &Part,
        standard: &Standard,
        packed: &mut BTreeMap<String, Packed>,
    ) -> Result<Vec<u8>, String> {
        let values = self.values(part, standard, MASTERY)?;
        let manifest = filled(standard.template, &values)?;
        let launch = filled(&self.launch()?, &values)?;
        let own = [(standard.manifest, manifest), (LAUNCH, launch)]
            .map(|(name, text)| Ok((name, Packed::of(text.as_bytes())?)));
        let own = own.into_iter().collect::<Result<Vec<_>, String>>()?;
        let names: Vec<&str> = fixed(standard).into_iter().chain(part.files.iter().map(String::as_str)).collect();
        for name in &names {
            if !packed.contains_key(*name) {
                packed.insert((*name).to_owned(), Packed::of(&self.site.packed(name)?)?);
            }
        }
        let files = names.iter().filter_map(|name| Some((*name, packed.get(*name)?)));
        archive::zip(own.iter().map(|(name, packed)| (*name, packed)).chain(files))
    }

    /// All that `pack.js` has to know.
    fn rules(&self) -> Result<String, String> {
        let names = |all: &[String]| list(all.iter().map(|one| text(one)));
        let standard = |standard: &Standard| {
            let fields = [
                ("manifest", standard.manifest),
                ("template", standard.template),
                ("file", standard.file),
                ("scored", standard.scored),
                ("unscored", standard.unscored),
                ("script", standard.script),
                ("connect", standard.connect),
            ];
            let fixed = list(fixed(standard).map(text));
            let fields = fields.map(|(name, value)| (name, text(value)));
            (standard.id, object(fields.into_iter().chain([("fixed", fixed)])))
        };
        let part = |part: &Part| {
            object([
                ("id", text(&part.id)),
                ("title", text(&part.title)),
                ("activity", text(&part.activity())),
                ("scores", (!part.items.is_empty()).to_string()),
                ("files", names(&part.files)),
                ("data", text(&part.json(&self.words))),
            ])
        };
        let files = self.parts.iter().flat_map(|part| part.files.iter().map(String::as_str));
        let every: BTreeSet<&str> = files.chain(STANDARDS.iter().flat_map(fixed)).collect();
        let sums = every.into_iter().map(|name| {
            let bytes = self.site.whole(name)?;
            Ok((name, text(&format!("sha256-{}", policy::hash(bytes)))))
        });
        Ok(object([
            ("language", text(&page::language())),
            ("launch", text(&self.launch()?)),
            ("files", object(sums.collect::<Result<Vec<_>, String>>()?)),
            ("standards", object(STANDARDS.iter().map(standard))),
            ("parts", list(self.parts.iter().map(part))),
        ]))
    }
}

/// The files of the folder that every package in a standard has.
const fn fixed<'a>(standard: &Standard) -> [&'a str; 3] {
    ["kit/launch.css", "kit/launch.js", standard.script]
}

fn filled(template: &str, values: &[(&'static str, String)]) -> Result<String, String> {
    template::fill(template, |name| values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()))
}
