//! Settings in one line: `--key value`, `--key=value`, `key=value`, `'key': value`, `key: value`, in whatever a program prints them.

use crate::name;
use crate::report::Value;
use crate::what::What;

/// A setting's names, with underscores, and what it is.
pub(crate) type Key = (&'static str, What);

/// Reads the settings of a text whose names are known, at the depth of brackets at which the first of them stands.
///
/// How a server guesses ahead stands in brackets of its own: only the method, its tokens and the draft model's name are taken from there.
pub(crate) fn read(text: &[u8], keys: &[Key], mut each: impl FnMut(What, Value, usize)) {
    read_from(text, keys, None, &mut each);
}

/// The same, of a text within the settings of a draft model that began at a depth.
fn read_from(text: &[u8], keys: &[Key], mut draft: Option<i32>, each: &mut dyn FnMut(What, Value, usize)) {
    let mut tokens = Tokens { text, at: 0 };
    let mut depth = 0_i32;
    let mut home = None;
    let within = draft.is_some();
    // A name whose value is to come, with its place.
    let mut open: Option<(What, bool, usize)> = None;
    let mut last: Option<(&[u8], usize)> = None;
    while let Some((token, at)) = tokens.next() {
        match token {
            // The value of Rust's `Some(4096)`, or of Python's `PosixPath('model')`, is what stands in it.
            Token::Open if last.is_some_and(|(word, _)| wraps(word)) => depth += 1,
            Token::Open => {
                open = None;
                if draft.is_none() && last.is_some_and(|(word, _)| is_draft(word)) {
                    draft = Some(depth);
                }
                depth += 1;
            }
            Token::Close => {
                depth -= 1;
                if draft.is_some_and(|outside| depth <= outside) {
                    draft = None;
                }
                (open, last) = (None, None);
            }
            Token::Separator => {
                open = last
                    .and_then(|(word, _)| key(word, keys))
                    .filter(|_| home.is_none_or(|home| home == depth) || draft.is_some())
                    .map(|what| (what, false, at));
                if open.is_some() && home.is_none() && draft.is_none() {
                    home = Some(depth);
                }
            }
            Token::Comma => {
                (open, last) = (None, None);
            }
            Token::Word(word) if open.is_some() && wraps(word) => last = Some((word, at)),
            Token::Word(word) => {
                // `--speculative-config '{"method": "mtp"}'`
                if !within && word.first() == Some(&b'{') && last.is_some_and(|(word, _)| is_draft(word)) {
                    read_from(word, keys, Some(0), &mut |what, value, inside| each(what, value, at + inside));
                }
                let switch = word.starts_with(b"-") && word.get(1).is_some_and(|byte| !byte.is_ascii_digit());
                last = Some((word, at));
                match open.take() {
                    // A switch that another one follows is on.
                    Some((what, true, place)) if switch && what.is_switch() => each(what, Value::Flag(true), place),
                    Some((_, true, _)) if switch => {}
                    Some((what, dashed, place)) => {
                        let what = match (what, draft) {
                            (What::Model, Some(_)) => What::DraftModel,
                            (What::Speculation | What::SpeculativeTokens, Some(_)) | (_, None) => what,
                            (_, Some(_)) => continue,
                        };
                        // Other settings have a method too.
                        if what == What::Speculation && draft.is_none() {
                            continue;
                        }
                        match name::value(what, word) {
                            Some(value) => each(what, value, at),
                            None if dashed && what.is_switch() => each(what, Value::Flag(true), place),
                            None => {}
                        }
                        continue;
                    }
                    None => {}
                }
                if switch && home.is_none_or(|home| home == depth) {
                    let off =
                        word.strip_prefix(b"--no-").and_then(|word| key(word, keys)).filter(|what| what.is_switch());
                    if let Some(what) = off {
                        each(what, Value::Flag(false), at);
                        home = home.or(Some(depth));
                        continue;
                    }
                    open = key(word, keys).map(|what| (what, true, at));
                    home = home.or(open.map(|_| depth));
                }
            }
        }
        if let (Some((what, true, place)), true) = (open, tokens.is_done())
            && what.is_switch()
        {
            each(what, Value::Flag(true), place);
        }
    }
}

/// Whether the value of a setting stands in brackets behind this word.
fn wraps(word: &[u8]) -> bool {
    matches!(word, b"Some" | b"PosixPath" | b"WindowsPath")
}

fn is_draft(word: &[u8]) -> bool {
    let ends = |with: &[u8]| word.len() >= with.len() && word.get(word.len() - with.len()..) == Some(with);
    ends(b"speculative_config") || ends(b"speculative-config") || ends(b"SpeculativeConfig")
}

/// The setting of a name, whether with dashes or underscores.
fn key(word: &[u8], keys: &[Key]) -> Option<What> {
    let short = word.first() == Some(&b'-') && word.get(1) != Some(&b'-');
    let word = if short { word } else { word.strip_prefix(b"--").unwrap_or(word) };
    let same = |name: &str| {
        name.len() == word.len()
            && name.bytes().zip(word).all(|(known, here)| known == *here || known == b'_' && *here == b'-')
    };
    keys.iter().find(|(name, _)| same(name)).map(|(_, what)| *what)
}

enum Token<'a> {
    Word(&'a [u8]),
    Open,
    Close,
    Separator,
    Comma,
}

struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Whether nothing but space is left.
    fn is_done(&self) -> bool {
        self.rest().iter().all(u8::is_ascii_whitespace)
    }

    fn next(&mut self) -> Option<(Token<'a>, usize)> {
        loop {
            let rest = self.rest();
            let (first, behind) = rest.split_first()?;
            let at = self.at;
            self.at += 1;
            match first {
                // Line ends and quotes of a text that was itself quoted.
                b'\\' if matches!(behind.first(), Some(b'n' | b't')) => self.at += 1,
                byte if byte.is_ascii_whitespace() || *byte == b'\\' => {}
                b'{' | b'(' | b'[' => return Some((Token::Open, at)),
                b'}' | b')' | b']' => return Some((Token::Close, at)),
                b',' | b';' => return Some((Token::Comma, at)),
                b'=' => return Some((Token::Separator, at)),
                b':' if behind
                    .first()
                    .is_none_or(|next| next.is_ascii_whitespace() || matches!(next, b'"' | b'\'' | b'[' | b'{')) =>
                {
                    return Some((Token::Separator, at));
                }
                quote @ (b'"' | b'\'') => {
                    let length = behind.iter().take(512).take_while(|byte| *byte != quote).count();
                    let closed = behind.get(length) == Some(quote);
                    if closed {
                        self.at += length + 1;
                        let word = behind.get(..length).unwrap_or_default();
                        return Some((Token::Word(word.strip_suffix(b"\\").unwrap_or(word)), at + 1));
                    }
                }
                _ => {
                    // A shell's `${HOME}/zero3.json` is one word.
                    let shell = rest.starts_with(b"${");
                    let ends = |byte: &u8| {
                        byte.is_ascii_whitespace()
                            || b"()[],;='\"".contains(byte)
                            || !shell && matches!(byte, b'{' | b'}')
                    };
                    let mut length = rest.iter().take_while(|byte| !ends(byte)).count().max(1);
                    let word = rest.get(..length).unwrap_or_default();
                    // `key: value`: the colon is none of the name.
                    if word.len() > 1 && word.last() == Some(&b':') {
                        length -= 1;
                    }
                    self.at = at + length;
                    return Some((Token::Word(rest.get(..length).unwrap_or_default()), at));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    const KEYS: &[Key] = &[
        ("model", What::Model),
        ("max_model_len", What::MaxModelLen),
        ("enforce_eager", What::EnforceEager),
        ("dtype", What::Dtype),
        ("gpu_memory_utilization", What::Utilization),
        ("-c", What::Context),
        ("-fa", What::FlashAttention),
    ];

    fn found(text: &str) -> String {
        let mut found = Vec::new();
        read(text.as_bytes(), KEYS, |what, value, _| {
            let value = match value {
                Value::Name(name) => name.into(),
                Value::Count(count) => format!("{count}"),
                Value::Millionths(value) => format!("{value}"),
                other => format!("{other:?}"),
            };
            found.push(format!("{}={value}", what.id()));
        });
        found.join(" ")
    }

    #[test]
    fn every_way_to_write_a_setting_is_read() {
        let all = "model=Llama-3.1-8B max_model_len=4096 enforce_eager=Flag(true)";
        for text in [
            "vllm serve --model meta-llama/Llama-3.1-8B --max-model-len 4096 --enforce-eager",
            "--model=meta-llama/Llama-3.1-8B --max-model-len=4096 --enforce-eager --port 8000",
            "{'model': 'meta-llama/Llama-3.1-8B', 'max_model_len': 4096, 'enforce_eager': True}",
            "config: model='meta-llama/Llama-3.1-8B', max_model_len=4096, x={'model': 'no'}, enforce_eager=True, y=3",
            "{\\\"model\\\": \\\"meta-llama/Llama-3.1-8B\\\", \\\"max_model_len\\\": 4096, \\\"enforce_eager\\\": true}",
            "Args { model: \"meta-llama/Llama-3.1-8B\", max_model_len: Some( 4096, ), enforce_eager: true }",
        ] {
            assert_eq!(found(text), all, "{text}");
        }
    }

    #[test]
    fn draft_models_are_told_from_models() {
        assert_eq!(
            found(
                "{'model': 'a/Big-70B', 'speculative_config': {'model': 'b/Small-1B', 'max_model_len': 7}, 'dtype': 'half'}"
            ),
            "model=Big-70B draft_model=Small-1B dtype=half"
        );
        assert_eq!(
            found(
                "model='a/Big-70B', speculative_config=SpeculativeConfig(method='mtp', model='b/Small-1B'), dtype=torch.float16"
            ),
            "model=Big-70B draft_model=Small-1B dtype=float16"
        );
    }

    #[test]
    fn short_options_are_read_as_they_are() {
        assert_eq!(found("llama-server -m x.gguf -c 8192 -fa -ngl 99"), "context=8192 flash_attention=Flag(true)");
        assert_eq!(found("llama-server -c -1 -fa on"), "flash_attention=Flag(true)");
        assert_eq!(found("llama-server -fa"), "flash_attention=Flag(true)");
    }

    #[test]
    fn anything_else_is_nothing() {
        for text in [
            "",
            "model",
            "model=",
            "--model",
            "'model': '",
            "{{{{",
            "}}}}",
            "model=~/alice",
            "max_model_len=auto",
            "=: ,",
        ] {
            assert_eq!(found(text), "", "{text}");
        }
    }
}
