//! A second language is a second folder: a made-up one is written here, every word of English in it accented, and the page is
//! built from that folder alone. What is still plain English then was typed into a figure.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use memory_wall_app::figures::{self, Places};
use memory_wall_core::assumptions::Assumptions;
use memory_wall_core::frontier::DIRECTIONS;
use memory_wall_core::precision::{KvPrecision, WeightFormat};
use memory_wall_core::published;
use memory_wall_core::tables::{gpus, models};

/// The language, as a private one is called.
const LANGUAGE: &str = "qps-ploc";

/// Words that a page in any language may hold, each group with its reason; names of models and GPUs come from the tables.
const ANYWHERE: &[(&str, &str)] = &[
    (
        "kB MB GB TB kiB MiB GiB TiB MB/s GB/s TB/s TFLOP/s PFLOP/s GFLOP/s FLOP FLOP/s MFLOP GFLOP TFLOP FLOP/byte ns ms TOPS MWh",
        "units, which are the same in every language",
    ),
    ("HBM2e", "a kind of memory"),
    ("gpt-fast tensorrt-llm llama.cpp L40S MI250X GB10", "programs and GPUs whose speed was measured"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A letter with an accent, which still reads like itself.
fn accented(letter: char) -> char {
    const PLAIN: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const STRANGE: &str = "áƀçđéƒğħíĵķĺɱñóþɋŕšŧúṽŵẋýžÁƁÇĐÉƑĞĦÍĴĶĹṀÑÓÞɊŔŠŦÚṼŴẊÝŽ";
    PLAIN.chars().zip(STRANGE.chars()).find(|(plain, _)| *plain == letter).map_or(letter, |(_, strange)| strange)
}

/// A text with every letter accented but those between marks, which are code.
fn strange(text: &str, marks: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let code = marks.iter().find_map(|(open, close)| {
            let inside = rest.strip_prefix(open)?;
            Some(open.len() + inside.find(close)? + close.len())
        });
        let length = code.unwrap_or(letter.len_utf8());
        let (piece, behind) = rest.split_at(length);
        if code.is_some() {
            out.push_str(piece);
        } else {
            out.push(accented(letter));
        }
        rest = behind;
    }
    out
}

/// Whether what stands behind a key is names, numbers or code, which are the same in every language.
fn is_named(key: &str) -> bool {
    key == "picture" || key.contains("._")
}

/// `key = text`, with the text made strange.
fn row(line: &str) -> String {
    match line.split_once(" = ") {
        // What a picture shows is named, not said; and so are figures, sections and wrong answers in lessons.
        Some((key, text)) if !is_named(key) => format!("{key} = ⟦{}⟧", strange(text, &[("{", "}")])),
        _ => line.to_owned(),
    }
}

/// A line of a file of words or questions.
fn strange_line(line: &str) -> String {
    match line.split_at_checked(2) {
        Some((mark @ ("+ " | "- " | "? " | "# "), text)) => format!("{mark}{}", strange(text, &[("{", "}")])),
        _ if line.starts_with(['[', '/']) => line.to_owned(),
        _ => row(line),
    }
}

/// Prose: directives, code, tags and where links lead stay; of a formula only its text is said.
fn strange_prose(markdown: &str) -> String {
    let mut fenced = false;
    let line = |line: &str| {
        fenced ^= line.starts_with("```");
        if fenced || line.starts_with("```") {
            return line.to_owned() + "\n";
        }
        let marks = [("{{", "}}"), ("`", "`"), ("<", ">"), ("](", ")"), ("{#", "}"), ("$$", "$$"), ("$", "$")];
        let mut said = strange(line, &marks);
        // Of a formula, its text.
        if line.contains('$') {
            said = between(&said, "\\text{", "}");
        }
        said + "\n"
    };
    markdown.lines().map(line).collect()
}

/// A text with what stands between two marks made strange.
fn between(text: &str, open: &str, close: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        let (inside, behind) = after.split_once(close).unwrap();
        out.extend([before, open, &strange(inside, &[]), close]);
        rest = behind;
    }
    out + rest
}

/// What lies in one folder in another.
fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copied(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).unwrap();
        }
    }
}

/// The page that is built from a language of its own, and the words that its program says.
fn built() -> (String, String) {
    let place = std::env::temp_dir().join(format!("memory-wall-pseudo-{}", std::process::id()));
    let (folder, staging) = (place.join(LANGUAGE), place.join("staging"));
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(&staging).unwrap();
    for entry in fs::read_dir(root().join("content/en")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let said = if name == "formulas.md" {
            // Formulas and their symbols are the same in every language, and what is said of them stands between them.
            text
        } else if name == "glossary.md" {
            text.lines()
                .map(|line| {
                    if line.is_empty() || line.starts_with("in: ") { format!("{line}\n") } else { strange_prose(line) }
                })
                .collect()
        } else if [
            "reference.txt",
            "teach.txt",
            "goals.txt",
            "lessons.txt",
            "problems.txt",
            "worksheet.txt",
            "test.txt",
            "lab.txt",
            "slides.txt",
        ]
        .contains(&name.as_str())
        {
            let line = |line: &str| match line.split_once(" = ") {
                Some((key, _)) if is_named(key) => format!("{line}\n"),
                Some((key, text)) => format!("{key} = {}\n", strange(text, &[("{", "}"), ("`", "`"), ("](", ")")])),
                None => format!("{line}\n"),
            };
            text.lines().map(line).collect()
        } else if path.extension().is_some_and(|ending| ending == "md") {
            strange_prose(&text)
        } else {
            text.lines().map(|line| strange_line(line) + "\n").collect()
        };
        fs::write(folder.join(path.file_name().unwrap()), said).unwrap();
    }
    // Trunk puts the script that starts the program in the place of its own links.
    let page = fs::read_to_string(root().join("index.html")).unwrap();
    let page = page.replace("<link\n      data-trunk", "<link data-trunk");
    let mut pieces = page.split("<link data-trunk");
    let first = pieces.next().unwrap().to_owned();
    let page = pieces.fold(first, |page, piece| page + piece.split_once("/>").unwrap().1);
    fs::write(staging.join("index.html"), page.replace("</head>", "<script type=\"module\"></script></head>")).unwrap();
    copied(&root().join("public"), &staging);
    // In place of the programs, which are not looked at here.
    let functions = "start written taken drawn png".split(' ').map(|name| format!("export function {name}() {{}}\n"));
    let functions: String = functions.collect();
    for program in ["app", "explain", "estimate", "views", "planner", "exchange", "minute"] {
        let glue = match program {
            "app" | "planner" | "exchange" => format!(
                "{functions}new URL('memory-wall-{program}_bg.wasm', import.meta.url);\nexport {{ initSync, __wbg_init as default }};\n"
            ),
            _ => "let wasm_bindgen;\n".to_owned(),
        };
        fs::write(staging.join(format!("memory-wall-{program}-0.js")), glue).unwrap();
        fs::write(staging.join(format!("memory-wall-{program}-0_bg.wasm")), b"\0asm\x01\0\0\0").unwrap();
    }
    let site = Command::new(env!("CARGO_BIN_EXE_memory-wall-site"))
        .env("TRUNK_STAGING_DIR", &staging)
        .env("TRUNK_PROFILE", "debug")
        .env("MEMORY_WALL_CONTENT", &folder)
        .output()
        .unwrap();
    let page = fs::read_to_string(staging.join("index.html")).unwrap();
    let mut files = fs::read_dir(&staging).unwrap().map(|file| file.unwrap().path());
    let words = files.find(|path| path.file_name().unwrap().to_string_lossy().starts_with("words-")).unwrap();
    let words = fs::read_to_string(words).unwrap();
    fs::remove_dir_all(&place).unwrap();
    assert!(site.status.success(), "{}", String::from_utf8_lossy(&site.stderr));
    (page, words)
}

/// What a reader sees or hears: texts, and attributes that are read aloud, each with the tag that it stands in.
fn said(html: &str) -> Vec<(&str, &str)> {
    const ALOUD: [&str; 6] = [
        " aria-label=\"",
        " title=\"",
        " alt=\"",
        " placeholder=\"",
        " aria-valuetext=\"",
        "\"description\" content=\"",
    ];
    /// Code, and symbols of formulas, in any language.
    const CODE: [&str; 6] = ["script", "code", "pre", "var", "mi", "style"];
    let (mut said, mut rest, mut before) = (Vec::new(), html, "");
    while let Some((text, after)) = rest.split_once('<') {
        let (tag, behind) = after.split_once('>').unwrap();
        said.push((before, text));
        for attribute in ALOUD {
            said.extend(tag.split(attribute).skip(1).map(|value| (tag, value.split('"').next().unwrap())));
        }
        let name = tag.split(|c: char| c.is_whitespace()).next().unwrap();
        // In a script a sign may say less than, so nothing in code is taken for a tag.
        let skipped = CODE.contains(&name).then(|| behind.split_once(&format!("</{name}>")).unwrap().1);
        (rest, before) = (skipped.unwrap_or(behind), tag);
    }
    said
}

/// What is called the same in every language: models, GPUs, formats; and sources, which are quoted as they are.
fn names() -> Vec<String> {
    let models = models::MODELS.iter().flat_map(|model| [model.name, model.source]);
    let gpus = gpus::GPUS.iter().flat_map(|gpu| gpu.sources().iter().copied().chain([gpu.name]));
    let formats =
        WeightFormat::ALL.iter().map(|format| format.label()).chain(KvPrecision::ALL.iter().map(|kv| kv.label()));
    let directions = DIRECTIONS.iter().map(|direction| direction.source);
    let runs = published::RUNS.iter().flat_map(|run| [run.name, run.gpu_name, run.source]);
    let speeds = published::SPEEDS.iter().map(|speed| speed.runtime);
    models.chain(gpus).chain(formats).chain(directions).chain(runs).chain(speeds).map(str::to_owned).collect()
}

/// Words of plain English letters.
fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !"_-./&;+".contains(c));
    words.map(|word| word.trim_matches(['.', '-', '/', '+'])).filter(|word| {
        let letters = word.chars().filter(char::is_ascii_alphabetic).count();
        letters > 1 && word.is_ascii() && !word.ends_with(';')
    })
}

/// The page with the numbers of its bindings in place of steps.
fn numbered(page: &str) -> String {
    let mut places = Places::default();
    let mut tags = page.split(" data-b=\"");
    let mut out = tags.next().unwrap_or_default().to_owned();
    for tag in tags {
        let (marks, behind) = tag.split_once('"').unwrap();
        let numbers: Vec<_> = marks
            .split(' ')
            .map(|mark| {
                // What stands before the place says what of the element follows it.
                let (own, about) = mark.split_at(mark.find('/').unwrap_or(mark.len()));
                let (aspect, place) = own.split_at(own.find(['=', '?', '*']).map_or(0, |at| at + 1));
                format!("{aspect}{}{about}", places.read(place).unwrap())
            })
            .collect();
        out.extend([" data-b=\"", &numbers.join(" "), "\"", behind]);
    }
    out
}

#[test]
fn no_figure_knows_its_language() {
    let (page, words) = built();
    assert_eq!(
        page.matches(&format!("<html lang=\"{LANGUAGE}\">")).count(),
        1,
        "the page says which language it speaks"
    );
    for whole in ["<title>⟦Ŧħé Ṁéɱóŕý Ŵáĺĺ⟧</title>", "ŧéĺĺ íŧ ŧó šóɱéƀóđý éĺšé", "<mtext>ƀáñđŵíđŧħ</mtext>"]
    {
        assert!(page.contains(whole), "{whole}");
    }
    // The program finds its words by their places, and what is filled in by letters.
    let told = "⟦{a} úšáƀĺé⟧";
    assert!(words.contains(told) && !words.contains("wall.line"), "{told}");
    let known: BTreeSet<&str> = ANYWHERE.iter().flat_map(|(words, _)| words.split(' ')).collect();
    let mut names = names();
    // A longer name first: one may be the beginning of another.
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let assumptions = (0..Assumptions::CAPACITY).map(|nth| {
        let place = figures::find(&format!("buckets.assumption.{nth}")).expect("each has a place in the table");
        format!("data-b=\"{place}\"")
    });
    let assumptions: Vec<String> = assumptions.collect();
    let mut faults = Vec::new();
    let (mut texts, mut strange) = (0, 0);
    for (tag, text) in said(&numbered(&page)) {
        // What an estimate assumes is said by the engine, in English, to the command and to the page alike.
        if assumptions.iter().any(|mark| tag.contains(mark)) {
            continue;
        }
        // Less than, as it is written in HTML, is no word.
        let mut text = text.replace("&lt;", "<").replace("&amp;", "&");
        if plain_words(&text).any(|word| !known.contains(word)) {
            text = names.iter().fold(text, |text, name| text.replace(name.as_str(), ""));
        }
        texts += 1;
        strange += usize::from(text.contains(|c: char| c.is_alphabetic() && !c.is_ascii()));
        let unknown: Vec<&str> = plain_words(&text).filter(|word| !known.contains(word)).collect();
        if !unknown.is_empty() {
            faults.push(format!("{unknown:?} in “{text}” (<{tag}>)"));
        }
    }
    assert!(texts > 2_000 && strange > 1_000, "{strange} of {texts}");
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{} texts are in no words file:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn what_a_language_lacks_or_has_too_much_stops_the_build_and_is_named() {
    let folder = std::env::temp_dir().join(format!("memory-wall-lacking-{}", std::process::id()));
    copied(&root().join("content/en"), &folder);
    let said = |file: &str, change: &dyn Fn(&str) -> String| {
        let path = folder.join(file);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, change(&whole)).unwrap();
        let site = Command::new(env!("CARGO_BIN_EXE_memory-wall-site"))
            .env("TRUNK_STAGING_DIR", &folder)
            .env("MEMORY_WALL_CONTENT", &folder)
            .output()
            .unwrap();
        fs::write(&path, whole).unwrap();
        assert!(!site.status.success(), "{file}");
        String::from_utf8_lossy(&site.stderr).into_owned()
    };
    let without = |key: &'static str| {
        move |text: &str| text.split_inclusive('\n').filter(|line| !line.starts_with(key)).collect()
    };
    for (file, key) in [("words.txt", "wall.line"), ("page.txt", "rig.label"), ("site.txt", "page.title")] {
        let told = said(file, &without(key));
        assert!(told.contains(file) && told.contains(&format!("it has no words for {key}")), "{told}");
    }
    let more = said("labels.txt", &|text| format!("{text}control.colour = Colour\n"));
    assert!(more.contains("labels.txt: English has no control.colour"), "{more}");
    let other = said("words.txt", &|text| text.replace("{capacity} usable", "{room} usable"));
    assert!(other.contains("wall.line does not fill in what English does"), "{other}");
    fs::remove_dir_all(&folder).unwrap();
}
