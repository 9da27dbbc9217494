//! GPUs in a sentence: `8xH100`, `two L40 GPUs (48G)`, `4 80G A100`, `A100 80Gx4`.

use alloc::string::String;
use alloc::vec::Vec;

use super::Mention;
use super::machine::Words;
use super::words::{
    ARTICLES, BEFORE_COUNTS, COUNTS, NOT_CARDS, NUMBERS, OTHER_MEMORY, SERIES, SILENT, STRONG, WEAK, has,
};
use crate::what::What;

/// The most GPUs that a person counts.
const MOST_GPUS: u64 = 1_024;

/// A run of letters and digits, in small letters.
pub(super) struct Token {
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

/// The runs of letters and digits of a text; `8xH100`, `RTX3090` and `80Gx4` are two.
pub(super) fn tokens(text: &[u8]) -> Vec<Token> {
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
        let (mut rest, mut pieces) = (word.as_slice(), 0);
        while !rest.is_empty() {
            // "4xV100x32G" is three; a name in capitals may be longer than any of them.
            let cut = if pieces < 2 { first_piece(rest) } else { rest.len() };
            let (piece, behind) = rest.split_at_checked(cut).unwrap_or((rest, &[]));
            let text = core::str::from_utf8(piece).unwrap_or_default().into();
            tokens.push(Token { at, end: at + piece.len(), text });
            (rest, at, pieces) = (behind, at + piece.len(), pieces + 1);
        }
    }
    tokens
}

/// Bytes of what stands first in a word: the number in `8xh100`, the series in `rtx3090`, the name in `v100x32g`.
fn first_piece(word: &[u8]) -> usize {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match word.get(digits..) {
        Some([b'x', _, ..]) if digits > 0 => digits + 1,
        _ if word.starts_with(b"rtx") || word.starts_with(b"gtx") => 3,
        // "80gx4"
        Some([b'g', b'x', ..]) if digits > 0 => digits + 1,
        _ if digits == 0 => {
            let times = |part: &[u8]| matches!(part, [before, b'x', behind] if before.is_ascii_digit() && behind.is_ascii_digit());
            word.windows(3).position(times).map_or(word.len(), |at| at + 1)
        }
        _ => word.len(),
    }
}

/// Whether a word is the number of a card, with what may stand behind it: `3090`, `3090s`, `3080ti`, `9070xt`.
fn card(word: &str) -> Option<(&str, &str)> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = word.split_at_checked(digits)?;
    ((3..=4).contains(&digits) && matches!(rest, "" | "s" | "d" | "ti" | "tis" | "xt" | "xtx" | "xts" | "super")).then(
        || {
            let suffix = match rest {
                "ti" | "tis" => " Ti",
                "xt" | "xts" => " XT",
                "xtx" => " XTX",
                "super" => " SUPER",
                "d" => " D",
                _ => "",
            };
            (number, suffix)
        },
    )
}

/// A size of memory: `80gb`, `24g`.
fn gigabytes(word: &str) -> Option<u64> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = word.split_at_checked(digits)?;
    number.parse().ok().filter(|_| (1..=3).contains(&digits) && matches!(unit, "g" | "gb" | "gib"))
}

/// The GPUs that a text names.
pub(super) fn gpus(words: &Words<'_>, found: &mut Vec<Mention>) {
    let (text, tokens) = (words.text, &words.tokens);
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let byte = |at: usize| text.get(at).copied().unwrap_or(b' ');
    let between = |left: usize, right: usize| {
        let (from, to) = (tokens.get(left).map_or(0, |it| it.end), tokens.get(right).map_or(0, |it| it.at));
        text.get(from..to).unwrap_or_default()
    };
    let mut next = 0;
    while let Some(token) = tokens.get(next) {
        let first = next;
        next += 1;
        // Makers and series in front.
        let (mut series, mut at) = ("", first);
        while has(SERIES, word(at)) && at < first + 4 {
            series = word(at);
            at += 1;
        }
        // "RTX PRO 6000", "Arc Pro B60"
        let pro = word(at) == "pro" && matches!(series, "rtx" | "arc");
        at += usize::from(pro);
        let named = word(at);
        // "H100s" are several, and an L40S is no L40.
        let many =
            named.strip_suffix('s').filter(|plain| !has(STRONG, named) && (has(STRONG, plain) || has(WEAK, plain)));
        let plain = many.unwrap_or(named);
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
        } else if has(STRONG, plain) || has(WEAK, plain) {
            let amd = plain.starts_with("mi") || plain.starts_with("gfx");
            let maker = if amd { "AMD " } else { "NVIDIA " };
            name = [
                maker,
                if plain.len() == 5 && plain.ends_with("000") { "RTX " } else { "" },
                &if plain.starts_with("gfx") { plain.into() } else { plain.to_ascii_uppercase() },
            ]
            .concat();
            weak = has(WEAK, plain) && series.is_empty();
        } else if let Some((number, suffix)) = card(plain) {
            // An "8060S" is part of a processor.
            let short = number.len() < 4 && series != "gtx"
                || matches!(series, "amd" | "radeon" | "rx") && plain.ends_with('s');
            if short || series.is_empty() && !has(NUMBERS, number) || matches!(series, "intel" | "apple" | "tesla") {
                continue;
            }
            let series = match series {
                // There is no GTX of these series.
                "gtx" if number < "2000" || number.len() < 4 => "GTX ",
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
                silent if has(SILENT, silent) => "",
                // "an A100 with 40GB memory"
                "with" if size == 0 => {
                    let apart = [word(end + 2), word(end + 3)].concat();
                    let whole = gigabytes(word(end + 2)).map(|size| (size, end + 2));
                    let whole = whole.or_else(|| Some((gigabytes(&apart)?, end + 3)));
                    let center = has(STRONG, plain) || has(WEAK, plain);
                    let own = |size: u64, behind: &str| behind == "vram" || behind == "memory" && center && size < 193;
                    let Some((gigabytes, to)) = whole.filter(|(size, to)| own(*size, word(to + 1))) else { break };
                    (size, end, weak) = (gigabytes, to, false);
                    continue;
                }
                _ => {
                    // "80GB", "80 GB", "(24 G)", with nothing behind it that makes it another memory.
                    let joined = [part, word(end + 2)].concat();
                    let own = part.strip_prefix('x').unwrap_or(part);
                    let whole = gigabytes(own).map(|size| (size, end + 1));
                    let Some((gigabytes, to)) = whole
                        .or_else(|| Some((gigabytes(&joined).filter(|_| between(end + 1, end + 2) == b" ")?, end + 2)))
                    else {
                        break;
                    };
                    if size > 0
                        || has(OTHER_MEMORY, word(to + 1)) && !matches!(between(to, to + 1), b")" | b") " | b"), ")
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
            } else if matches!(part, "pro" | "max" | "ultra") {
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
            let times = ["x", "gpus", "gpu"].iter().find_map(|unit| number.strip_suffix(unit)?.parse().ok());
            let bare = number.parse().ok().filter(|_| {
                let x = near.iter().any(|byte| matches!(byte, b'*') || !byte.is_ascii());
                // "8 3090 GPUs", "8 RTX3090s", "used: 2 T4"
                let plural = matches!(word(end + 1), "gpus" | "cards")
                    || many.is_some()
                    || series == "rtx" && named.ends_with('s');
                let apart = at > 0 && between(at - 1, at).iter().any(|byte| b":(,`".contains(byte));
                let said = near == b" " && (at == 0 || plural || apart || has(BEFORE_COUNTS, word(at - 1)));
                (x || said) && at.checked_sub(1).is_none_or(|before| !between(before, at).ends_with(b"."))
            });
            let x = (number == "x").then(|| at.checked_sub(1).and_then(|at| word(at).parse().ok())).flatten();
            let spelled =
                COUNTS.iter().find(|(spelled, _)| *spelled == number && near == b" ").map(|(_, count)| *count);
            if let Some(number) = times.or(bare).or(x).or(spelled).filter(|count| (1..=MOST_GPUS).contains(count)) {
                (count, weak) = (number, false);
            } else if has(ARTICLES, number) && near == b" " {
                // "a context of 4090 tokens"
                weak &=
                    card(plain).is_some() && (matches!(number, "of" | "with" | "the") || has(NOT_CARDS, word(end + 1)));
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
        // A number alone is no card, and "L4" may be one.
        if !weak || has(WEAK, plain) {
            if size > 0 {
                name = alloc::format!("{name} {size}GB");
            }
            found.push(Mention { gigabytes: size, count, weak, ..Mention::name(What::Gpu, token.at, name, core) });
        }
        next = end + 1;
    }
}
