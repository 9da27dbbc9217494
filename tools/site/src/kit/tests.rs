//! Packages of a small made-up site, each read back: the archive, and the file that a platform reads first.

use std::collections::BTreeSet;
use std::io::{Cursor, Read as _};
use std::path::PathBuf;

use memory_wall_app::registry::{self, SECTIONS};
use roxmltree::Document;
use zip::ZipArchive;

use super::*;

/// A site with every page that is packed, and a question or two in each.
fn site(name: &str) -> (PathBuf, Vec<String>) {
    let folder = std::env::temp_dir().join(format!("memory-wall-kit-{name}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("embed")).unwrap();
    std::fs::create_dir_all(folder.join(FOLDER)).unwrap();
    let section = |id: &&str| {
        let dial = if *id == "hierarchy" { "<div id=\"dial-walk\"></div>" } else { "" };
        format!("<section id=\"{id}\">{dial}</section>")
    };
    let whole: String = SECTIONS.iter().map(section).collect::<String>() + "<li data-quiz=\"oom.copy\"></li>";
    let mut files = vec![("memory-wall.html".to_owned(), whole), ("style.css".to_owned(), "a{}".to_owned())];
    for figure in registry::alone() {
        let asked = if figure == "sort" { "<li data-question=\"gemm\"></li>" } else { "" };
        let page = format!(
            "<link rel=\"alternate\" href=\"../oembed/{figure}.json\" /><link href=\"../style.css\">{asked}<a href=\"../index.html#x\">whole</a><a href=\"#y\">here</a>"
        );
        files.push((format!("embed/{figure}.html"), page));
    }
    files.extend(FILES.map(|(name, text)| (name.to_owned(), text.to_owned())));
    for (name, text) in &files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    (folder, files.into_iter().map(|(name, _)| name).collect())
}

/// The files of an archive, in their order.
fn unpacked(bytes: &[u8]) -> Vec<(String, String)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..zip.len())
        .map(|place| {
            let mut file = zip.by_index(place).unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            (file.name().unwrap().into_owned(), text)
        })
        .collect()
}

#[test]
fn a_manifest_lists_every_file_of_its_package_and_no_other() {
    let (folder, names) = site("manifests");
    let kit = Kit::of(&folder, &names).unwrap();
    let mut packed = BTreeMap::new();
    let mut packages = Vec::new();
    for part in &kit.parts {
        for standard in &STANDARDS {
            packages.push((part, standard, kit.package(part, standard, &mut packed).unwrap()));
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(packages.len(), kit.parts.len() * STANDARDS.len());
    for (part, standard, bytes) in packages {
        let files = unpacked(&bytes);
        let (name, manifest) = &files[0];
        assert_eq!(name, standard.manifest);
        let xml = Document::parse(manifest).unwrap_or_else(|error| panic!("{}: {error}: {manifest}", part.id));
        let with = |name: &str| xml.descendants().filter(|node| node.has_tag_name(name)).collect::<Vec<_>>();
        let text = |name: &str| {
            xml.descendants()
                .find(|node| node.tag_name().name() == name)
                .and_then(|node| node.text())
                .unwrap_or_default()
        };
        if standard.id == "cmi5" {
            is_course(part, &xml);
            continue;
        }
        let namespace = xml.root_element().tag_name().namespace().unwrap();
        let listed: BTreeSet<&str> = xml
            .descendants()
            .filter(|node| node.has_tag_name((namespace, "file")))
            .filter_map(|node| node.attribute("href"))
            .collect();
        let there: BTreeSet<&str> = files.iter().skip(1).map(|(name, _)| name.as_str()).collect();
        assert_eq!(listed, there, "{} in {}", part.id, standard.id);
        assert_eq!(files.len(), there.len() + 1, "a file is there twice");
        // One part of the course, which is the resource, which starts with the launch page.
        let item = with("item");
        assert_eq!(item.len(), 1);
        let resource = with("resource");
        assert_eq!(resource.len(), 1);
        assert_eq!(item[0].attribute("identifierref"), resource[0].attribute("identifier"));
        assert_eq!(resource[0].attribute("href"), Some("launch.html"));
        let kind = resource[0].attributes().find(|it| it.name().eq_ignore_ascii_case("scormtype")).unwrap();
        assert_eq!((kind.value(), kind.name() == "scormtype"), ("sco", standard.id == "scorm12"));
        let version = ["1.2", "2004 3rd Edition", "2004 4th Edition"];
        let at = STANDARDS.iter().position(|other| other.id == standard.id).unwrap();
        assert_eq!(text("schemaversion"), version[at]);
        assert_eq!(text("title"), part.title);
        let (mastery, measure) = (text("masteryscore"), text("minNormalizedMeasure"));
        let wanted = if part.items.is_empty() || at == 0 { "" } else { "0.8" };
        assert_eq!((mastery, measure), ("", wanted), "{}", part.id);
        for (name, text) in &files {
            assert!(!text.contains("@{"), "{name} of {} is not filled in", part.id);
            assert!(
                !name.starts_with("embed/") || !(text.contains("../index") || text.contains("oembed")),
                "{name}: {text}"
            );
        }
    }
}

/// A course structure of cmi5: one unit in one course, with names of their own.
fn is_course(part: &parts::Part, xml: &Document<'_>) {
    const SPACE: &str = "https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd";
    assert!(xml.root_element().has_tag_name((SPACE, "courseStructure")));
    let children = |node: roxmltree::Node<'_, '_>| {
        node.children()
            .filter(roxmltree::Node::is_element)
            .map(|child| child.tag_name().name().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(children(xml.root_element()), ["course", "au"]);
    let find = |name: &str| xml.descendants().find(|node| node.has_tag_name((SPACE, name))).unwrap();
    let (course, unit) = (find("course"), find("au"));
    assert_eq!(children(course), ["title", "description"]);
    assert_eq!(children(unit), ["title", "description", "url"]);
    assert_eq!(unit.attribute("id"), Some(part.activity().as_str()));
    assert_ne!(course.attribute("id"), unit.attribute("id"));
    assert_eq!(find("langstring").text(), Some(part.title.as_str()));
    assert_eq!(find("langstring").attribute("lang"), Some("en"));
    assert_eq!(find("url").text(), Some(LAUNCH));
    let wanted = if part.items.is_empty() { ("Completed", None) } else { ("Passed", Some("0.8")) };
    assert_eq!((unit.attribute("moveOn").unwrap(), unit.attribute("masteryScore")), wanted, "{}", part.id);
}

#[test]
fn parts_ask_what_stands_in_them() {
    let (folder, names) = site("parts");
    let kit = Kit::of(&folder, &names).unwrap();
    let rules = kit.rules();
    std::fs::remove_dir_all(&folder).unwrap();
    let asked = |id: &str| {
        let part = kit.parts.iter().find(|part| part.id == id).unwrap();
        part.items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(asked("course"), ["walk", "oom.copy"]);
    assert!(asked("hierarchy").contains(&"walk") && asked("hierarchy").contains(&"hierarchy.order"));
    assert_eq!(asked("figure-sort"), ["gemm"]);
    assert!(asked("figure-buckets").is_empty());
    assert!(asked("questions-oom").len() > 2 && asked("questions-oom").iter().all(|id| id.starts_with("oom.")));
    let ids: BTreeSet<_> = kit.parts.iter().map(parts::Part::activity).collect();
    assert_eq!(ids.len(), kit.parts.len(), "platforms tell parts apart");
    let rules = rules.unwrap();
    for part in &kit.parts {
        assert!(rules.contains(&format!("{{\"id\":\"{}\",\"title\"", part.id)), "{}", part.id);
    }
    assert!(rules.contains("\"style.css\":\"sha256-"), "{rules}");
}

#[test]
fn a_page_that_names_a_missing_file_is_not_packed() {
    let (folder, mut names) = site("missing");
    names.retain(|name| name != "style.css");
    let result = Kit::of(&folder, &names).map(|_| ());
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(result.unwrap_err().contains("style.css"));
}

#[test]
fn what_is_right_is_written_for_every_question() {
    for item in items::all().unwrap() {
        assert!(!item.right.is_empty() && item.right.iter().all(|right| !right.is_empty()), "{}", item.id);
        assert!(["numeric", "fill-in", "choice", "sequencing", "true-false"].contains(&item.kind));
    }
    assert!(filled("@{a}", &[]).is_err() && filled("@{a", &[]).is_err());
    assert_eq!(filled("x@{a}y", &[("a", "@{b}".to_owned())]).unwrap(), "x@{b}y");
}
