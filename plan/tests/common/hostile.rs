//! What is asked of any text, by fuzzers and by tests: an answer in words, and plans that every program is written for or refused by.

use memory_wall_plan::export::{Target, export};
use memory_wall_plan::import::{Meaning, import};
use memory_wall_plan::{Plan, by_name, file};

/// Reads a text as a plan file and as a command or a config file of another program.
pub(crate) fn read(text: &str) {
    if let Ok(plans) = file::read(text) {
        plans.iter().for_each(written);
    }
    let Ok(read) = import(text) else { return };
    for setting in &read.settings {
        let said = setting.to_string();
        assert!(said.chars().count() < 600 && !said.chars().any(char::is_control), "{said}");
        if let Meaning::Says(options, _) = &setting.meaning {
            assert!(options.iter().all(|(option, _)| by_name(option).is_some()), "{said}");
        }
    }
    written(&read.plan);
}

/// A plan is read back as it is written, and no program gets more than one command or a line that is neither a setting nor a comment.
fn written(plan: &Plan) {
    let text = file::write(std::slice::from_ref(plan));
    assert_eq!(file::read(&text).as_deref().map(<[Plan]>::first), Ok(Some(plan)), "{text}");
    for target in Target::ALL {
        let Ok(export) = export(plan, *target) else { continue };
        assert!(!export.text.chars().any(|c| c.is_control() && c != '\n'), "{}", export.text);
        let code = export.text.lines().filter(|line| !line.starts_with('#'));
        assert!(code.clone().all(|line| !line.trim().is_empty()) && code.count() < 60, "{}", export.text);
    }
}
