//! Input that cannot be used: exit code 2, nothing on standard output, and one line that says what is expected.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod common;

use common::{Run, program, run, run_on, scratch};

fn assert_refused(run: &Run, line: &str, what: &str) {
    assert_eq!(run.err, format!("memory-wall: {line}\n"), "{what}");
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{what}");
}

/// Each run, and the line it must end with.
fn all_refused(cases: &[(&str, &str)]) {
    for (line, message) in cases {
        assert_refused(&run(line), message, line);
    }
}

#[test]
fn commands() {
    all_refused(&[
        ("", "a command is missing: estimate, models, gpus or help"),
        ("estmate", "there is no command \"estmate\", did you mean estimate?; see memory-wall help"),
        ("frobnicate", "there is no command \"frobnicate\"; see memory-wall help"),
        ("--model llama-2-7b", "there is no command \"--model\"; see memory-wall help"),
        ("models extra", "models takes options only, not \"extra\"; see memory-wall help"),
        ("gpus --model t4", "gpus has no option \"--model\"; see memory-wall help"),
    ]);
}

#[test]
fn options() {
    all_refused(&[
        ("estimate", "a model is missing: --model ID (memory-wall models lists them) or --config FILE"),
        (
            "estimate --model llama-2-7b --config x.json",
            "--model and --config are both given: one of them names the model",
        ),
        ("estimate --model llama-2-7b --seq 1 --seq 2", "--seq is given twice"),
        ("estimate --model llama-2-7b --json --json", "--json is given twice"),
        ("estimate --model", "--model needs a value: an id that memory-wall models lists"),
        ("estimate --model --seq 5", "--model needs a value: an id that memory-wall models lists"),
        ("estimate --config", "--config needs a value: the path of a config.json, or - for standard input"),
        ("estimate --model llama-2-7b --batch", "--batch needs a value: a whole number of sequences"),
        ("estimate --model llama-2-7b --json=yes", "--json takes no value"),
        (
            "estimate --model llama-2-7b --batchsize 4",
            "estimate has no option \"--batchsize\", did you mean --batch?; see memory-wall help",
        ),
        (
            "estimate --model llama-2-7b --tpu x",
            "estimate has no option \"--tpu\", did you mean --gpu?; see memory-wall help",
        ),
        ("estimate llama-2-7b", "estimate takes options only, not \"llama-2-7b\"; see memory-wall help"),
    ]);
}

#[test]
fn names() {
    all_refused(&[
        (
            "estimate --model lama-2-7b",
            "--model \"lama-2-7b\" is not known, did you mean llama-2-7b or llama-2-70b?; memory-wall models lists all",
        ),
        (
            "estimate --model meta-llama/Llama-3.1-8B-Instruct",
            "--model \"meta-llama/Llama-3.1-8B-Instruct\" is not known, did you mean llama-3.1-8b?; memory-wall models lists all",
        ),
        ("estimate --model bert-base", "--model \"bert-base\" is not known; memory-wall models lists all"),
        ("estimate --model=", "--model \"\" is not known; memory-wall models lists all"),
        (
            "estimate --model llama-2-7b --gpu h100",
            "--gpu \"h100\" is not known, did you mean h100-sxm, h100-pcie or h100-nvl?; memory-wall gpus lists all",
        ),
        ("estimate --model llama-2-7b --gpu abacus", "--gpu \"abacus\" is not known; memory-wall gpus lists all"),
        (
            "estimate --model llama-2-7b --weights bf15",
            "--weights takes fp32, fp16, bf16, fp8, int8, int4, nf4, nf4-dq or mxfp4, not \"bf15\", did you mean bf16?",
        ),
        (
            "estimate --model llama-2-7b --weights tf32",
            "--weights takes fp32, fp16, bf16, fp8, int8, int4, nf4, nf4-dq or mxfp4, not \"tf32\"",
        ),
        ("estimate --model llama-2-7b --kv nf4", "--kv takes fp32, fp16, bf16, fp8, int8 or int4, not \"nf4\""),
        (
            "estimate --model llama-2-7b --mode train",
            "--mode takes inference or training, not \"train\", did you mean training?",
        ),
        (
            "estimate --model llama-2-7b --optimizer lion",
            "--optimizer takes adamw, adamw8bit, sgd-momentum or sgd, not \"lion\"",
        ),
        (
            "estimate --model llama-2-7b --checkpointing yes",
            "--checkpointing takes none, selective or full, not \"yes\"",
        ),
        ("estimate --model llama-2-7b --attention sdpa", "--attention takes flash or eager, not \"sdpa\""),
        ("estimate --model llama-2-7b --unit GB", "--unit takes gb or gib, not \"GB\", did you mean gb or gib?"),
        (
            "estimate --model llama-2-7b --mode training --weights int4",
            "--mode training: weights int4 cannot be trained: training every parameter needs fp32, fp16 or bf16 \
             (adapters on quantised weights are not modelled yet)",
        ),
    ]);
}

#[test]
fn numbers() {
    for value in ["1e99", "-1", "+1", "NaN", "inf", "1.5", "0x10", "128,000", "_1", "1_", "1__0", "", " 7", "٣", "one"]
    {
        let result: Run =
            program().args(["estimate", "--model", "llama-2-7b", "--seq", value]).output().unwrap().into();
        let line = format!(
            "--seq takes a whole number of tokens from 1 to 10,000,000, written as 10000000 or 10_000_000, not {value:?}"
        );
        assert_refused(&result, &line, value);
    }
    for value in ["0", "00", "10000001", "18446744073709551616", "999999999999999999999999999999"] {
        let line = format!("--seq {value} is outside 1 to 10,000,000 tokens");
        assert_refused(&run(&format!("estimate --model llama-2-7b --seq {value}")), &line, value);
    }
    all_refused(&[
        ("estimate --model llama-2-7b --batch 0", "--batch 0 is outside 1 to 1,000,000 sequences"),
        (
            "estimate --model llama-2-7b --batch -1",
            "--batch takes a whole number of sequences from 1 to 1,000,000, written as 1000000 or 1_000_000, not \"-1\"",
        ),
    ]);
    for value in ["128000", "128_000", "1_2_8_0_0_0", "0128000"] {
        assert!(
            run(&format!("estimate --model llama-2-7b --seq={value}")).out.contains("seq_length 128,000,"),
            "{value}"
        );
    }
}

#[test]
fn a_long_value_is_not_repeated_in_full() {
    let result = run(&format!("estimate --model {}", "x".repeat(100_000)));
    let line = format!("--model \"{}...\" is not known; memory-wall models lists all", "x".repeat(60));
    assert_refused(&result, &line, "long");
}

#[cfg(unix)]
#[test]
fn words_that_are_not_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let odd = OsStr::from_bytes(b"\xff");
    for (words, line) in [
        (
            [OsStr::new("estimate"), OsStr::new("--model"), odd],
            "--model \"\u{fffd}\" is not known; memory-wall models lists all",
        ),
        ([OsStr::new("estimate"), OsStr::new("--config"), odd], "--config \"\u{fffd}\" does not exist"),
        ([OsStr::new("estimate"), odd, odd], "estimate takes options only, not \"\u{fffd}\"; see memory-wall help"),
    ] {
        let result: Run = program().args(words).output().unwrap().into();
        assert_refused(&result, line, line);
    }
}

#[test]
fn config_files() {
    all_refused(&[
        ("estimate --config missing.json", "--config \"missing.json\" does not exist"),
        ("estimate --config .", "--config \".\" is a directory, not a config.json"),
    ]);
    let large = scratch("large.json", &vec![b' '; (1 << 20) + 1]);
    let path = large.to_str().unwrap();
    assert_refused(
        &run(&format!("estimate --config {path}")),
        &format!("--config {} is larger than 1 MiB, which no config.json is", quoted(path)),
        "large",
    );
    #[cfg(unix)]
    assert_refused(
        &run("estimate --config /dev/zero"),
        "--config \"/dev/zero\" is larger than 1 MiB, which no config.json is",
        "endless",
    );
}

/// As the program quotes: at most sixty letters.
fn quoted(words: &str) -> String {
    let start: String = words.chars().take(60).collect();
    if start == words { format!("{words:?}") } else { format!("{:?}", format!("{start}...")) }
}

#[test]
fn config_contents() {
    let nested = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let spaces = " ".repeat((1 << 20) + 1);
    let family = "m".repeat(1_000);
    for (content, line) in [
        (&b""[..], "cannot be read as a JSON object: EOF while parsing a value at line 1 column 0"),
        (b"{", "cannot be read as a JSON object: EOF while parsing an object at line 1 column 1"),
        (b"model_type: llama", "cannot be read as a JSON object: expected value at line 1 column 1"),
        (b"[1]", "cannot be read as a JSON object: invalid type: sequence, expected a map at line 1 column 0"),
        (b"{\"hidden_size\": NaN}", "cannot be read as a JSON object: expected value at line 1 column 17"),
        (b"{\"a\": \"\xff\"}", "is not UTF-8 text, from byte 7 on"),
        (nested.as_bytes(), "cannot be read as a JSON object: recursion limit exceeded at line 1 column 132"),
        (spaces.as_bytes(), "is larger than 1 MiB, which no config.json is"),
    ] {
        assert_refused(&run_on("estimate --config -", content), &format!("--config \"-\" {line}"), line);
    }
    for (content, line) in [
        ("{}", "the config has no model_type, so its family is not known"),
        (
            "{\"model_type\":\"mamba\",\"hidden_size\":4096,\"vocab_size\":50280}",
            "model_type \"mamba\" is not supported; supported are llama, mistral, qwen2, gpt2; understood of its fields, but not used: hidden_size, vocab_size",
        ),
        ("{\"model_type\":\"llama\"}", "the config has no num_hidden_layers"),
        (
            "{\"model_type\":\"llama\",\"num_hidden_layers\":99999999999999999999999999999999}",
            "num_hidden_layers in the config is a number that is not whole and positive, not a whole number",
        ),
    ] {
        assert_refused(&run_on("estimate --config -", content.as_bytes()), &format!("--config \"-\": {line}"), line);
    }
    let odd = run_on("estimate --config -", format!("{{\"model_type\":\"{family}\"}}").as_bytes());
    assert_eq!((odd.code, odd.err.lines().count()), (2, 1));
    assert!(odd.err.len() < 900);
}
