//! Every published config is read from a plan as the engine reads it, and what is kept of it is enough.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that fails may panic")]

use std::fs;

use memory_wall_core::config::Config;
use memory_wall_plan::answers::Spending;
use memory_wall_plan::reply::{Reply, Unanswered};
use memory_wall_plan::{OwnModel, Plan, Value, file};

#[test]
fn a_model_is_what_the_engine_reads_and_less_text_says_the_same() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tests/configs");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut read = 0;
    for path in files.filter(|path| path.extension().is_some_and(|end| end == "json")) {
        let text = fs::read_to_string(&path).unwrap();
        let config: Config = serde_json::from_str(&text).unwrap();
        let Ok(architecture) = config.architecture() else { continue };
        let own = OwnModel::read(&text).unwrap();
        assert_eq!((own.architecture(), own.stored()), (architecture, config.stored_weights()), "{}", path.display());
        assert_eq!(Some(own.family()), config.language_family());
        let kept = own.to_string();
        assert!(kept.len() <= text.len() && kept.len() < 1_100, "{}: {kept}", path.display());
        assert_eq!(OwnModel::read(&kept).unwrap(), own, "{}", path.display());
        read += 1;
    }
    assert!(read > 100, "{read}");
}

#[test]
fn a_file_holds_a_model_or_the_path_of_one() {
    let text = r#"{ "version": 1, "name": "own", "config": { "model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4,
        "intermediate_size": 128, "vocab_size": 1000 }, "gpu": "h100-sxm" }"#;
    let plans = file::read(text).unwrap();
    assert_eq!(plans[0].own_model().unwrap().architecture().layers, 2);
    assert_eq!(file::read(&file::write(&plans)).unwrap(), plans);
    let scenario = plans[0].scenario().unwrap();
    assert_eq!((scenario.architecture.hidden_size, scenario.gpu.unwrap().id), (64, "h100-sxm"));
    assert!(Reply::of(&plans[0], Spending::default()).unwrap().verdict().unwrap().holds());
    let path = file::read(r#"{ "version": 1, "config": "somewhere/config.json" }"#).unwrap();
    assert_eq!(path[0].get("config"), Some(&Value::Path("somewhere/config.json".into())));
    assert_eq!(Reply::of(&path[0], Spending::default()), Err(Unanswered::NoModel));
}

#[test]
fn what_is_no_config_is_refused_with_the_reason() {
    for (text, why) in [
        ("{}", "model_type"),
        ("[]", "a map"),
        ("{ \"model_type\": \"llama\", \"num_hidden_layers\": 0 }", "has no"),
        ("{ \"model_type\": \"no-such-family\" }", "no-such-family"),
        ("{ \"model_type\": ", "line 1"),
    ] {
        let error = OwnModel::read(text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
    let error = file::read("{ \"version\": 1,\n \"config\": { \"model_type\": \"llama\" } }").unwrap_err();
    assert!(error.to_string().starts_with("line 2: config "), "{error}");
}

/// The options that contradict the others are named, and those that every plan has only where nothing else is to blame.
#[test]
fn culprits_are_what_helps_when_it_is_left_out() {
    let plan = |text: &str| -> Plan {
        file::read(&format!("{{ \"version\": 1, \"model\": \"llama-3.1-8b\", {text} }}")).unwrap()[0].clone()
    };
    for (text, expected) in [
        (r#""gpu": "h100-sxm", "tp": 7"#, vec!["tp"]),
        (r#""gpu": "rtx4090", "engine": "llamacpp", "weights": "q4_k", "ngl": 3, "fit": true"#, vec!["ngl", "fit"]),
        (r#""gpu": "h100-sxm", "engine": "sglang", "weights": "q4_k""#, vec!["weights"]),
        (r#""gpu": "t4", "engine": "trtllm""#, vec!["engine"]),
        (r#""gpu": "h100-sxm", "seq": 8192"#, vec![]),
    ] {
        assert_eq!(Reply::culprits(&plan(text)), expected, "{text}");
    }
}
