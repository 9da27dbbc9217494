//! The GPU and the model in a person's own sentences: `OOM with Qwen3-8B on 2x A100 80GB`. Nothing but these names is kept.
//!
//! A text may name several, of which nobody says which one the run used: then none is taken. A sentence about what is needed, what works
//! or what somebody else has names none either, and what a program says counts more than all of it.

use alloc::string::String;
use alloc::vec::Vec;

use super::State;
use crate::line::Line;
use crate::name;
use crate::report::{Device, Fact, Value};
use crate::scan;
use crate::what::What;

/// Bytes of a line that a person writes, and lines of one text that are looked at.
const LONGEST_LINE: usize = 1 << 10;
const MOST_LINES: u16 = 400;
/// The most GPUs that a person counts.
const MOST_GPUS: u64 = 1_024;

/// Words by which a sentence is not about the run itself.
const HEDGES: [&str; 34] = [
    "recommend",
    "minimum",
    "require",
    "support",
    "instead",
    "works",
    "worked",
    " than ",
    " vs",
    "without",
    "should",
    "could",
    "would",
    "buy ",
    "e.g.",
    "such as",
    "like ",
    "other",
    "tested",
    "compare",
    "upgrade",
    "need",
    "hours",
    "fine on",
    "fine with",
    "successful",
    "can run",
    "able to",
    "previous",
    "benchmark",
    "author",
    "default",
    "laptop",
    "mobile",
];

/// GPUs by the names that say enough, and those that say it only beside a number of them, a memory or a maker.
const STRONG: [&str; 24] = [
    "h100", "h200", "h800", "a100", "a800", "v100", "b200", "b300", "gb200", "gb300", "l40s", "l40", "a10g", "a6000",
    "mi210", "mi250", "mi250x", "mi300x", "mi300a", "mi308x", "mi325x", "mi350x", "mi355x", "gb10",
];
const WEAK: [&str; 20] = [
    "h20", "l4", "t4", "l20", "a10", "a30", "a40", "p40", "p100", "a5000", "a4000", "mi50", "mi60", "mi100", "m1",
    "m2", "m3", "m4", "m5", "a4500",
];
/// Numbers by which people call cards of these series without the series.
const NUMBERS: [&str; 14] =
    ["2080", "3060", "3070", "3080", "3090", "4060", "4070", "4080", "4090", "5060", "5070", "5080", "5090", "1080"];
/// Words in front of a name that is no part of another word's number.
const ARTICLES: [&str; 14] =
    ["a", "an", "the", "my", "our", "on", "single", "one", "with", "using", "gpu", "gpus", "of", "have"];
const COUNTS: [(&str, u64); 10] = [
    ("one", 1),
    ("single", 1),
    ("two", 2),
    ("dual", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
];

/// Families whose names are models where the count of parameters stands in them.
const FAMILIES: [&str; 32] = [
    "qwen",
    "qwq",
    "llama",
    "meta-llama",
    "codellama",
    "tinyllama",
    "mistral",
    "mixtral",
    "ministral",
    "codestral",
    "gemma",
    "phi",
    "deepseek",
    "glm",
    "chatglm",
    "gpt-oss",
    "yi",
    "falcon",
    "internlm",
    "internvl",
    "baichuan",
    "minicpm",
    "smollm",
    "granite",
    "olmo",
    "kimi",
    "minimax",
    "nemotron",
    "vicuna",
    "galactica",
    "bloom",
    "opt",
];
/// Makers of models on the hub: behind them a name needs no count of parameters.
const MAKERS: [&str; 22] = [
    "qwen",
    "meta-llama",
    "mistralai",
    "google",
    "deepseek-ai",
    "microsoft",
    "openai",
    "thudm",
    "zai-org",
    "lmsys",
    "tiiuae",
    "unsloth",
    "huggingfacetb",
    "moonshotai",
    "minimaxai",
    "nvidia",
    "ibm-granite",
    "allenai",
    "internlm",
    "opengvlab",
    "facebook",
    "01-ai",
];

/// How a model may be stored, as names of models have it.
const FORMATS: [&str; 10] = ["FP8", "NVFP4", "MXFP4", "AWQ", "GPTQ", "INT4", "INT8", "Q4_K_M", "Q5_K_M", "Q8_0"];

/// The texts by which lines with such names are found, beside the first line of each text.
pub(super) const MARKS: [&str; 78] = [
    "H100",
    "H200",
    "H800",
    "H20 ",
    "A100",
    "A800",
    "V100",
    "B200",
    "B300",
    "L40S",
    "L40 ",
    "L4 G",
    "A10G",
    "A6000",
    "RTX ",
    "RTX2",
    "RTX3",
    "RTX4",
    "RTX5",
    "RTX-",
    "GTX ",
    "MI21",
    "MI25",
    "MI30",
    "MI32",
    "MI35",
    "3090",
    "4090",
    "5090",
    "4080",
    "3080",
    "2080",
    "3060",
    "4060",
    "4070",
    "3070",
    "5080",
    "5070",
    "Arc ",
    "Radeon ",
    "Tesla ",
    "NVIDIA ",
    "Nvidia ",
    "nvidia ",
    "h100",
    "h200",
    "a100",
    "Apple M",
    "M1 M",
    "M2 U",
    "M3 M",
    "M3 U",
    "M4 M",
    "8xH1",
    "8xH2",
    "8xA1",
    "4xA1",
    "4xH1",
    "2xA1",
    "2xH1",
    "Qwen",
    "qwen",
    "Llama-",
    "Llama ",
    "llama-",
    "Mistral",
    "mistral",
    "Mixtral",
    "gemma-",
    "DeepSeek",
    "deepseek-",
    "Phi-",
    "GLM-",
    "gpt-oss",
    "granite-",
    "vicuna-",
    "galactica",
    "falcon-",
];

/// What a person names in a text.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) source: u16,
    pub(super) fact: Fact,
    pub(super) count: u64,
    /// What two names of one thing have in common, and the memory of a GPU where it is said.
    core: String,
    gigabytes: u64,
    /// Whether it was only named where it may be another's.
    hedged: bool,
    several: bool,
}

impl Said {
    /// Whether it is the only one that the text names, and the run's.
    pub(super) const fn is_one(&self) -> bool {
        !self.hedged && !self.several
    }
}

/// A name in a sentence.
struct Mention {
    at: usize,
    name: String,
    core: String,
    gigabytes: u64,
    count: u64,
}

impl State {
    /// Keeps what a sentence names.
    pub(super) fn sentence(&mut self, line: &Line) {
        let text = &line.text;
        let heading = text.starts_with(b"##") || text.starts_with(b"#") && line.number() == 1;
        let comment =
            text.trim_ascii_start().first() == Some(&b'#') || scan::has_any(text, &["==", "\", line ", "://", "//"]);
        if text.len() > LONGEST_LINE || comment && !heading || self.sentences.1 >= MOST_LINES {
            return;
        }
        // Each line once, whatever marks it has.
        if self.sentences.0 == line.number() {
            return;
        }
        self.sentences = (line.number(), self.sentences.1 + 1);
        let small = text.to_ascii_lowercase();
        let hedged = scan::has_any(&small, &HEDGES);
        for gpu in gpus(text) {
            self.said(What::Gpu, gpu, line, hedged);
        }
        for model in models(text) {
            self.said(What::Model, model, line, hedged);
        }
    }

    fn said(&mut self, what: What, mention: Mention, line: &Line, hedged: bool) {
        let Some(value) = name::value(what, mention.name.as_bytes()) else { return };
        let Mention { at, core, gigabytes, count, .. } = mention;
        let fact = Fact { place: line.place(at), device: Device::Unsaid, what, value };
        let source = self.source;
        let Some(known) = self.said.iter_mut().find(|known| known.source == source && known.fact.what == what) else {
            self.said.push(Said { source, fact, count, core, gigabytes, hedged, several: false });
            return;
        };
        let (short, long) = if core.len() < known.core.len() { (&core, &known.core) } else { (&known.core, &core) };
        let alike = if what == What::Gpu { short == long } else { long.starts_with(short.as_str()) };
        let sized = gigabytes > 0 && known.gigabytes > 0 && gigabytes != known.gigabytes;
        if !alike || sized {
            known.several = true;
            return;
        }
        let longer = name_length(&fact) > name_length(&known.fact);
        let fuller = gigabytes > known.gigabytes || core.len() > known.core.len() || core == known.core && longer;
        if fuller && (!hedged || known.hedged) || known.hedged && !hedged {
            (known.fact, known.core, known.gigabytes) = (fact, core, gigabytes);
        }
        known.count = known.count.max(if hedged { 1 } else { count });
        known.hedged &= hedged;
    }
}

fn name_length(fact: &Fact) -> usize {
    if let Value::Name(name) = &fact.value { name.len() } else { 0 }
}

/// A run of letters and digits, in small letters.
struct Token {
    at: usize,
    end: usize,
    text: String,
}

/// The runs of letters and digits of a text; `8xH100`, `RTX3090` and `80Gx4` are two.
fn tokens(text: &[u8]) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if length == 0 {
            at += 1;
            continue;
        }
        let word = rest.get(..length).unwrap_or_default().to_ascii_lowercase();
        let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let cut = match word.get(digits..) {
            Some([b'x', _, ..]) if digits > 0 => digits + 1,
            _ if word.starts_with(b"rtx") || word.starts_with(b"gtx") => 3,
            // "80gx4"
            Some([b'g', b'x', ..]) if digits > 0 => digits + 1,
            _ => length,
        };
        for (from, to) in [(0, cut.min(length)), (cut.min(length), length)] {
            if let Some(piece) = word.get(from..to).filter(|piece| !piece.is_empty()) {
                let text = core::str::from_utf8(piece).unwrap_or_default().into();
                tokens.push(Token { at: at + from, end: at + to, text });
            }
        }
        at += length;
    }
    tokens
}

/// Whether a word is the number of a card, with what may stand behind it: `3090`, `3090s`, `3080ti`, `9070xt`.
fn card(word: &str) -> Option<(&str, &str)> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = word.split_at_checked(digits)?;
    ((3..=4).contains(&digits) && matches!(rest, "" | "s" | "ti" | "tis" | "xt" | "xtx" | "xts" | "super")).then(|| {
        let suffix = match rest {
            "ti" | "tis" => " Ti",
            "xt" | "xts" => " XT",
            "xtx" => " XTX",
            "super" => " SUPER",
            _ => "",
        };
        (number, suffix)
    })
}

/// A size of memory: `80gb`, `24g`.
fn gigabytes(word: &str) -> Option<u64> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = word.split_at_checked(digits)?;
    number.parse().ok().filter(|_| (1..=3).contains(&digits) && matches!(unit, "g" | "gb" | "gib"))
}

/// The GPUs that a text names.
fn gpus(text: &[u8]) -> Vec<Mention> {
    let tokens = tokens(text);
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let byte = |at: usize| text.get(at).copied().unwrap_or(b' ');
    let between = |left: usize, right: usize| {
        let (from, to) = (tokens.get(left).map_or(0, |it| it.end), tokens.get(right).map_or(0, |it| it.at));
        text.get(from..to).unwrap_or_default()
    };
    let mut found = Vec::new();
    let mut next = 0;
    while let Some(token) = tokens.get(next) {
        let first = next;
        next += 1;
        // Makers and series in front.
        let (mut series, mut at) = ("", first);
        while matches!(
            word(at),
            "nvidia"
                | "geforce"
                | "rtx"
                | "gtx"
                | "tesla"
                | "quadro"
                | "amd"
                | "radeon"
                | "rx"
                | "instinct"
                | "intel"
                | "arc"
                | "apple"
        ) && at < first + 4
        {
            series = word(at);
            at += 1;
        }
        // "RTX PRO 6000", "Arc Pro B60"
        let pro = word(at) == "pro" && matches!(series, "rtx" | "arc");
        at += usize::from(pro);
        let named = word(at);
        let plain =
            named.strip_suffix('s').filter(|plain| STRONG.contains(plain) || WEAK.contains(plain)).unwrap_or(named);
        let Some(last) = tokens.get(at) else { break };
        let (mut name, mut weak): (String, bool);
        if series == "arc" {
            let letter = plain.starts_with(['a', 'b'])
                && plain.len() < 5
                && plain.bytes().skip(1).all(|byte| byte.is_ascii_digit());
            if !letter || plain.len() < 3 {
                continue;
            }
            name = ["Intel Arc ", if pro { "Pro " } else { "" }, &plain.to_ascii_uppercase()].concat();
            weak = false;
        } else if STRONG.contains(&plain) || WEAK.contains(&plain) {
            let apple = plain.len() == 2 && plain.starts_with('m');
            let maker = if apple {
                "Apple "
            } else if plain.starts_with("mi") {
                "AMD "
            } else {
                "NVIDIA "
            };
            name = [
                maker,
                if plain.len() == 5 && plain.ends_with("000") { "RTX " } else { "" },
                &plain.to_ascii_uppercase(),
            ]
            .concat();
            let size = ["pro", "max", "ultra"].contains(&word(at + 1));
            weak = WEAK.contains(&plain) && series.is_empty() && !(apple && size);
            if apple && series != "apple" && !size {
                continue;
            }
        } else if let Some((number, suffix)) = card(plain) {
            if series.is_empty() && !NUMBERS.contains(&number) || matches!(series, "intel" | "apple" | "tesla") {
                continue;
            }
            let series = match series {
                "gtx" => "GTX ",
                "amd" | "radeon" | "rx" => "AMD RX ",
                "quadro" => "Quadro RTX ",
                _ if number == "1080" => "GTX ",
                _ => "RTX ",
            };
            name = [series, if pro { "PRO " } else { "" }, number, suffix].concat();
            weak = first == at;
        } else {
            continue;
        }
        // Names of files, hosts and versions have them too.
        let (before, after) = (byte(token.at.wrapping_sub(1)), byte(last.end));
        if token.at > 0 && (b"_/.\\=@-".contains(&before) || before.is_ascii_digit() && series.is_empty())
            || matches!(after, b'_' | b'/' | b'\\')
        {
            next = at + 1;
            continue;
        }
        let mut end = at;
        let mut core = name.clone();
        let mut size = 0;
        let mut count = 1;
        loop {
            let part = word(end + 1);
            let near = between(end, end + 1);
            // The name may be set in bold: "**H100** (80 GB)".
            let joined = near.len() < 6 && near.iter().all(|byte| b" -(,*`".contains(byte));
            if !joined || part.is_empty() {
                break;
            }
            let comma = near.contains(&b',');
            let suffix = match part {
                "ti" => " Ti",
                "super" => " SUPER",
                "xt" => " XT",
                "xtx" => " XTX",
                "pro" => " Pro",
                "max" => " Max",
                "ultra" => " Ultra",
                "ada" => " Ada",
                "pcie" => " PCIe",
                "nvl" => " NVL",
                "sxm" | "sxm2" | "sxm4" | "sxm5" => " SXM",
                "hbm2" | "hbm2e" | "hbm3" | "hbm3e" | "blackwell" | "generation" | "workstation" | "edition"
                | "gpu" | "gpus" | "cards" | "graphics" => "",
                _ => {
                    // "80GB", "80 GB", "(24 G)", with nothing behind it that makes it another memory.
                    let joined = [part, word(end + 2)].concat();
                    let whole = gigabytes(part).map(|size| (size, end + 1));
                    let Some((gigabytes, to)) = whole
                        .or_else(|| Some((gigabytes(&joined).filter(|_| between(end + 1, end + 2) == b" ")?, end + 2)))
                    else {
                        break;
                    };
                    let other = [
                        "ram", "total", "used", "free", "system", "host", "in", "of", "memory", "cpu", "ddr4", "ddr5",
                        "unified",
                    ];
                    if size > 0
                        || other.contains(&word(to + 1)) && !matches!(between(to, to + 1), b")" | b") " | b"), ")
                    {
                        break;
                    }
                    size = gigabytes;
                    end = to;
                    weak = false;
                    continue;
                }
            };
            if comma {
                break;
            }
            if suffix.is_empty() {
                weak = false;
            } else if matches!(part, "pro" | "max" | "ultra") && !name.starts_with("Apple") {
                break;
            }
            name += suffix;
            if !matches!(part, "pcie" | "nvl") && !suffix.starts_with(" SXM") {
                core += suffix;
            }
            end += 1;
        }
        // "A100-07" is a host.
        if byte(tokens.get(end).map_or(0, |token| token.end)) == b'-'
            && !between(end, end + 1).contains(&b' ')
            && !word(end + 1).is_empty()
        {
            next = end + 1;
            continue;
        }
        // How many, in front and behind; the memory may stand in front too: "4 80G A100".
        let mut front = first;
        if size == 0
            && front > 0
            && let Some(gigabytes) = gigabytes(word(front - 1))
            && between(front - 1, front) == b" "
        {
            (size, front, weak) = (gigabytes, front - 1, false);
        }
        let counted = front.checked_sub(1).map(|at| (at, word(at), between(at, front)));
        if let Some((at, number, near)) = counted {
            let times =
                number.strip_suffix('x').filter(|digits| !digits.is_empty()).and_then(|digits| digits.parse().ok());
            let bare = number.parse().ok().filter(|_| {
                let x = near.iter().any(|byte| matches!(byte, b'*') || !byte.is_ascii());
                let said = near == b" "
                    && (at == 0
                        || ["on", "with", "using", "have", "has", "of", "gpu", "gpus", "by"].contains(&word(at - 1)));
                (x || said) && at.checked_sub(1).is_none_or(|before| !between(before, at).ends_with(b"."))
            });
            let x = (number == "x").then(|| at.checked_sub(1).and_then(|at| word(at).parse().ok())).flatten();
            let spelled =
                COUNTS.iter().find(|(spelled, _)| *spelled == number && near == b" ").map(|(_, count)| *count);
            if let Some(number) = times.or(bare).or(x).or(spelled).filter(|count| (1..=MOST_GPUS).contains(count)) {
                (count, weak) = (number, false);
            } else if ARTICLES.contains(&number) && near == b" " {
                weak = false;
            }
        }
        let behind = word(end + 1);
        let digits = behind
            .strip_prefix('x')
            .and_then(|digits| if digits.is_empty() { word(end + 2).parse().ok() } else { digits.parse().ok() });
        let star = (between(end, end + 1).trim_ascii() == b"*").then(|| behind.parse().ok()).flatten();
        if let Some(number) = digits.or(star).filter(|count| (2..=MOST_GPUS).contains(count)) {
            (count, weak) = (count.max(number), false);
        }
        if !weak {
            if size > 0 {
                name = alloc::format!("{name} {size}GB");
            }
            found.push(Mention { at: token.at, name, core, gigabytes: size, count });
        }
        next = end + 1;
    }
    found
}

/// The models that a text names: by their makers' ids, or by a family with a count of parameters.
fn models(text: &[u8]) -> Vec<Mention> {
    let mut found = Vec::new();
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._/-".contains(byte);
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| part(byte)).count();
        if length == 0 {
            at += 1;
            continue;
        }
        let start = at;
        at += length;
        let Some(whole) = rest.get(..length).and_then(|word| core::str::from_utf8(word).ok()) else { continue };
        let word = whole.trim_end_matches(['.', '-', '_']);
        let small = word.to_ascii_lowercase();
        let outside =
            |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b'$' | b'{' | b'~' | b'\\' | b'@' | b':'));
        if outside(start.checked_sub(1).and_then(|before| text.get(before))) || small.contains('_') {
            continue;
        }
        let file = [".py", ".sh", ".json", ".gguf", ".txt", ".yaml", ".yml", ".md", ".log", ".cpp"]
            .iter()
            .any(|end| small.ends_with(end));
        let (maker, name) = match small.split_once('/') {
            Some((maker, name)) => (Some(maker), name),
            None => (None, small.as_str()),
        };
        let digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
        if file || name.contains('/') || maker.is_some_and(|maker| !MAKERS.contains(&maker)) {
            continue;
        }
        let family = FAMILIES.iter().any(|family| {
            name.strip_prefix(family).is_some_and(|rest| {
                rest.is_empty()
                    || rest.starts_with(|first: char| first == '-' || first == '.' || first.is_ascii_digit())
            })
        });
        let mut shown = String::from(word.rsplit('/').next().unwrap_or(word));
        let sized = name.split('-').any(parameters);
        if maker.is_some() && digit(name) || family && sized {
        } else if family && !name.ends_with('.') {
            // "Llama 3.1 70B", "qwen3 235b a22b"
            let mut behind = at;
            let mut many = false;
            for _ in 0..3 {
                let tail = text.get(behind..).unwrap_or_default();
                let Some(tail) = tail.strip_prefix(b" ") else { break };
                let length = tail.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.').count();
                let Some(next) = tail.get(..length).and_then(|word| core::str::from_utf8(word).ok()) else { break };
                let next = next.trim_end_matches('.');
                let small = next.to_ascii_lowercase();
                let version = !many
                    && next.len() < 4
                    && next.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                    && !next.is_empty();
                let experts = many && small.starts_with('a') && small.get(1..).is_some_and(parameters);
                if !(version || parameters(&small) || experts) {
                    break;
                }
                many |= parameters(&small);
                shown += "-";
                shown += next;
                behind += 1 + next.len();
            }
            if !many {
                continue;
            }
            at = behind.max(at);
        } else {
            continue;
        }
        let mut core = shown.to_ascii_lowercase();
        core.retain(|letter| letter != '-');
        // "DeepSeek-V3 FP8": how it is stored is a part of its name.
        let tail = text.get(at..).unwrap_or_default();
        let format = FORMATS.iter().find(|format| {
            let front = tail.get(1..=format.len()).unwrap_or_default();
            tail.first() == Some(&b' ')
                && front.eq_ignore_ascii_case(format.as_bytes())
                && !tail.get(1 + format.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        });
        if let Some(format) = format {
            shown += "-";
            shown += format;
        }
        found.push(Mention { at: start, name: shown, core, gigabytes: 0, count: 1 });
    }
    found
}

/// Whether a word is a count of parameters: `7b`, `1.5b`, `8x7b`.
fn parameters(word: &str) -> bool {
    word.strip_suffix('b').is_some_and(|number| {
        number.len() < 6
            && number.starts_with(|first: char| first.is_ascii_digit())
            && number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'x'))
    })
}
