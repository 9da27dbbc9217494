//! The state as a link: what was sent opens for ever, and what cannot be used is said.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

#[path = "common/hostile.rs"]
mod hostile;
#[path = "common/keys.rs"]
mod keys;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use memory_wall_app::state::State;
use memory_wall_app::state::dimensions::Dimension;
use memory_wall_app::state::query::{Decoded, LONGEST, decode, encode};
use memory_wall_core::WeightFormat;

use keys::{KEYS, choices};

/// Links and their shortest forms; the file says for how long.
const LINKS: &str = include_str!("golden/links.txt");

/// The rows of the golden file: a link and its shortest form.
fn links() -> impl Iterator<Item = (&'static str, &'static str)> {
    LINKS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let mut columns = line.split('\t');
        let (Some(link), Some(shortest), None) = (columns.next(), columns.next(), columns.next()) else {
            panic!("not two columns: {line}");
        };
        // Written as a hyphen, so that no line ends in white space.
        (link, if shortest == "-" { "" } else { shortest })
    })
}

fn notices(query: &str) -> Vec<String> {
    decode(query).notices
}

#[test]
fn links_of_version_1_open_for_ever() {
    for (link, shortest) in links() {
        let Decoded { state, notices } = decode(link);
        assert_eq!(notices, Vec::<String>::new(), "{link}");
        assert_eq!(encode(&state), shortest, "{link}");
        assert_eq!(decode(shortest), Decoded { state, notices: Vec::new() }, "{link}");
        assert!(shortest.is_empty() || shortest.starts_with("v=1&"), "{link}");
    }
}

#[test]
fn every_key_and_every_choice_has_a_link_that_is_kept() {
    let pairs: BTreeSet<&str> =
        links().filter(|(link, _)| link.starts_with("v=1")).flat_map(|(link, _)| link.split('&')).collect();
    let written: BTreeSet<&str> = links().flat_map(|(_, shortest)| shortest.split('&')).collect();
    for key in KEYS {
        assert!(written.iter().any(|pair| pair.starts_with(&format!("{key}="))), "no link writes {key}");
    }
    for (key, ids) in choices() {
        for id in ids {
            assert!(pairs.contains(format!("{key}={id}").as_str()), "no link has {key}={id}");
        }
    }
    for dimension in Dimension::ALL {
        assert!(KEYS.contains(&dimension.id()));
    }
    let everything = links().map(|(_, shortest)| shortest).max_by_key(|link| link.len()).unwrap();
    let order: Vec<&str> = everything.split('&').filter_map(|pair| Some(pair.split_once('=')?.0)).collect();
    assert_eq!(order, KEYS, "the longest link has every key, in the order of links");
}

#[test]
fn what_cannot_be_used_is_named_exactly() {
    for (query, notice) in [
        ("seq=-1", "seq: “-1” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq=0", "seq: “0” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq=1e99", "seq: “1e99” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq=NaN", "seq: “NaN” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq=Infinity", "seq: “Infinity” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq=2048.5", "seq: “2048.5” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq=", "seq: “” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq", "seq: “” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq=%2B5", "seq: “+5” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq=１２８", "seq: “１２８” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq=10000001", "seq: “10000001” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq=4294967297", "seq: “4294967297” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        (
            "seq=18446744073709551617",
            "seq: “18446744073709551617” is not a whole number from 1 to 10,000,000. Kept 2,048.",
        ),
        ("seq=%00", "seq: “” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("seq=%ff%fe", "seq: “\u{fffd}\u{fffd}” is not a whole number from 1 to 10,000,000. Kept 2,048."),
        ("batch=two", "batch: “two” is not a whole number from 1 to 1,000,000. Kept 1."),
        ("layers=1025", "layers: “1025” is not a whole number from 1 to 1,024. Kept 32."),
        ("model=gpt-99", "model: “gpt-99” is not known. Kept Llama 2 7B."),
        ("model=", "model: “” is not known. Kept Llama 2 7B."),
        // Of this model the page could not say how it trains.
        ("model=minimax-m3", "model: “minimax-m3” is not known. Kept Llama 2 7B."),
        ("gpu=h1000", "gpu: “h1000” is not known. Kept A100 SXM4 80GB."),
        ("weights=int3", "weights: “int3” is not known. Kept bf16."),
        ("unit=gigabytes", "unit: “gigabytes” is not known. Kept gb."),
        (
            "kv_heads=5",
            "The dimensions cannot be used: kv_heads 5 does not divide heads 32: every KV head serves the same number of \
             query heads. Kept those of Llama 2 7B.",
        ),
        ("v=2", "It says version 2; this page reads version 1 and took what it understood."),
        ("mode=training&weights=int4", "weights: int4 cannot be trained, so training uses bf16."),
        ("mode=qlora&weights=bf16", "weights: QLoRA cannot freeze bf16, so it uses nf4, double quantised."),
        ("mode=qlora&weights=fp8", "weights: QLoRA cannot freeze fp8, so it uses nf4, double quantised."),
        ("colour=red", "It has a part that is not known here: colour."),
        ("SEQ=4096", "It has a part that is not known here: SEQ."),
        ("colour=red&colour=blue", "It has a part that is not known here: colour."),
        ("seq=2048&seq=4096", "It names seq twice; the first is used."),
        ("seq=2048&seq=4096&seq=8192&seq=16384", "It names seq twice; the first is used."),
        ("seq=2048&v=1&seq=4096&gpu=t4&v=1&gpu=l4", "It names seq, v, gpu twice; the first is used."),
        (&"x".repeat(LONGEST + 1), "It is longer than 2,000 characters; the rest was not read."),
    ] {
        assert_eq!(notices(query), [notice], "{query}");
    }
}

#[test]
fn what_was_valid_is_kept() {
    let state =
        decode("v=2&seq=128000&batch=-1&colour=red&kv_heads=5&mode=training&weights=int4&gpu=h100-sxm&gpu=t4").state;
    assert_eq!(encode(&state), "v=1&mode=training&seq=128000&gpu=h100-sxm");
    assert_eq!((state.weights, state.weights_in_use()), (WeightFormat::Int4, WeightFormat::Bf16));
    // What QLoRA cannot freeze is not carried on in a link.
    assert_eq!(encode(&decode("mode=qlora&weights=fp8").state), "v=1&mode=qlora");
    // One dimension is wrong in itself: the others stand.
    assert_eq!(encode(&decode("layers=x&heads=16&kv_heads=8").state), "v=1&heads=16&kv_heads=8");
    // Together they cannot be: all of them go, and the model stays.
    assert_eq!(encode(&decode("model=gpt2-xl&layers=20&kv_heads=24").state), "v=1&model=gpt2-xl");
}

#[test]
fn adapters_without_a_matrix_go_back_to_all() {
    const LINK: &str = "?v=1&model=qwen3-next-80b-a3b&layers=36";
    for mode in ["lora", "qlora"] {
        for targets in ["qv", "attention"] {
            // The roofline's kernels ask the engine while the link is still being read.
            for rest in ["", "&kernels=fused"] {
                let link = format!("{LINK}&mode={mode}&targets={targets}{rest}");
                let decoded = decode(&link);
                let notice = format!(
                    "targets: no layer here has the matrices that {targets} names, so there is nothing to put adapters on. Kept all."
                );
                assert_eq!(decoded.notices, [notice], "{link}");
                assert_eq!(decoded.state.check().err(), None, "{link}");
                assert_eq!(decoded.state, decode(&format!("{LINK}&mode={mode}{rest}")).state, "{link}");
                hostile::decoded(&decoded);
            }
        }
    }
    // The targets wait for a mode that has adapters, and for layers that have the matrices.
    assert_eq!(notices(&format!("{LINK}&targets=qv")), Vec::<String>::new());
    assert_eq!(notices("model=qwen3-next-80b-a3b&layers=37&mode=lora&targets=qv"), Vec::<String>::new());
}

#[test]
fn links_are_read_as_people_pass_them_on() {
    let plain = decode("v=1&model=llama-3.1-8b&seq=32768&gpu=h100-sxm");
    for link in [
        "?v=1&amp;model=llama-3.1-8b&amp;seq=32768&amp;gpu=h100-sxm",
        "v=1&model=LLaMA-3.1-8B&seq=32,768&gpu=H100-SXM",
        "model=llama-3.1-8b%20&seq=32%C2%A0768&gpu=+h100-sxm+",
        "utm_source=mail&model=llama-3.1-8b&fbclid=x&seq=32_768&gpu=h100-sxm&gclid=1&=",
    ] {
        let Decoded { state, notices } = decode(link);
        assert_eq!(state, plain.state, "{link}");
        let allowed: &[String] =
            if link.ends_with("&=") { &["It has a part that is not known here: =.".into()] } else { &[] };
        assert_eq!(notices, allowed, "{link}");
    }
    // What may be a fraction is none.
    for seq in ["1,5", "1,50", "1234,567", "1,,000", ",128", "1,0000"] {
        assert_eq!(notices(&format!("seq={seq}")).len(), 1, "{seq}");
    }
    assert_eq!(notices("theme=purple"), ["theme: “purple” cannot be used here."]);
    assert_eq!(notices("rate=-1"), ["rate: “-1” is not a positive number up to 9,999,999. Left out."]);
    let five = notices("a&b&c&d");
    assert_eq!(five.last().map(String::as_str), Some("It has one more part that is not known here."));
}

#[test]
fn the_unknown_is_named_in_its_own_order_and_counted() {
    let unknown = |names: &[&str]| -> Vec<String> {
        names.iter().map(|name| format!("It has a part that is not known here: {name}.")).collect()
    };
    assert_eq!(notices("seq=1&one=1&batch=2&two=2&gpu=t4&three=3"), unknown(&["one", "two", "three"]));
    let many: Vec<String> = (0..300).map(|n| format!("k{n}")).collect();
    let mut expected = unknown(&["k0", "k1", "k2"]);
    expected.push("It has 297 more parts that are not known here.".into());
    assert_eq!(notices(&many.join("&")), expected);
}

#[test]
fn foreign_text_is_quoted_short_and_without_what_hides() {
    for hidden in
        ['\u{0}', '\u{7f}', '\u{9f}', '\u{61c}', '\u{200b}', '\u{200f}', '\u{2028}', '\u{202e}', '\u{2066}', '\u{feff}']
    {
        let value = format!("a{hidden}b");
        assert_eq!(notices(&format!("mode={value}")), ["mode: “ab” is not known. Kept inference."], "{hidden:?}");
        let escaped = value.bytes().map(|byte| format!("%{byte:02x}")).collect::<Vec<_>>().concat();
        assert_eq!(notices(&format!("mode={escaped}")), ["mode: “ab” is not known. Kept inference."], "{hidden:?}");
    }
    let w = "w".repeat(40);
    assert_eq!(notices(&format!("mode={w}")), [format!("mode: “{w}” is not known. Kept inference.")]);
    assert_eq!(notices(&format!("mode={w}w")), [format!("mode: “{w}…” is not known. Kept inference.")]);
    // Nothing that is seen was left out, so nothing says so.
    assert_eq!(notices(&format!("mode={w}\u{200b}")), [format!("mode: “{w}” is not known. Kept inference.")]);
}

#[test]
fn a_link_too_long_is_read_up_to_its_last_whole_part() {
    const LONG: &str = "It is longer than 2,000 characters; the rest was not read.";
    let padded = |length: usize, rest: &str| format!("gpu=t4&{}{rest}", "&".repeat(length - 7));
    // Just short enough.
    let whole = padded(LONGEST - 10, "seq=128000");
    assert_eq!(whole.len(), LONGEST);
    assert_eq!(decode(&whole), Decoded { state: decode("gpu=t4&seq=128000").state, notices: Vec::new() });
    assert_eq!(encode(&decode(&format!("{whole}&batch=2")).state), "v=1&seq=128000&gpu=t4");
    // Cut in two, it would say 128 and then nothing of the rest.
    for cut in 1..10 {
        let Decoded { state, notices } = decode(&padded(LONGEST - cut, "seq=128000"));
        assert_eq!((encode(&state).as_str(), notices), ("v=1&gpu=t4", vec![LONG.to_owned()]), "{cut}");
    }
}

#[test]
fn ten_megabytes_of_junk_take_no_time() {
    const MEGABYTES: usize = 10_000_000;
    for junk in ["x", "&", "=", "%", "%41", "seq=x&", "&k", "\u{202e}", "\u{10ffff}"] {
        let query = junk.repeat(MEGABYTES / junk.len());
        let start = Instant::now();
        let decoded = decode(&query);
        assert!(start.elapsed() < Duration::from_secs(1), "{junk}: {:?}", start.elapsed());
        hostile::decoded(&decoded);
        assert_eq!(decoded.state, State::default(), "{junk}");
    }
}

#[test]
fn the_longest_possible_list_of_notices_is_short() {
    let junk = KEYS.map(|key| format!("{key}=%00&")).concat();
    let twice = KEYS.map(|key| format!("{key}&")).concat();
    for query in [
        format!("{junk}{twice}a&b&c&d&e&{}", "seq=x&seq=y&".repeat(1_000)),
        format!("mode=training&weights=int4&kv_heads=5&{twice}{junk}{}", "zzz&yyy&xxx&www&vvv&".repeat(300)),
    ] {
        let decoded = decode(&query);
        hostile::decoded(&decoded);
        assert!(decoded.notices.len() > 15, "{:?}", decoded.notices);
    }
}

#[test]
fn what_is_of_a_figure_with_its_own_program_is_passed_over() {
    let decoded = decode("minute.arrivals=90&seq=4096&minute.at=30");
    assert_eq!(decoded.notices, Vec::<String>::new());
    assert_eq!(decoded.state.seq_length, 4_096);
    assert!(!decode("hour.arrivals=90").notices.is_empty());
}
