//! The words on screen against the sources: none is missing, none is left over, and each says what it is given.
//!
//! A source asks for words by a key in quotes, or by a group and the name of a choice; both are looked for here.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use memory_wall_app::charts::kv_cache::PROGRAMS;
use memory_wall_app::charts::sort::OPERATIONS;
use memory_wall_app::charts::training::{COLUMNS, FIXES, KEPT, SIDES};
use memory_wall_app::registry::{DIALS, ROUNDS, alone};
use memory_wall_app::sections::ladder::JOBS;
use memory_wall_app::sections::quiz::text::{Question, questions};
use memory_wall_app::state::dimensions::Dimension;
use memory_wall_app::state::roofline::{Dots, Precisions};
use memory_wall_app::state::tape::{Card, SIZES, SWITCHES};
use memory_wall_app::words;
use memory_wall_core::advise::{Effort, Idle, Risk, Rung};
use memory_wall_core::coping::Technique;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::frontier::{DIRECTIONS, Status};
use memory_wall_core::fusion::{Fusion, Kernel};
use memory_wall_core::hierarchy::Tier;
use memory_wall_core::memory::StatePart;
use memory_wall_core::memory::kinds::Kind;
use memory_wall_core::profile::{self, Row, Suspect};
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Accounting, Bound, Pass, Task};
use memory_wall_core::scaling::{Purpose, Size};
use memory_wall_core::schemes::Scheme;
use memory_wall_core::tape::{Step, Tensor};
use memory_wall_core::worked::Item;
use memory_wall_core::{
    AdapterPrecision, Attention, Bucket, Checkpointing, Mode, Optimizer, Phase, Recipe, TargetSet, Verdict,
};

/// Words that the program in the browser loads, and words of the prerendered page alone.
const LOADED: &str = "content/en/words.txt";
const PAGE: &str = "content/en/page.txt";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Keys and texts of a file of words, in its order.
fn table(path: &str) -> Vec<(String, String)> {
    read(path)
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (key, text) = line.split_once(" = ").unwrap_or_else(|| panic!("{path}: not `key = text`: {line}"));
            (key.to_owned(), text.to_owned())
        })
        .collect()
}

/// Both files.
fn all() -> BTreeMap<String, String> {
    [LOADED, PAGE].into_iter().flat_map(table).collect()
}

/// The names in braces of a text.
fn placeholders(text: &str) -> BTreeSet<String> {
    text.split('{').skip(1).map(|rest| rest.split_once('}').unwrap_or_else(|| panic!("{text}")).0.to_owned()).collect()
}

/// A piece of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
    Mark(char),
}

/// The tokens of a source, up to its own tests.
fn tokens(source: &str) -> Vec<Token> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut tokens = Vec::new();
    let mut rest = source.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '/' if rest.peek() == Some(&'/') => while rest.next_if(|c| *c != '\n').is_some() {},
            '"' => {
                let mut text = String::new();
                while let Some(c) = rest.next_if(|c| *c != '"') {
                    text.push(c);
                    if c == '\\' {
                        text.extend(rest.next());
                    }
                }
                rest.next();
                tokens.push(Token::Text(text));
            }
            // A character, or the name of a lifetime, which is no more than a mark and a word here.
            '\'' => {
                let mut ahead = rest.clone();
                let first = ahead.next();
                if first == Some('\\') {
                    rest.nth(1);
                    while rest.next_if(|c| *c != '\'').is_some() {}
                    rest.next();
                } else if ahead.next() == Some('\'') {
                    rest.nth(1);
                }
            }
            c if c.is_alphanumeric() || c == '_' => {
                let mut word = String::from(c);
                while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    word.push(c);
                }
                tokens.push(Token::Word(word));
            }
            c if c.is_whitespace() => {}
            c => tokens.push(Token::Mark(c)),
        }
    }
    tokens
}

/// Up to the mark that closes what is open at the start, or to the end.
fn inside(tokens: &[Token]) -> &[Token] {
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') if depth == 0 => return &tokens[..place],
            Token::Mark(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
    }
    tokens
}

/// Parts between the commas that stand in no bracket.
fn arguments(tokens: &[Token]) -> Vec<&[Token]> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (place, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth -= 1,
            Token::Mark(',') if depth == 0 => {
                parts.push(&tokens[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts
}

fn is_word(token: Option<&Token>, word: &str) -> bool {
    matches!(token, Some(Token::Word(it)) if it == word)
}

/// A source, by its path below the root.
struct Source {
    path: String,
    tokens: Vec<Token>,
}

impl Source {
    /// Whether it becomes part of the program in the browser.
    fn is_loaded(&self) -> bool {
        let drawn = ["src/sections/", "src/widgets/"];
        self.path.starts_with("src/") && !drawn.iter().any(|folder| self.path.starts_with(folder))
    }

    /// Calls of a function: where each stands, and what it is given.
    fn calls(&self, name: &str) -> Vec<(usize, Vec<&[Token]>)> {
        let mut calls = Vec::new();
        for (place, pair) in self.tokens.windows(2).enumerate() {
            let before = place.checked_sub(1).and_then(|before| self.tokens.get(before));
            // Neither where it is defined nor a method of the same name.
            let other = is_word(before, "fn") || before == Some(&Token::Mark('.'));
            if is_word(pair.first(), name) && pair[1] == Token::Mark('(') && !other {
                calls.push((place, arguments(inside(&self.tokens[place + 2..]))));
            }
        }
        calls
    }

    /// What stands behind `let name =`, the last one before a place: up to its semicolon.
    fn bound(&self, name: &str, before: usize) -> Option<(usize, &[Token])> {
        let start = (0..before).rev().find(|place| {
            is_word(self.tokens.get(*place), "let")
                && is_word(self.tokens.get(place + 1), name)
                && self.tokens.get(place + 2) == Some(&Token::Mark('='))
        })? + 3;
        let mut depth = 0;
        let end = (start..self.tokens.len()).find(|place| {
            match self.tokens[*place] {
                Token::Mark('(' | '[' | '{') => depth += 1,
                Token::Mark(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
            depth == 0 && self.tokens[*place] == Token::Mark(';')
        })?;
        Some((start, &self.tokens[start..end]))
    }

    /// The function around a place.
    fn function(&self, place: usize) -> &str {
        let start = (0..place).rev().find(|at| is_word(self.tokens.get(*at), "fn")).unwrap();
        let Some(Token::Word(name)) = self.tokens.get(start + 1) else { panic!("a function without a name") };
        name
    }

    /// Every text in quotes, without those that name something else: live numbers, flags, figures, groups.
    fn texts(&self) -> Vec<&str> {
        let mut elsewhere = BTreeSet::new();
        for name in ["live", "flag", "figure", "choice", "worded"] {
            elsewhere.extend(self.calls(name).into_iter().map(|(place, _)| place + 2));
        }
        let texts = self.tokens.iter().enumerate().filter(|(place, _)| !elsewhere.contains(place));
        texts.filter_map(|(_, token)| if let Token::Text(text) = token { Some(text.as_str()) } else { None }).collect()
    }

    /// The keys that a call of `fill` may ask for.
    fn keys_of<'a>(&'a self, place: usize, argument: &'a [Token], known: &BTreeMap<String, String>) -> Vec<&'a str> {
        let keys = |tokens: &'a [Token]| {
            let texts = tokens.iter().filter_map(|token| if let Token::Text(text) = token { Some(text) } else { None });
            texts.filter(|text| known.contains_key(*text)).map(String::as_str).collect::<Vec<_>>()
        };
        match argument {
            [Token::Text(key)] => vec![key],
            [Token::Word(name)] => match self.bound(name, place) {
                Some((_, value)) => keys(value),
                // Handed in from where the function is called.
                None => {
                    self.calls(self.function(place)).into_iter().flat_map(|(_, given)| given).flat_map(keys).collect()
                }
            },
            other => panic!("{}: what does fill ask for here: {other:?}", self.path),
        }
    }

    /// The names that a call of `fill` gives, and where they are listed.
    fn names_of(&self, place: usize, argument: &[Token]) -> (usize, BTreeSet<String>) {
        let names = |tokens: &[Token]| -> BTreeSet<String> {
            let triples = tokens.windows(3);
            let name = |triple: &[Token]| match triple {
                [Token::Mark('('), Token::Text(name), Token::Mark(',')] => Some(name.clone()),
                _ => None,
            };
            triples.filter_map(name).collect()
        };
        let here = names(argument);
        if !here.is_empty() {
            return (place, here);
        }
        let list = argument.iter().find_map(|token| if let Token::Word(word) = token { Some(word) } else { None });
        let Some((at, value)) = list.and_then(|list| self.bound(list, place)) else {
            panic!("{}: what is fill given here: {argument:?}", self.path)
        };
        (at, names(value))
    }
}

/// Every source that puts words on screen.
fn sources() -> Vec<Source> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for folder in ["src", "tools/site/src"] {
        walk(&root().join(folder), &mut found);
    }
    let sources = found.into_iter().map(|path| {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        Source { tokens: tokens(&fs::read_to_string(&path).unwrap()), path: name }
    });
    // How words are looked up says nothing about which; and a test asks for none.
    let others = ["src/words.rs", "tools/site/src/whole_page.rs"];
    let sources: Vec<_> = sources.filter(|source| !others.contains(&source.path.as_str())).collect();
    assert!(sources.len() > 25);
    sources
}

/// The names that an enum's `id` gives, from its source.
fn ids(path: &str, name: &str) -> Vec<String> {
    let source = read(path);
    let (_, behind) = source.split_once(&format!("impl {name} {{")).unwrap();
    let (_, behind) = behind.split_once("fn id(self)").unwrap();
    let (body, _) = behind.split_once("\n    }\n").unwrap();
    let ids: Vec<String> = body.split("=> \"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect();
    assert!(ids.len() > 2, "{name}");
    ids
}

/// The groups that words are chosen from at run time, with the names of their choices.
fn groups() -> BTreeMap<&'static str, Vec<String>> {
    fn of<T: Copy>(all: &[T], id: fn(T) -> &'static str) -> Vec<String> {
        all.iter().copied().map(|one| id(one).to_owned()).collect()
    }
    let jobs = || JOBS.iter().map(|(id, _)| (*id).to_owned()).collect::<Vec<_>>();
    let units = ByteUnit::EACH.into_iter().flat_map(|unit| [unit.id().to_owned(), format!("{}.hint", unit.id())]);
    // The pairs of the ladder are called as its rungs are.
    let named = ROUNDS.iter().filter(|round| round.id != "rungs");
    let predicted = named.flat_map(|round| round.options.iter().map(|option| format!("{}.{option}", round.id)));
    // Steps inside backward, which are no line of the program.
    let inner = Step::ALL.iter().skip_while(|step| **step != Step::Mean).filter(|step| **step != Step::End);
    let inner = inner.map(|step| step.id().to_owned());
    BTreeMap::from([
        ("bucket", of(Bucket::ALL, Bucket::id)),
        ("item", of(Item::ALL, Item::id)),
        ("dimension", of(&Dimension::ALL, Dimension::name)),
        ("control.mode", of(Mode::ALL, Mode::id)),
        ("control.attention", of(Attention::ALL, Attention::id)),
        ("control.optimizer", of(Optimizer::ALL, Optimizer::id)),
        ("control.checkpointing", of(Checkpointing::ALL, Checkpointing::id)),
        ("control.unit", units.collect()),
        ("tier.name", of(Tier::ALL, Tier::id)),
        ("kernel", of(Kernel::ALL, Kernel::id)),
        ("fusion", of(Fusion::ALL, Fusion::id)),
        ("sort.name", OPERATIONS.iter().map(|operation| operation.id.to_owned()).collect()),
        ("predict.option", predicted.collect()),
        ("dial.question", DIALS.iter().map(|dial| dial.id.to_owned()).collect()),
        ("dial.unit", DIALS.iter().map(|dial| dial.unit.to_owned()).collect()),
        ("dial.score", ids("src/dials.rs", "Score")),
        ("coping.technique", of(Technique::ALL, Technique::id)),
        ("coping.why", of(Technique::ALL, Technique::id)),
        ("frontier.status", of(Status::ALL, Status::id)),
        ("frontier.name", DIRECTIONS.iter().map(|direction| direction.id.to_owned()).collect()),
        ("frontier.figure", DIRECTIONS.iter().map(|direction| direction.figure.to_owned()).collect()),
        ("alone.title", alone().map(String::from).collect()),
        ("cache.kind", of(Kind::ALL, Kind::id)),
        ("cache.way", ["slots", "pages", "shared"].map(String::from).to_vec()),
        ("cache.program", PROGRAMS.iter().map(|program| program.id().to_owned()).collect()),
        (
            "quiz.of",
            asked().map(|question| question.section().to_owned()).collect::<BTreeSet<_>>().into_iter().collect(),
        ),
        ("verdict", of(Verdict::ALL, Verdict::id)),
        ("table.phase", of(Phase::ALL, Phase::id)),
        ("roofline.bound", of(Bound::ALL, Bound::id)),
        ("roofline.pass", of(Pass::ALL, Pass::id)),
        ("roofline.task", of(Task::ALL, Task::id)),
        ("control.kernels", of(Kernels::ALL, Kernels::id)),
        ("control.dots", of(Dots::ALL, Dots::id)),
        ("control.precisions", of(Precisions::ALL, Precisions::id)),
        ("control.accounting", of(Accounting::ALL, Accounting::id)),
        ("control.card", of(&Card::ALL, Card::id)),
        ("oom.short", of(Tensor::ALL, Tensor::id)),
        ("oom.tensor", of(Tensor::ALL, Tensor::id)),
        ("oom.why", of(Step::ALL, Step::id)),
        ("oom.step", inner.collect()),
        ("oom.switch", SWITCHES.map(str::to_owned).into()),
        ("oom.size", SIZES.iter().map(|size| size.name.to_owned()).collect()),
        ("control.scale", of(Purpose::ALL, Purpose::id)),
        ("parallel.name", of(Scheme::ALL, Scheme::id)),
        ("parallel.head", ["way", "states", "less", "total", "sent", "links", "idle"].map(Into::into).into()),
        ("scaling.what", of(Purpose::ALL, Purpose::id)),
        ("scaling.name", of(Size::ALL, Size::id)),
        ("scaling.head", ["size", "bytes", "printed", "real", "margin", "load", "cut", "nodes"].map(Into::into).into()),
        ("control.recipe", of(Recipe::ALL, Recipe::id)),
        ("control.targets", of(TargetSet::ALL, TargetSet::id)),
        ("control.adapters", of(AdapterPrecision::ALL, AdapterPrecision::id)),
        ("train.part", of(StatePart::ALL, StatePart::id)),
        ("train.column", COLUMNS.iter().map(|(id, _)| (*id).to_owned()).collect()),
        ("train.kept", KEPT.iter().map(|(id, _)| (*id).to_owned()).collect()),
        ("train.kept.about", KEPT.iter().map(|(id, _)| (*id).to_owned()).collect()),
        ("train.fix", FIXES.map(String::from).to_vec()),
        ("train.fix.acts", FIXES.map(String::from).to_vec()),
        ("train.fix.price", FIXES.map(String::from).to_vec()),
        ("train.fixes", ["what", "saved", "total", "left", "time", "price"].map(String::from).to_vec()),
        ("train.side", SIDES.iter().map(|bucket| bucket.id().to_owned()).collect()),
        ("rung", of(Rung::ALL, Rung::id)),
        ("ladder.because", of(Idle::ALL, Idle::id)),
        ("ladder.effort", of(Effort::ALL, Effort::id)),
        ("ladder.risk", of(Risk::ALL, Risk::id)),
        ("ladder.short_job", jobs()),
        ("profile.row", of(Row::ALL, Row::id)),
        ("profile.meaning", of(Row::ALL, Row::id)),
        ("profile.suspect", of(Suspect::ALL, Suspect::id)),
        ("profile.tensor", of(profile::Tensor::ALL, profile::Tensor::id)),
        ("profile.fix", ["logits", "scores", "tokens", "states"].map(String::from).to_vec()),
    ])
}

/// Keys that a format makes, by that format: `about` says something else in each mode where it says so.
fn composed(known: &BTreeMap<String, String>) -> BTreeMap<&'static str, Vec<String>> {
    let about = Bucket::EACH.into_iter().flat_map(|bucket| {
        let key = format!("about.{}", bucket.id());
        if known.contains_key(&key) {
            vec![key]
        } else {
            Mode::ALL.iter().map(|mode| format!("{key}.{}", mode.id())).collect()
        }
    });
    BTreeMap::from([("about.{}", about.collect())])
}

/// The questions of the self-check.
fn asked() -> impl Iterator<Item = Question> {
    questions().unwrap().into_iter()
}

/// Whether a text can only be a key: lower case, with dots, in a part of the files that there is.
fn looks_like_a_key(text: &str, known: &BTreeMap<String, String>) -> bool {
    let Some((part, rest)) = text.split_once('.') else { return false };
    // Questions have names of the same make, and texts in a file of their own.
    !rest.is_empty()
        && asked().all(|question| question.id != text)
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c))
        && known.keys().any(|key| key.split('.').next() == Some(part))
}

/// Every key that a source asks for.
fn used(source: &Source, known: &BTreeMap<String, String>) -> BTreeSet<String> {
    let (groups, composed) = (groups(), composed(known));
    let mut used = BTreeSet::new();
    for name in ["t", "fill", "fill_with", "lookup"] {
        let literal = source.calls(name).into_iter().filter_map(|(_, given)| match given.first() {
            Some([Token::Text(key)]) => Some(key.clone()),
            _ => None,
        });
        used.extend(literal);
    }
    for (_, given) in ["choice", "worded"].into_iter().flat_map(|name| source.calls(name)) {
        if let Some([Token::Text(group)]) = given.first() {
            let ids = groups.get(group.as_str()).unwrap_or_else(|| panic!("{}: unknown group {group}", source.path));
            used.extend(ids.iter().map(|id| format!("{group}.{id}")));
        }
    }
    for text in source.texts() {
        if let Some(keys) = composed.get(text) {
            used.extend(keys.iter().cloned());
        } else if text.contains("{}") && looks_like_a_key(&text.replace("{}", "x"), known) {
            panic!("{}: which keys does {text} make?", source.path);
        } else if looks_like_a_key(text, known) {
            used.insert(text.to_owned());
        }
    }
    used
}

#[test]
fn every_line_is_a_key_and_its_text_once() {
    let mut seen = BTreeSet::new();
    for (key, text) in [LOADED, PAGE].into_iter().flat_map(table) {
        assert!(seen.insert(key.clone()), "{key} is there twice");
        assert!(key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c)), "{key}");
        assert!(!text.is_empty() && text == text.trim() && !text.contains("  "), "{key}: {text:?}");
        assert!(!text.contains('!'), "{key} raises its voice: {text}");
        assert!(!text.contains(['<', '>', '&', '"', '`']), "{key} is text, not markup: {text}");
        assert_eq!(text.matches('{').count(), text.matches('}').count(), "{key}: {text}");
        // As the program reads it.
        assert_eq!(words::lookup(&key), Some(text.as_str()));
    }
    assert_eq!(words::keys().count(), seen.len());
}

#[test]
fn every_key_that_is_asked_for_is_there() {
    let known = all();
    let missing: Vec<String> = sources()
        .iter()
        .flat_map(|source| used(source, &known).into_iter().map(|key| format!("{}: {key}", source.path)))
        .filter(|line| !known.contains_key(line.split_once(": ").unwrap().1))
        .collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_key_is_asked_for() {
    let known = all();
    let used: BTreeSet<String> = sources().iter().flat_map(|source| used(source, &known)).collect();
    let left: Vec<&String> = known.keys().filter(|key| !used.contains(*key)).collect();
    assert!(left.is_empty(), "nobody asks for {left:?}");
}

#[test]
fn every_group_is_chosen_from() {
    let sources = sources();
    for (name, ids) in groups() {
        let asked = |source: &Source| {
            let calls = ["choice", "worded"].into_iter().flat_map(|call| source.calls(call));
            calls.into_iter().any(|(_, given)| given.first() == Some(&[Token::Text(name.into())].as_slice()))
        };
        assert!(sources.iter().any(asked), "nobody chooses from {name}");
        for id in ids {
            assert!(words::lookup(&format!("{name}.{id}")).is_some(), "{name}.{id} has no words");
        }
    }
}

#[test]
fn the_program_in_the_browser_loads_its_own_words_and_no_others() {
    let known = all();
    let loaded: BTreeSet<String> = table(LOADED).into_iter().map(|(key, _)| key).collect();
    let (mut asked, mut faults) = (BTreeSet::new(), Vec::new());
    for source in sources().iter().filter(|source| source.is_loaded()) {
        let used = used(source, &known);
        faults
            .extend(used.difference(&loaded).map(|key| format!("{} asks for {key}: move it to {LOADED}", source.path)));
        asked.extend(used);
    }
    faults.extend(loaded.difference(&asked).map(|key| format!("only the page asks for {key}: move it to {PAGE}")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn words_are_given_what_they_ask_for() {
    let known = all();
    let (mut faults, mut filled) = (Vec::new(), BTreeSet::new());
    for source in sources() {
        // A list of values may serve several texts: each name in it serves one of them at least.
        let mut lists: BTreeMap<usize, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
        for (place, given) in ["fill", "fill_with"].into_iter().flat_map(|name| source.calls(name)) {
            let [key, values, ..] = given.as_slice() else { panic!("{}: fill takes two arguments", source.path) };
            let (at, names) = source.names_of(place, values);
            let keys = source.keys_of(place, key, &known);
            assert!(!keys.is_empty(), "{}: {key:?}", source.path);
            let (_, asked) = lists.entry(at).or_insert_with(|| (names.clone(), BTreeSet::new()));
            for key in keys {
                let wanted = placeholders(known.get(key).map_or("", String::as_str));
                faults.extend(
                    wanted.difference(&names).map(|name| format!("{}: {key} is not given {name}", source.path)),
                );
                asked.extend(wanted);
                filled.insert(key.to_owned());
            }
        }
        for (names, asked) in lists.values() {
            faults.extend(
                names.difference(asked).map(|name| format!("{}: nothing asks for {name} of {names:?}", source.path)),
            );
        }
    }
    for (key, text) in &known {
        if !filled.contains(key) && !placeholders(text).is_empty() {
            faults.push(format!("{key} is shown as it is, braces and all: {text}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(filled.len() > 40, "{}", filled.len());
}

#[test]
fn filling_in_is_one_pass() {
    assert_eq!(words::fill("notice.unknown", &[("key", "{key}")]), "It has a part that is not known here: {key}.");
    assert_eq!(words::fill("control.mark", &[("n", "{label}"), ("label", "{n}")]), "{n} {label}");
    assert_eq!(words::fill("control.mark", &[]), " ");
    assert_eq!(words::fill("there.is.no.such.key", &[]), "there.is.no.such.key");
    assert_eq!(words::choice("bucket", "none"), "bucket.none");
}

#[test]
fn the_page_in_english_gives_the_reasons_of_the_command() {
    for reason in Idle::ALL {
        assert_eq!(words::choice("ladder.because", reason.id()), reason.sentence());
    }
}
