//! `memory-wall export`: the options of a run as another program takes them.

use memory_wall_plan::export::{Export, Format, Target, export_of};
use memory_wall_plan::runtime::Runtime;
use memory_wall_plan::{ALIASES, OPTIONS, Plan, Value};

use crate::findings::Findings;
use crate::options::Given;
use crate::request::{Request, Source};
use crate::{Answer, BadInput, Exit, estimate, json, refusal, runtime, suggest, values};

/// What is asked for.
#[derive(Debug)]
pub(crate) struct Asked {
    target: Target,
    request: Request,
    /// What was said, on the command line or in a plan.
    said: Plan,
}

impl Asked {
    /// Reads the options; `name` is that of the plan that some of them come from.
    pub(crate) fn read(given: &Given, name: Option<String>) -> Result<Self, BadInput> {
        let target = values::choice(given, "--to", Target::ALL, Target::id)?;
        let ids: Vec<&str> = Target::ALL.iter().map(|target| target.id()).collect();
        let target =
            target.ok_or_else(|| BadInput(format!("a program is missing: --to takes {}", suggest::either(&ids))))?;
        let request = Request::read(given, None)?;
        let mut said = Plan::new(name.unwrap_or_default());
        match &request.source {
            Some(Source::Preset(model)) => said.set("model", Value::Word(model.id)),
            Some(Source::Config(path)) => said.set("config", Value::Path(path.to_string_lossy().into_owned())),
            None => {}
        }
        for option in OPTIONS {
            let alias = ALIASES.iter().find(|(_, of, _)| *of == option.name);
            let typed = given.has(&option.flag())
                || alias.is_some_and(|(alias, ..)| given.has(&format!("--{}", alias.replace('_', "-"))));
            let of_runtime = option.scope.is_of_runtime() || option.name == "engine";
            let own = if of_runtime { runtime::own(given, option)? } else { None };
            if let Some(value) = own.or_else(|| option.of(request.settings()).filter(|_| typed)) {
                said.set(option.name, value);
            }
        }
        Ok(Self { target, request, said })
    }
}

/// Writes the run for the program, and says whether it fits.
pub(crate) fn answer(asked: Asked) -> Result<Answer, BadInput> {
    let Asked { target, request, mut said } = asked;
    let (model, scenario) = estimate::asked(&request)?;
    // What goes without saying here, such as the format of a checkpoint, is said in the plan. A server with a pool has no engine in the scenario,
    // and its expert-parallel ranks are not counted there.
    let pool = matches!(request.runtime, Some(Runtime::Pool(..)));
    let elsewhere = |name| name == "engine" || pool && name == "ep";
    for option in OPTIONS {
        let (there, here) = (option.of(&said.scenario_of(model.architecture)), option.of(&scenario));
        if let Some(value) = here.filter(|here| !elsewhere(option.name) && there.as_ref() != Some(here)) {
            said.set(option.name, value);
        }
    }
    let export = export_of(&said, model.architecture, target)
        .map_err(|error| BadInput(format!("--to {}: {error}", target.id())))?;
    // By the program's own rules, whichever the options name.
    let there = target.runs(&said, &scenario).check().map_err(|error| refusal::of(&scenario, &error))?;
    let exit = match &request.runtime {
        // Its pool is what a GPU leaves.
        Some(Runtime::Pool(..)) if scenario.gpu.is_none() => Exit::Yes,
        Some(runtime) => runtime::answer(runtime, &request)?.exit,
        None => Exit::of(Findings::of(&there).evaluation.fit.map(|fit| fit.verdict)),
    };
    let mut notes = request.notes.clone();
    notes.extend(model.remarks(&request, &scenario));
    match exit {
        Exit::No => notes.push("this does not fit on the GPU: memory-wall estimate says why".into()),
        Exit::Queues => notes.push("some requests will wait: memory-wall estimate says how many".into()),
        Exit::Yes | Exit::Refused => {}
    }
    let output = if request.json {
        json::text(&json::export::Written::new(&export, &notes))?
    } else {
        notes.extend(uncommented(&export));
        export.text
    };
    let notes = if request.json { Vec::new() } else { notes };
    Ok(Answer { output, notes, exit })
}

/// What a file without comments cannot say itself.
fn uncommented(export: &Export) -> Vec<String> {
    if export.target.format() == Format::Json { export.notes().collect() } else { Vec::new() }
}
