//! The documents against the project: what they name exists, and the figures they give are the engine's.
//!
//! Looked at are code spans, links, and the commands in fenced blocks.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]
#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "the names of this project are in lower case")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use memory_wall_accuracy::table::percent;
use memory_wall_accuracy::{Data, Set, all};
use memory_wall_core::display::{Grouped, Size};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{Bucket, Scenario, display::ByteUnit, evaluate};

const DOCUMENTS: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/embedding.md"];

/// What is made rather than kept, and files that belong to others.
const ELSEWHERE: [&str; 5] = [".git", ".tools", "dist", "node_modules", "target"];
const OTHERS: [&str; 13] = [
    "config.json",
    "xtask.exe",
    "tests/e2e/results/",
    "plan.html",
    "plan-frame.html",
    "reference.html",
    "teach.html",
    "lessons.html",
    "problems.html",
    "worksheet.html",
    "test.html",
    "lab.html",
    "slides.html",
];

/// Endings by which a word is known to be a file.
const ENDINGS: [&str; 16] =
    ["rs", "toml", "md", "mjs", "js", "css", "html", "csv", "txt", "png", "svg", "json", "lock", "exe", "yml", "sh"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What the project holds, as far as documents may name it.
struct Project {
    /// Every file, by its path below the root.
    files: BTreeSet<String>,
    /// Every word of the sources, Rust's and the browser tests'.
    words: BTreeSet<String>,
    /// The patterns of `cargo xtask`, each the words of one: `["serve", "--port", port]`.
    xtask: Vec<Vec<String>>,
    /// The commands and options of `memory-wall`.
    command: BTreeSet<String>,
}

impl Project {
    fn read() -> Self {
        let mut files = BTreeSet::new();
        walk(root(), &mut files);
        let mut words = BTreeSet::new();
        // This file names what is not there, to be caught.
        let is_source = |file: &&String| file.ends_with(".rs") || file.ends_with(".mjs");
        for file in files.iter().filter(is_source).filter(|file| *file != "tests/documents.rs") {
            words.extend(read(file).split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned));
        }
        let xtask = read("xtask/src/main.rs");
        let patterns = xtask.lines().filter_map(|line| {
            let (pattern, _) = line.trim().strip_prefix('[')?.split_once("] => ")?;
            Some(pattern.split(", ").map(str::to_owned).collect())
        });
        let of_options = |file: &&String| file.starts_with("cli/src/options/table") && file.ends_with(".rs");
        let command = files.iter().filter(of_options).flat_map(|file| quoted(&read(file)));
        let command = command.chain(quoted(&read("cli/src/arguments.rs"))).collect();
        let project = Self { xtask: patterns.collect(), command, words, files };
        assert!(project.files.len() > 100 && project.xtask.len() > 5 && project.command.contains("--seq"));
        project
    }

    /// What is wrong with a code span, if anything.
    fn fault(&self, span: &str) -> Option<String> {
        if let Some(fault) = self.command_fault(span) {
            return fault;
        }
        if span.contains([' ', '{', '"', '<']) || OTHERS.contains(&span) {
            return None;
        }
        let is_file = span.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending));
        if is_file || span.contains('/') {
            (!self.has_path(span)).then(|| "no such path".to_owned())
        } else if span.contains("::") || span.ends_with("()") || is_screaming(span) || is_snake(span) {
            let parts = span.trim_start_matches('.').trim_end_matches("()").split("::");
            let unknown = parts.filter(|part| !self.words.contains(*part)).collect::<Vec<_>>().join(", ");
            (!unknown.is_empty()).then(|| format!("{unknown} is in no source"))
        } else {
            None
        }
    }

    fn has_path(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./");
        if ELSEWHERE.contains(&path.split('/').next().unwrap_or_default()) {
            return true;
        }
        if let Some(folder) = path.strip_suffix('/') {
            return self.files.iter().any(|file| file.starts_with(&format!("{folder}/")));
        }
        // `NAME` and `*` stand for any name.
        for any in ["NAME", "*"] {
            if let Some((before, after)) = path.split_once(any) {
                return self.files.iter().any(|file| file.starts_with(before) && file.ends_with(after));
            }
        }
        let end = format!("/{path}");
        self.files.contains(path) || !path.contains('/') && self.files.iter().any(|file| file.ends_with(&end))
    }

    /// For a line that is a command of this project: what is wrong with it, if anything. `None` for anything else.
    #[expect(clippy::option_option, reason = "no command and no fault are two things")]
    fn command_fault(&self, line: &str) -> Option<Option<String>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["cargo", "xtask"] => Some(None),
            ["cargo", "xtask", rest @ ..] => {
                let fits = |pattern: &Vec<String>| {
                    // What is named behind `..` may be several words, or none.
                    let (pattern, open) = match pattern.split_last() {
                        Some((last, before)) if last.ends_with("..") => (before, true),
                        _ => (pattern.as_slice(), false),
                    };
                    (pattern.len() == rest.len() || open && pattern.len() < rest.len())
                        && pattern
                            .iter()
                            .zip(rest)
                            .all(|(known, word)| !known.starts_with('"') || known.trim_matches('"') == *word)
                };
                Some((!self.xtask.iter().any(fits)).then(|| "xtask knows no such command".to_owned()))
            }
            ["cargo", "run" | "test" | "bench", rest @ ..] => {
                let own = rest.iter().position(|word| *word == "--").unwrap_or(rest.len());
                let (cargo, program) = rest.split_at(own);
                let fault = self.cargo_fault(cargo);
                let runs = words.contains(&"run") && words.contains(&"memory-wall-cli");
                Some(fault.or_else(|| if runs { self.cli_fault(program.get(1..).unwrap_or_default()) } else { None }))
            }
            ["memory-wall", rest @ ..] => Some(self.cli_fault(rest)),
            [option] if option.starts_with("--") => {
                let option = option.split(['=', ' ']).next().unwrap_or_default().trim_matches('"');
                let of_xtask = self.xtask.iter().flatten().any(|word| word.trim_matches('"') == option);
                let known = of_xtask || self.command.contains(option);
                Some((!known).then(|| "nobody knows this option".to_owned()))
            }
            _ => None,
        }
    }

    /// Packages, test files and features that cargo is asked for.
    fn cargo_fault(&self, words: &[&str]) -> Option<String> {
        words.windows(2).find_map(|pair| {
            let [option, value] = pair else { return None };
            let manifests = self.files.iter().filter(|file| file.ends_with("Cargo.toml"));
            let says = |line: &str| manifests.clone().any(|file| read(file).lines().any(|it| it.starts_with(line)));
            let known = match *option {
                "-p" | "--package" => says(&format!("name = \"{value}\"")),
                "--features" => says(&format!("{value} = [")),
                "--test" => self.files.iter().any(|file| file.ends_with(&format!("tests/{value}.rs"))),
                _ => true,
            };
            (!known).then(|| format!("{option} {value}: there is none"))
        })
    }

    /// The words behind `memory-wall`.
    fn cli_fault(&self, words: &[&str]) -> Option<String> {
        let unknown = words.iter().find(|word| {
            let is_value = !word.starts_with("--") && words.first() != Some(word);
            !is_value && !self.command.contains(**word)
        });
        let value = |option: &str| {
            words.windows(2).find_map(|pair| match pair {
                [known, value] if *known == option => Some(*value),
                _ => None,
            })
        };
        match (unknown, value("--model"), value("--gpu")) {
            (Some(word), ..) => Some(format!("memory-wall does not know {word}")),
            (_, Some(id), _) if id != "ID" && models::by_id(id).is_none() => Some(format!("there is no model {id}")),
            (_, _, Some(id)) if id != "ID" && gpus::by_id(id).is_none() => Some(format!("there is no card {id}")),
            _ => None,
        }
    }

    /// Every fault of a document, with its line.
    fn faults(&self, name: &str, text: &str) -> Vec<String> {
        let (mut faults, mut fenced) = (Vec::new(), false);
        for (number, line) in text.lines().enumerate() {
            let mut say = |what: &str, fault: &str| faults.push(format!("{name}:{}: {what}: {fault}", number + 1));
            if line.starts_with("```") {
                fenced = !fenced;
            } else if fenced {
                if let Some(Some(fault)) = self.command_fault(line) {
                    say(line, &fault);
                }
            } else {
                if line.matches('`').count() % 2 == 1 {
                    say(line, "a code span is not closed");
                }
                for span in line.split('`').skip(1).step_by(2) {
                    if let Some(fault) = self.fault(span) {
                        say(span, &fault);
                    }
                }
                for target in line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
                {
                    let near = Path::new(name).with_file_name(target).to_string_lossy().replace('\\', "/");
                    if !target.starts_with("https://") && !self.files.contains(&near) {
                        say(target, "the link leads nowhere");
                    }
                }
            }
        }
        if fenced {
            faults.push(format!("{name}: a block is not closed"));
        }
        faults
    }
}

/// Every file below a folder, without what is made and what is installed.
fn walk(folder: &Path, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !ELSEWHERE.contains(&name.as_str()) && name != "results" {
                walk(&path, files);
            }
        } else {
            files.insert(path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/"));
        }
    }
}

/// Every string literal of a source that has no quotes inside.
fn quoted(source: &str) -> Vec<String> {
    source.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// `FIRST_VISIT_BUDGET`, `BOUND`.
fn is_screaming(word: &str) -> bool {
    word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// `kv_heads`, `plain_value`.
fn is_snake(word: &str) -> bool {
    word.contains('_') && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[test]
fn what_the_documents_name_exists() {
    let project = Project::read();
    let named = DOCUMENTS.map(str::to_owned).into_iter().chain(decisions(&project));
    let faults: Vec<String> = named.flat_map(|name| project.faults(&name, &read(&name))).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The records of decisions.
fn decisions(project: &Project) -> Vec<String> {
    project.files.iter().filter(|file| file.starts_with("docs/decisions/")).cloned().collect()
}

#[test]
fn every_decision_says_why_and_is_named_in_the_architecture() {
    let (project, architecture) = (Project::read(), read("ARCHITECTURE.md"));
    let decisions = decisions(&project);
    assert!(decisions.len() >= 10);
    for name in decisions {
        let text = read(&name);
        for part in ["# ", "**Context.**", "**Decision.**", "**Figures.**", "**Consequences.**"] {
            assert_eq!(text.lines().filter(|line| line.starts_with(part)).count(), 1, "{name}: {part}");
        }
        assert!(architecture.contains(&format!("]({name})")), "ARCHITECTURE.md does not name {name}");
    }
}

#[test]
fn what_is_made_up_is_caught() {
    let project = Project::read();
    for text in [
        "see `core/src/memory/quantum.rs`",
        "see `core/src/memory/`, `core/src/memries/`",
        "in `quantum.rs`",
        "like `content/fr/NAME.md`",
        "ask `Snapshot::vlaue`",
        "the limit `FIRST_VISIT_BUDGIT`",
        "call `frobnicate_all`",
        "run `cargo xtask tets`",
        "run `cargo xtask test --slow`",
        "with `--sequence`",
        "```\ncargo xtask serve --prot 80\n```",
        "```\ncargo test -p memory-wall-cor\n```",
        "```\ncargo test -p memory-wall-core --test goldn\n```",
        "```\ncargo run -q -p memory-wall-cli -- estimate --model llama-2-7b --sqe 5\n```",
        "`memory-wall estimate --model llama-9`",
        "`memory-wall guess`",
        "[a link](docs/nothing.md)",
        "an `open span",
        "```\nan open block",
    ] {
        assert_eq!(project.faults("made up", text).len(), 1, "{text}");
    }
    for text in [
        "see `core/src/memory/*.rs`, `words.txt`, `dist/index.html`, `content/en/NAME.md` and `Snapshot::value`",
        "run `cargo xtask serve --port 9000` or `memory-wall estimate --model llama-2-7b --seq 5 --json`",
        "[here](README.md), [there](https://example.org/), `{{live name}}`, `2 × layers`, `--json`",
    ] {
        assert_eq!(project.faults("true", text), Vec::<String>::new());
    }
}

#[test]
fn the_readme_gives_the_engines_figures() {
    let readme = read("README.md");
    let gpu = gpus::by_id("a100-80-sxm").unwrap();
    let architecture = models::by_id("llama-2-7b").unwrap().architecture;
    let scenario = Scenario { seq_length: 128_000, gpu: Some(gpu), ..Scenario::new(architecture) };
    let evaluation = evaluate(&scenario.check().unwrap());
    let fit = evaluation.fit.unwrap();
    let mut wanted: Vec<String> = [evaluation.total, fit.capacity, fit.margin.magnitude()]
        .into_iter()
        .chain(Bucket::EACH.map(|bucket| evaluation.bytes(bucket)).into_iter().filter(|bytes| bytes.0 > 0))
        .flat_map(|bytes| [Grouped(bytes.0).to_string(), Size::new(bytes, ByteUnit::Gb).plain().to_string()])
        .collect();
    wanted.push(format!("{} tokens at batch 1", Grouped(fit.max_seq.into())));
    wanted.push(format!("{} models and {} GPUs", models::MODELS.len(), gpus::GPUS.len()));
    for text in wanted {
        assert!(readme.contains(&text), "README.md does not say {text}");
    }
    let changelog = read("CHANGELOG.md");
    assert!(changelog.contains(&format!("{} models and {} GPUs", models::MODELS.len(), gpus::GPUS.len())));
}

#[test]
fn the_formats_are_counted() {
    let formats = format!("weights in {} formats", memory_wall_core::WeightFormat::ALL.len());
    for document in ["README.md", "CHANGELOG.md"] {
        assert!(read(document).contains(&formats), "{document} does not say {formats}");
    }
}

#[test]
fn the_readme_gives_the_errors_of_today() {
    let readme = read("README.md");
    let sets = all(&Data::carried());
    let rows: usize = sets.iter().map(|set| set.rows.len()).sum();
    let wanted = format!("makes {} comparisons", Grouped(rows.try_into().unwrap()));
    assert!(readme.contains(&wanted), "README.md does not say: {wanted}");
    let mut shown = 0;
    for line in readme.lines().filter(|line| line.starts_with("| `")) {
        let name = line.split('`').nth(1).unwrap();
        let set = sets.iter().find(|set| set.name == name).unwrap_or_else(|| panic!("there is no set {name}"));
        let [mean, largest] =
            [Set::mean_abs_error(set.held()), Set::max_abs_error(set.held())].map(|it| it.map(percent));
        let wanted = format!(
            "| `{name}` | {} | {} | {} |",
            set.held().count(),
            mean.unwrap_or_default(),
            largest.unwrap_or_default()
        );
        assert_eq!(line, wanted);
        shown += 1;
    }
    assert!(shown >= 8);
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    let Some(listed) = listed.ok().filter(|output| output.status.success()) else {
        eprintln!("skipped: this is no checkout of git");
        return;
    };
    // Put together here, so that this file is not found.
    let paths =
        [["/ro", "ot/"], ["/wo", "rk/"], ["/ho", "me/"], ["/Us", "ers/"], ["sha", "red/"]].map(|it| it.concat());
    let mut faults = Vec::new();
    for file in String::from_utf8_lossy(&listed.stdout).split('\0').filter(|file| !file.is_empty()) {
        // A file may be listed and just have been removed.
        let Ok(bytes) = fs::read(root().join(file)) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        if bytes.contains(&0) {
            continue;
        }
        faults.extend(paths.iter().filter(|path| text.contains(path.as_str())).map(|path| format!("{file}: {path}")));
        // Packages come from the public registries by their own names, not from one machine's mirror of them.
        let foreign = |line: &&str| match file {
            "Cargo.lock" => {
                line.starts_with("source = ")
                    && !line.contains("\"registry+https://github.com/rust-lang/crates.io-index\"")
            }
            _ if file.ends_with("package-lock.json") => {
                line.contains("\"resolved\":") && !line.contains("\"https://registry.npmjs.org/")
            }
            _ => false,
        };
        faults.extend(text.lines().filter(foreign).map(|line| format!("{file}: {}", line.trim())));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
