//! What is promised about the prose: no number with a unit is typed where the engine could say it, and every term of the field
//! is explained once, before anything uses it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]
#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "the names of this project are in lower case")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use memory_wall_app::registry::SECTIONS;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("content/en").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A text without what stands between two marks.
fn without(text: &str, open: &str, close: &str) -> String {
    let mut pieces = text.split(open);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    if open == close {
        pieces.skip(1).step_by(2).for_each(|piece| out.push_str(piece));
    } else {
        pieces.for_each(|piece| out.push_str(piece.split_once(close).map_or(piece, |(_, behind)| behind)));
    }
    out
}

/// A line as it is said: without directives, code, formulas and addresses.
fn said(line: &str) -> String {
    let marks = [("`", "`"), ("{{", "}}"), ("$$", "$$"), ("$", "$"), ("](", ")"), ("{", "}")];
    marks.into_iter().fold(line.to_owned(), |text, (open, close)| without(&text, open, close))
}

/// Numbers in letters. "One" is left out: mostly it is no measure but an article, as in "one more token".
const SPELLED: [&str; 18] = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "twenty",
    "dozen",
    "hundred",
    "hundreds",
    "thousand",
    "thousands",
    "million",
];

/// Units, in the singular or as they are written.
const UNITS: [&str; 45] = [
    "kb",
    "mb",
    "gb",
    "tb",
    "pb",
    "kib",
    "mib",
    "gib",
    "tib",
    "pib",
    "byte",
    "kilobyte",
    "megabyte",
    "gigabyte",
    "terabyte",
    "bit",
    "gb/s",
    "tb/s",
    "ns",
    "µs",
    "ms",
    "s",
    "nanosecond",
    "microsecond",
    "millisecond",
    "second",
    "minute",
    "hour",
    "flop",
    "flops",
    "flop/byte",
    "flop/s",
    "gflop/s",
    "tflop/s",
    "pflop/s",
    "tops",
    "token",
    "tokens/s",
    "card",
    "gpu",
    "watt",
    "w",
    "%",
    "percent",
    "time",
];

/// Units that a number is a count of only where it is in digits or above a dozen: "two sequences" is a case, not a measure.
const COUNTED: [&str; 5] = ["parameter", "sequence", "request", "value", "fold"];

/// Numbers with a unit that a line types, as `16 bytes`.
fn typed(line: &str) -> Vec<String> {
    let words: Vec<String> = line
        .split([' ', '\u{202f}', '\u{a0}'])
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && !"%×µ".contains(c)).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let is_unit = |word: &str, digits: bool| {
        let singular = if word.len() > 2 { word.trim_end_matches('s') } else { word };
        UNITS.contains(&word) || UNITS.contains(&singular) || digits && COUNTED.contains(&singular)
    };
    let mut found = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let next = words.get(place + 1).map_or("", String::as_str);
        // `16-bit`, `2×`, `100%`, `34h`: the unit hangs on the number.
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit() || ",.".contains(c));
        let is_number = digits.len() < word.len();
        let hanging = digits.trim_start_matches('-');
        let in_letters = SPELLED.contains(&word.as_str());
        if is_number && (hanging == "×" || is_unit(hanging, true)) {
            found.push(word.clone());
        } else if (is_number && hanging.is_empty() || in_letters) && is_unit(next, is_number)
            // A time and a size are measures even of one.
            || word == "one" && ["second", "minute", "hour", "byte"].contains(&next)
        {
            found.push(format!("{word} {next}"));
        } else if let Some((number, unit)) = word.split_once('-')
            && SPELLED.contains(&number)
            && is_unit(unit, false)
        {
            found.push(word.clone());
        }
    }
    found
}

/// The name of a format is the number of its bits: it is what it is on any GPU.
fn names_a_format(number: &str) -> bool {
    ["4", "8", "16", "32"]
        .iter()
        .any(|bits| [format!("{bits} bits"), format!("{bits}-bit")].iter().any(|it| it == number))
}

/// Lines that may type a number: the file, what the line contains, the number, and why.
const ALLOWED: &[(&str, &str, &str, &str)] = &[
    ("hierarchy.md", "were a walk of", "one minute", "the measure of a comparison, which the reader is given"),
    ("training.md", "where do 16 bytes", "16 bytes", "the rule that the section takes apart"),
    ("opening.md", "*bf16*", "two bytes", "what bf16 is"),
    ("opening.md", "a billion weights", "two bytes", "what bf16 is"),
    ("opening.md", "**How long it takes.**", "100 minutes", "counted on the page, as `reading.rs` does"),
    ("opening.md", "have about", "15 minutes", "counted on the page, as `reading.rs` does"),
    ("roofline.md", "reads two numbers", "two bytes", "what bf16 is"),
    ("roofline.md", "For the addition it is", "two bytes", "what bf16 is"),
    ("roofline.md", "one multiplication and one addition", "two bytes", "what bf16 is"),
    ("roofline.md", "Meta reports", "43%", "a published measurement"),
    ("buckets.md", "a GiB is", "7%", "what a GiB is"),
    ("training.md", "in *fp32*", "four bytes", "what fp32 is"),
    ("training.md", "The states stay at", "16 bytes", "the rule that the section takes apart"),
    ("kv_cache.md", "The scales take memory too", "4.5 bits", "worked out in the sentence itself"),
    ("kv_cache.md", "The scales take memory too", "32 values", "the setting of an example"),
    ("server.md", "vLLM's own measurement", "4%", "a published measurement"),
    ("training.md", "twice the sequence", "four times", "a square, in words"),
    ("parallel.md", "how much smaller", "16 bytes", "the rule of the section before"),
    ("parallel.md", "*node*", "eight gpus", "what a node is"),
    ("scaling.md", "A rule of thumb", "six flops", "the rule itself"),
    ("scaling.md", "since its states keep", "16 bytes", "the rule of the section on training"),
    ("time.md", "A training run takes", "six flops", "the rule itself"),
    ("time.md", "Serving has no end", "million tokens", "what a price is counted for"),
    ("page.txt", "spend.runs.note", "6 flops", "the rule itself"),
    ("page.txt", "serve.in =", "million tokens", "what a price is counted for"),
    ("page.txt", "serve.out =", "million tokens", "what a price is counted for"),
    ("page.txt", "serve.head.price", "million tokens", "what a price is counted for"),
    ("words.txt", "serve.sentence.price", "million tokens", "what a price is counted for"),
    ("quiz.txt", "slip.forward", "two flops", "the rule, taken apart"),
    ("quiz.txt", "Then divide by what the GPU", "six flops", "the rule itself"),
    ("quiz.txt", "worked = A million", "million tokens", "what a price is counted for"),
    ("quiz.txt", "worked = A million", "1,000,000 seconds", "the number of tokens, divided"),
    ("quiz.txt", "How many seconds do", "million tokens", "what a price is counted for"),
    ("page.txt", "sort.intro", "two bytes", "what bf16 is"),
    ("page.txt", "sort.why.", "two bytes", "what bf16 is"),
    ("page.txt", "cache.key", "ten times", "how the rules of a logarithmic drawing are set"),
    ("labels.txt", "dial.question.walk", "one minute", "the measure of the comparison"),
    ("page.txt", "coping.technique/zero-3", "8 gpus", "the name of a technique, with its setting"),
    ("labels.txt", "dial.question.zero", "8 gpus", "what is asked about"),
    ("labels.txt", "control.card/", "24 gb", "the name of a card to choose: as it is sold"),
    ("labels.txt", "control.card/", "40 gb", "the name of a card to choose: as it is sold"),
    ("page.txt", "scaling.time", "6 flops", "the rule itself"),
    ("labels.txt", "oom.switch.bf16", "2 bytes", "what the switch sets"),
    ("page.txt", "train.kept_table.note", "four times", "the shape of a textbook's model"),
    ("page.txt", "train.kept.about/full", "2 bytes", "what bf16 is"),
    ("page.txt", "train.kept.about/eager", "6 bytes", "the rule itself: 4 in fp32 and 2 in bf16"),
    ("page.txt", "train.fix.price/mixed-precision", "16 bytes", "the rule itself"),
    ("labels.txt", "control.recipe/mixed", "16 bytes", "the rule that the choice names"),
    ("labels.txt", "profile.field.", "29 gib", "how a number may be written"),
    ("labels.txt", "profile.field.", "32 gib", "how a number may be written"),
    ("page.txt", "ladder.short_job.", "24 gb", "the name of a run to choose"),
    ("page.txt", "ladder.short_job.", "80 gb", "the name of a run to choose"),
    ("page.txt", "ladder.because/nothing-stale", "10%", "where the engine begins to call a margin tight, a constant"),
    ("page.txt", "quiz.held.states", "16 bytes", "the rule itself"),
    ("words.txt", "dial.score.", "2×", "how near a guess has to be"),
    ("words.txt", "dial.score.", "10×", "how near a guess has to be"),
    ("words.txt", "field.error.size", "1 mib", "what a field takes"),
    ("words.txt", "field.error.size", "1 pib", "what a field takes"),
    ("words.txt", "field.error.size", "14.2 gib", "how a number may be written"),
    ("words.txt", "profile.about.example", "2,048 tokens", "the setting of a made-up example"),
    ("quiz.txt", "slip.bits", "eight times", "a byte has eight bits"),
    ("quiz.txt", "slip.thousand", "thousand times", "from one prefix to the next"),
    ("quiz.txt", "worked = ", "2 bytes", "what bf16 is"),
    ("quiz.txt", "worked = {parameters} parameters ×", "4 bytes", "the rule itself, term by term"),
    ("quiz.txt", "One FLOP for", "two bytes", "what bf16 is"),
    ("quiz.txt", "Each takes two bytes", "two bytes", "what bf16 is"),
    ("quiz.txt", "slip.half", "two bytes", "what bf16 is"),
    ("quiz.txt", "slip.double", "two bytes", "what bf16 is"),
    ("page.txt", "quiz.stored.mixed", "2 bytes", "what bf16 is"),
    ("quiz.txt", "slip.flat", "two bytes", "what bf16 is"),
    ("quiz.txt", "Stage 1 shards", "12 bytes", "the rule itself, taken apart"),
    ("quiz.txt", "entries × 4 bytes", "4 bytes", "what fp32 is"),
    ("quiz.txt", "a value of fp32 takes", "four bytes", "what fp32 is"),
    ("quiz.txt", "-3 5 GPUs", "5 gpus", "one of the options"),
    ("quiz.txt", "-4 7 GPUs", "7 gpus", "one of the options"),
    ("quiz.txt", "+1 8 GPUs", "8 gpus", "one of the options"),
    ("quiz.txt", "-5 10 GPUs", "10 gpus", "one of the options"),
    ("quiz.txt", "slip.master", "12 bytes", "the rule, with a part left out"),
    ("quiz.txt", "slip.plain", "four bytes", "what fp32 is"),
    ("quiz.txt", "slip.gradients", "18 bytes", "the rule of another recipe"),
    ("quiz.txt", "The states stay at", "16 bytes", "the rule itself"),
    ("quiz.txt", "since all four wait", "four times", "a wrong answer, from the numbers of the question"),
    ("quiz.txt", "on eight GPUs {gradients_8}", "eight gpus", "the numbers of the question"),
    ("quiz.txt", "no free piece is", "2 gb", "the numbers of the question"),
    ("quiz.txt", "no free piece is", "7 gb", "the difference of two numbers of the question"),
    ("quiz.txt", "only copies memory", "100%", "the number of the question"),
    ("quiz.txt", "Shard the model over", "two gpus", "one of the options"),
    ("quiz.txt", "the 1.6 GB are all", "1.6 gb", "the claim, quoted"),
    ("quiz.txt", "With 2.0 TB/s", "2.0 tb/s", "how it is often rounded, quoted"),
    ("quiz.txt", "No H100 has", "2.3 tb/s", "the claim, quoted"),
    ("quiz.txt", "is PCIe 3.0", "16 gb/s", "the claim, quoted"),
    ("quiz.txt", "84 GB are", "84 gb", "the claim, quoted"),
    ("quiz.txt", "84 GB are 12 bytes", "16 bytes", "the rule itself"),
    ("quiz.txt", "84 GB are 12 bytes", "12 bytes", "the rule, with a part left out"),
];

/// What a question gives its reader, and a claim that is quoted as it was met, right or wrong: the answer beside it is computed.
fn is_given(line: &str) -> bool {
    ["title = ", "ask = ", "true = ", "false = "].iter().any(|kind| line.starts_with(kind))
}

#[test]
fn no_number_with_a_unit_is_typed() {
    let words = ["words.txt", "labels.txt", "page.txt", "site.txt", "quiz.txt"];
    let files = SECTIONS.iter().map(|id| format!("{id}.md")).chain(words.map(String::from));
    let (mut faults, mut used) = (Vec::new(), BTreeSet::new());
    for file in files {
        let mut fenced = false;
        for (number, line) in read(&file).lines().enumerate() {
            fenced ^= line.starts_with("```");
            if fenced || line.starts_with(['#', '/']) && file.ends_with(".txt") || file == "quiz.txt" && is_given(line)
            {
                continue;
            }
            for typed in typed(&said(line)).into_iter().filter(|typed| !names_a_format(typed)) {
                let fits = |(of, part, number, _): &(&str, &str, &str, &str)| {
                    *of == file && line.contains(part) && *number == typed
                };
                match ALLOWED.iter().position(fits) {
                    Some(row) => drop(used.insert(row)),
                    None => faults.push(format!("{file}:{}: {typed}: {line}", number + 1)),
                }
            }
        }
    }
    assert!(faults.is_empty(), "a live name would say it:\n{}", faults.join("\n"));
    for (row, (file, part, number, reason)) in ALLOWED.iter().enumerate() {
        assert!(used.contains(&row), "{file} no longer types {number} at “{part}” ({reason})");
    }
}

#[test]
fn typed_numbers_are_found() {
    for (line, number) in [
        ("It takes 67.1 GB of memory.", "67.1 gb"),
        ("It takes 13.5\u{202f}GiB.", "13.5 gib"),
        ("moves 2,039 GB/s", "2,039 gb/s"),
        ("about twelve gigabytes more", "twelve gigabytes"),
        ("sixteen? no: ten times as fast", "ten times"),
        ("2× as fast", "2×"),
        ("only 82% of it", "82%"),
        ("a 16-bit number", "16-bit"),
        ("an eight-bit number", "eight-bit"),
        ("it takes (4.48 ms).", "4.48 ms"),
        ("146 tokens a second", "146 tokens"),
        ("at 312 TFLOP/s", "312 tflop/s"),
        ("a walk of one hour", "one hour"),
        ("fits on 14 cards", "14 cards"),
        ("draws 700 W", "700 w"),
        ("with 7,000,000,000 parameters", "7,000,000,000 parameters"),
    ] {
        assert_eq!(typed(&said(line)), [number], "{line}");
    }
    for line in [
        "{{live kv_cache at seq=2048}} bytes",
        "{n} tokens",
        "`x[:2]` times",
        "$2 × layers$",
        "one card",
        "Llama 2 7B",
        "a 70B model",
    ] {
        assert!(typed(&said(line)).is_empty(), "{line}");
    }
}

/// A term of the field: its section, and its forms, the one it is explained under first.
struct Term {
    section: String,
    forms: Vec<String>,
}

fn terms() -> Vec<Term> {
    let text = read("terms.txt");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let term = |line: &str| {
        let (section, forms) = line.split_once(": ").unwrap_or_else(|| panic!("not `section: term`: {line}"));
        Term { section: section.into(), forms: forms.split(", ").map(str::to_lowercase).collect() }
    };
    lines.map(term).collect()
}

/// The prose of a section as it is said, without headings: they announce, and the text beneath explains.
fn prose(section: &str) -> String {
    let text = without(&read(&format!("{section}.md")), "```", "```");
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.starts_with("<summary>"));
    lines.map(|line| said(line) + "\n").collect::<String>().to_lowercase()
}

/// Where a text uses a term, as whole words.
fn uses(text: &str, form: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    text.match_indices(form).map(|(place, _)| place).find(|place| {
        let (before, behind) = text.split_at(*place);
        let behind = behind.strip_prefix(form).unwrap_or_default();
        !before.ends_with(is_part) && !behind.starts_with(is_part)
    })
}

/// What is set in emphasis, in a text whose strong words are left out.
fn emphasised(text: &str) -> Vec<String> {
    without(text, "**", "**").split('*').skip(1).step_by(2).map(str::to_owned).collect()
}

/// What is set in emphasis and is no term: names of controls, and words that are leant on.
const LEANT_ON: [&str; 8] = ["sequence length", "training", "m", "v", "train", "hold the weights", "values", "tight"];

#[test]
fn every_term_is_explained_once_and_used_by_no_section_before() {
    let terms = terms();
    assert!(terms.len() >= 50, "{}", terms.len());
    let texts: Vec<(&str, String)> = SECTIONS.iter().map(|id| (*id, prose(id))).collect();
    let mut faults = Vec::new();
    for term in &terms {
        let name = term.forms.first().unwrap();
        let explained: Vec<&str> = texts
            .iter()
            .flat_map(|(id, text)| emphasised(text).into_iter().filter(|it| it == name).map(|_| *id))
            .collect();
        if explained != [term.section.as_str()] {
            faults.push(format!("{name} is explained in {explained:?}, and should be in {} alone", term.section));
        }
        // What is folded is not read by everybody: a term that is explained there is used nowhere else.
        let open =
            |id: &str| texts.iter().find(|(it, _)| *it == id).map(|(_, text)| without(text, "<details", "</details>"));
        if !open(&term.section).unwrap_or_default().contains(&format!("*{name}*")) {
            let users = SECTIONS
                .iter()
                .filter(|id| term.forms.iter().any(|form| uses(&open(id).unwrap_or_default(), form).is_some()));
            faults.extend(users.map(|id| format!("{id} uses {name}, which is explained where it may stay folded")));
        }
        for (id, text) in &texts {
            let own = *id == term.section;
            // In its own section it is used from where it is explained.
            let here = text.find(&format!("*{name}*")).filter(|_| own).unwrap_or(text.len());
            let before = text.get(..here).unwrap_or_default();
            for form in term.forms.iter().filter(|form| uses(before, form).is_some()) {
                faults.push(format!("{id} uses {form} before {} explains it", term.section));
            }
            if own {
                break;
            }
        }
    }
    let known: BTreeSet<&str> =
        terms.iter().filter_map(|term| Some(term.forms.first()?.as_str())).chain(LEANT_ON).collect();
    for (id, text) in &texts {
        let unknown = emphasised(text).into_iter().filter(|it| !known.contains(it.as_str()));
        faults.extend(unknown.map(|it| format!("{id}: {it} is set like a term and is not in terms.txt")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn words_are_found_whole() {
    assert_eq!(uses("a micro-batch of batches", "batch"), None);
    assert_eq!(uses("a batch", "batch"), Some(2));
    assert_eq!(uses("(mla)", "mla"), Some(1));
    assert_eq!(emphasised("**Fewer.** *Latent attention* and *more*"), ["Latent attention", "more"]);
}
