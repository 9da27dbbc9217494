//! Options from a plan file, under those of the command line.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use memory_wall_core::Mode;
use memory_wall_plan::file::{self, FileError};
use memory_wall_plan::{ALIASES, Plan, Scope, Value};

use crate::options::{Given, table};
use crate::text::quote;
use crate::{BadInput, config_file, suggest, values};

/// Adds what the plan of `--plan` says to the options that were given, as far as these leave it open; the name of the plan, if there is one.
pub(crate) fn fill(command: &'static str, given: &mut Given) -> Result<Option<String>, BadInput> {
    let Some(path) = given.raw("--plan").map(OsStr::to_owned) else {
        return match given.raw("--plan-name") {
            Some(_) => Err(BadInput::new("--plan-name needs --plan FILE, which has the plan")),
            None => Ok(None),
        };
    };
    let plans = read(&path)?;
    let plan = named(given, &path, &plans)?;
    add(command, given, &path, plan)?;
    Ok(Some(plan.name.clone()))
}

/// What a plan says, as the options of a command.
pub(crate) fn options(command: &'static str, path: &OsStr, plan: &Plan) -> Result<Given, BadInput> {
    let mut given = Given::default();
    add(command, &mut given, path, plan)?;
    Ok(given)
}

/// Adds what a plan says to the options that were given.
fn add(command: &'static str, given: &mut Given, path: &OsStr, plan: &Plan) -> Result<(), BadInput> {
    let options = table::of(command);
    // A plan that serves may say how it would be trained: of what it says that changes nothing.
    let serves = match values::choice(given, "--mode", Mode::ALL, Mode::id)? {
        Some(typed) => typed == Mode::Inference,
        None => plan.get("mode").is_none_or(|mode| *mode == Value::Word(Mode::Inference.id())),
    };
    let generates = plan.get("rl").is_some();
    for (option, value) in plan.said().filter(|(option, _)| !(serves && option.scope == Scope::Rollout)) {
        let flag = option.flag();
        // Of a model and a config one is meant, and of two words for the same the one that was typed.
        let other = match option.name {
            "model" => given.has("--config"),
            "config" => given.has("--model"),
            name => {
                ALIASES.iter().any(|(alias, of, _)| *of == name && given.has(&format!("--{}", alias.replace('_', "-"))))
            }
        };
        match options.iter().find(|known| known.name == flag) {
            Some(known) if !other => given.add(known.name, typed(value, path)),
            None if option.scope == Scope::Rollout && !generates => {}
            None if option.scope == Scope::Rollout => {
                return Err(BadInput(format!(
                    "--plan {}: {} is an option of estimate, compare and export, and {command} knows no training that generates",
                    quote(&path.to_string_lossy()),
                    option.name
                )));
            }
            None if option.scope.is_of_runtime() => {
                return Err(BadInput(format!(
                    "--plan {}: {} is an option of estimate and solve, and {command} takes a runtime as it is by itself",
                    quote(&path.to_string_lossy()),
                    option.name
                )));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The plans of a file.
pub(crate) fn read(path: &OsStr) -> Result<Vec<Plan>, BadInput> {
    let refused = |why: String| BadInput::new(format!("--plan {}{why}", quote(&path.to_string_lossy())));
    let (_, text) = config_file::text(path, "plan").map_err(|why| refused(format!(" {why}")))?;
    file::read(&text).map_err(|error| refused(format!(": {error}{}", meant(&error))))
}

/// What an unknown name may have been meant as.
fn meant(error: &FileError) -> String {
    match error {
        FileError::Unknown { key, .. } => suggest::did_you_mean(&suggest::nearest(key, file::names())),
        _ => String::new(),
    }
}

/// The one that is meant.
fn named<'a>(given: &Given, path: &OsStr, plans: &'a [Plan]) -> Result<&'a Plan, BadInput> {
    let names = || plans.iter().map(|plan| quote(&plan.name)).collect::<Vec<_>>().join(", ");
    match (given.text("--plan-name"), plans) {
        (Some(name), _) => plans
            .iter()
            .find(|plan| plan.name == name)
            .ok_or_else(|| BadInput::new(format!("--plan-name {}: the file has the plans {}", quote(&name), names()))),
        (None, [plan]) => Ok(plan),
        (None, _) => Err(BadInput::new(format!(
            "--plan {} has {} plans, {}: --plan-name says which one",
            quote(&path.to_string_lossy()),
            plans.len(),
            names()
        ))),
    }
}

/// A value as it is typed; the path of a file lies where the plan does.
fn typed(value: &Value, plan: &OsStr) -> OsString {
    match value {
        Value::Path(path) if path != "-" => {
            Path::new(plan).parent().unwrap_or(Path::new("")).join(path).into_os_string()
        }
        value => value.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;
    use memory_wall_core::display::Grouped;
    use memory_wall_core::tables::models;
    use memory_wall_core::{Checkpointing, Implementation, Recipe, Scenario};
    use memory_wall_plan::{Kind, OPTIONS};

    /// What a plan says and what the command says are the same: names, kinds and ranges.
    #[test]
    fn the_table_says_what_the_command_says() {
        // How an answer is printed, where a plan is, and the file of a draft are no part of one.
        const OF_THE_COMMAND: [&str; 5] = ["--plan", "--plan-name", "--draft-config", "--unit", "--json"];
        let known = table::of("estimate");
        for option in OPTIONS {
            let flag = option.flag();
            let found = known.iter().find(|known| known.name == flag).unwrap_or_else(|| panic!("{flag}"));
            assert_eq!(found.value.is_none(), matches!(option.kind, Kind::Switch), "{flag}");
        }
        for option in &known {
            let name = option.name.trim_start_matches('-').replace('-', "_");
            let said =
                OPTIONS.iter().any(|option| option.name == name) || ALIASES.iter().any(|(alias, ..)| *alias == name);
            assert_eq!(said, !OF_THE_COMMAND.contains(&option.name), "{name}");
        }
    }

    #[test]
    fn ranges_are_the_same() {
        for option in OPTIONS {
            let (Kind::Count(bounds) | Kind::Percent(bounds)) = option.kind else { continue };
            let beyond = bounds.max.checked_add(1).unwrap().to_string();
            for (value, reads) in [(bounds.max.to_string() + percent(option.kind), true), (beyond, false)] {
                let words = ["--model".into(), "gpt2-xl".into(), option.flag().into(), value.clone().into()];
                let read = Request::read(&Given::read("estimate", &words).unwrap(), None);
                assert_eq!(read.is_ok(), reads, "{} {value}", option.name);
                if let Err(error) = read {
                    assert!(error.0.contains(&Grouped(bounds.max.into()).to_string()), "{}", error.0);
                }
            }
        }
    }

    /// What goes without saying is the same in a plan as on the command line, in every mode and code.
    #[test]
    fn a_plan_is_read_as_the_scenario_that_it_was_made_of() {
        let model = models::by_id("gpt2-xl").unwrap();
        let codes = Mode::ALL.iter().flat_map(|mode| Implementation::ALL.iter().map(move |code| (*mode, *code)));
        for (mode, code) in codes {
            for (checkpointing, recipe) in [
                (Checkpointing::None, Recipe::Mixed),
                (Checkpointing::Full, Recipe::Mixed),
                (Checkpointing::None, Recipe::MixedFp32Gradients),
                (Checkpointing::None, Recipe::Autocast),
            ] {
                let mut scenario = Scenario::new(model.architecture);
                (scenario.mode, scenario.weights) = (mode, mode.nearest(scenario.weights));
                scenario.checkpointing = checkpointing;
                (scenario.training.implementation, scenario.training.recipe) = (code, recipe);
                let plan = Plan::of(&scenario, "", Some(model.id));
                let mut words = Vec::new();
                for (option, value) in plan.said() {
                    words.push(OsString::from(option.flag()));
                    words.extend((*value != Value::On).then(|| typed(value, OsStr::new("-"))));
                }
                let request = Request::read(&Given::read("estimate", &words).unwrap(), None).unwrap();
                let read = request.settings();
                assert_eq!((read.mode, read.weights), (mode, scenario.weights));
                if mode.trains() {
                    assert_eq!(plan.scenario(), Some(scenario));
                    assert_eq!(read.checkpointing, checkpointing, "{} {words:?}", mode.id());
                    assert_eq!(read.training.recipe, recipe, "{} {words:?}", mode.id());
                }
            }
        }
    }

    fn percent(kind: Kind) -> &'static str {
        if matches!(kind, Kind::Percent(_)) { "%" } else { "" }
    }
}
