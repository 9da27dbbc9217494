//! Whether every link between the built files arrives: at a file, and at the place in it that the link names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::kept::kind;
use crate::markup::{attribute, tags};
use crate::read;

/// What a page or a manifest refers to.
const REFERENCES: [&str; 2] = ["href", "src"];

/// An error that names every dead link there is.
pub(super) fn check(folder: &Path, files: &[String]) -> Result<(), String> {
    let mut links = Vec::new();
    let mut places: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let ids = places.entry(file).or_default();
        if kind(file) == "webmanifest" {
            let text = read(&folder.join(file))?;
            links.extend(manifest_links(&text).into_iter().map(|link| (file, link)));
        } else if kind(file) == "html" {
            let text = read(&folder.join(file))?;
            for tag in tags(&text) {
                let named = REFERENCES.iter().filter_map(|name| attribute(tag, name));
                links.extend(named.map(|link| (file, link.replace("&amp;", "&"))));
                ids.extend(attribute(tag, "id").map(str::to_owned));
            }
        }
    }
    // The tutorial takes the self-check in.
    let taken = |place: &String| places.get("check.html").is_some_and(|places| places.contains(place));
    let arrives = |target: &Target| match (places.get(target.file.as_str()), &target.place) {
        (Some(places), Some(place)) => places.contains(place) || (target.file == "index.html" && taken(place)),
        (there, _) => there.is_some(),
    };
    let dead = links.iter().filter(|(from, link)| match Target::of(from, link) {
        Ok(target) => target.is_some_and(|target| !arrives(&target)),
        Err(()) => true,
    });
    let dead: BTreeSet<String> = dead.map(|(from, link)| format!("{from}: {link}")).collect();
    if dead.is_empty() {
        Ok(())
    } else {
        Err(format!("links that lead nowhere:\n{}", dead.into_iter().collect::<Vec<_>>().join("\n")))
    }
}

/// What a manifest refers to.
fn manifest_links(text: &str) -> Vec<String> {
    let values = |key: &str| {
        let mark = format!("\"{key}\": \"");
        text.split(&mark).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect::<Vec<_>>()
    };
    ["src", "url", "start_url"].into_iter().flat_map(values).collect()
}

/// Where a link leads to among the built files.
#[derive(Debug, PartialEq)]
struct Target {
    file: String,
    place: Option<String>,
}

impl Target {
    /// Nothing for a link to another site or to data; an error for one that works at the root of a host only.
    fn of(from: &str, link: &str) -> Result<Option<Self>, ()> {
        let scheme = link.split(['/', '?', '#']).next().is_some_and(|start| start.contains(':'));
        if scheme {
            return Ok(None);
        }
        if link.starts_with('/') {
            return Err(());
        }
        let (path, place) = link.split_once('#').map_or((link, None), |(path, place)| (path, Some(place.to_owned())));
        let path = path.split('?').next().unwrap_or_default();
        let place = place.filter(|place| !place.is_empty());
        if path.is_empty() {
            return Ok(Some(Self { file: from.to_owned(), place }));
        }
        let mut folders: Vec<&str> = from.split('/').collect();
        folders.pop();
        for step in path.split('/') {
            match step {
                "." | "" => {}
                ".." => {
                    folders.pop().ok_or(())?;
                }
                name => folders.push(name),
            }
        }
        // A folder is asked for by its page.
        if path.ends_with(['/', '.']) {
            folders.push("index.html");
        }
        Ok(Some(Self { file: folders.join("/"), place }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_as_browsers_do() {
        let to = |from: &str, link: &str| {
            let target = Target::of(from, link).ok()??;
            Some(format!("{}|{}", target.file, target.place.unwrap_or_default()))
        };
        assert_eq!(to("index.html", "#a").as_deref(), Some("index.html|a"));
        assert_eq!(to("index.html", "./").as_deref(), Some("index.html|"));
        assert_eq!(to("embed/a.html", "../?v=1#b").as_deref(), Some("index.html|b"));
        assert_eq!(to("embed/a.html", "../b.html?x=/#c").as_deref(), Some("b.html|c"));
        assert_eq!(to("a.html", "https://example.org/#x"), None);
        assert_eq!(Target::of("a.html", "/b.html"), Err(()));
        assert_eq!(Target::of("a.html", "../b.html"), Err(()));
    }

    #[test]
    fn dead_links_are_named() {
        let folder = std::env::temp_dir().join(format!("memory-wall-links-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let pages = [
            ("a.html", "<p id=\"x\"></p><a href=\"b.html#y\">1</a><img src=\"c.png\"><a href=\"#x\">2</a>"),
            ("b.html", "<p id=\"z\"></p><a href=\"a.html#x\">3</a>"),
            ("m.webmanifest", "{\"start_url\": \"./\", \"src\": \"a.html\"}"),
        ];
        for (name, text) in pages {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let result = check(&folder, &pages.map(|(name, _)| name.to_owned()));
        std::fs::remove_dir_all(&folder).unwrap();
        let error = result.unwrap_err();
        assert_eq!(
            error.lines().skip(1).collect::<Vec<_>>(),
            ["a.html: b.html#y", "a.html: c.png", "m.webmanifest: ./"]
        );
    }
}
