//! What the plans can be taken away as: files and text that others read.

use memory_wall_core::display::THIN_SPACE;
use memory_wall_plan::export::Target;
use memory_wall_plan::{OwnModel, Plan, Value, file};

use crate::link::{self, Asked};

/// One way to write plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// What `memory-wall --plan` reads.
    Json,
    /// The command for each plan.
    Command,
    /// The table of all figures for a spreadsheet.
    Csv,
    /// The same for a page of text.
    Markdown,
    /// One plan as another program takes it.
    Of(Target),
}

impl Format {
    /// Every way to write all plans.
    pub(crate) const OWN: [Self; 4] = [Self::Json, Self::Command, Self::Csv, Self::Markdown];

    /// Every way.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::OWN.into_iter().chain(Target::EACH.into_iter().map(Self::Of))
    }

    /// The short name.
    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Command => "command",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
            Self::Of(target) => target.id(),
        }
    }

    /// The name of a file with it.
    pub(crate) const fn file(self) -> &'static str {
        match self {
            Self::Json => "plans.json",
            Self::Command => "plans.sh",
            Self::Csv => "plans.csv",
            Self::Markdown => "plans.md",
            Self::Of(target) => target.file(),
        }
    }

    /// The plans or the tables of them written so; nothing of what another program takes, which `exchange/` writes.
    pub(crate) fn write(self, plans: &[Asked], tables: impl FnOnce() -> Vec<Vec<Vec<String>>>) -> Option<String> {
        Some(match self {
            Self::Json => file::write(&plans.iter().map(|asked| asked.plan.clone()).collect::<Vec<_>>()),
            Self::Command => plans.iter().map(command).collect(),
            Self::Csv => joined(&tables(), "\r\n", |rows| rows.iter().map(|row| csv(row)).collect()),
            Self::Markdown => joined(&tables(), "\n", markdown),
            Self::Of(_) => return None,
        })
    }
}

/// The command that says the same, behind its plan's name.
fn command(asked: &Asked) -> String {
    let mut text = String::new();
    if !asked.plan.name.is_empty() {
        text.extend(["# ", &asked.plan.name, "\n"]);
    }
    text += "memory-wall estimate";
    for (option, value) in asked.plan.said() {
        text.push(' ');
        text += &option.flag();
        match value {
            Value::On => {}
            // As a shell takes it as one word.
            Value::Own(model) => text.extend([" '", &model.to_string().replace('\'', "'\\''"), "'"]),
            value => text.extend([" ", &value.to_string()]),
        }
    }
    text + "\n"
}

/// Tables behind one another, with an empty line between them.
fn joined(tables: &[Vec<Vec<String>>], line: &str, write: impl Fn(&[Vec<String>]) -> String) -> String {
    tables.iter().map(|rows| write(rows)).collect::<Vec<_>>().join(line)
}

/// A row as RFC 4180 has it. A cell that a spreadsheet would take for a formula is text.
fn csv(row: &[String]) -> String {
    let cell = |text: &String| {
        let text = text.replace(THIN_SPACE, " ");
        let text = if text.starts_with(['=', '+', '-', '@', '\t']) { format!("'{text}") } else { text };
        format!("\"{}\"", text.replace('"', "\"\""))
    };
    row.iter().map(cell).collect::<Vec<_>>().join(",") + "\r\n"
}

fn markdown(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| {
        let cells = row.iter().map(|text| text.replace(THIN_SPACE, " ").replace('\\', "\\\\").replace('|', "\\|"));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        text += &line(row);
        if at == 0 {
            text += &line(&row.iter().enumerate().map(|(at, _)| if at == 0 { "---" } else { "---:" }.into()).collect());
        }
    }
    text
}

/// Why no plan was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It is meant as a plan and has a mistake, in words.
    Mistake(String),
    /// It is none of the planner's own forms: a command or a config of another program may be, which `exchange/` reads.
    Foreign,
}

/// Reads plans that were handed over: a file of plans, a link of this page, or the config of a model.
pub(crate) fn read(text: &str) -> Result<Vec<Asked>, Unread> {
    let text = text.trim();
    let query = text.split_once('?').map_or(text, |(_, query)| query);
    if query.starts_with("v=") {
        return Ok(link::read(query.split('#').next().unwrap_or(query)).0);
    }
    let fault = match file::read(text) {
        Ok(plans) => return Ok(plans.into_iter().map(bare).collect()),
        Err(fault) => fault,
    };
    match OwnModel::read(text) {
        // The config of a model is a model.
        Ok(model) => {
            let mut described = Plan::new(model.family());
            described.set("config", Value::Own(model));
            Ok(vec![bare(described)])
        }
        // A plan with a mistake is still meant as a plan.
        Err(_) if text.contains("\"version\"") => Err(Unread::Mistake(fault.to_string())),
        Err(_) => Err(Unread::Foreign),
    }
}

/// A plan beside which nothing is asked.
fn bare(plan: Plan) -> Asked {
    Asked { plan, ..Asked::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn tables() -> Vec<Vec<Vec<String>>> {
        let of = |rows: &[[&str; 2]]| rows.iter().map(|row| row.map(String::from).to_vec()).collect();
        vec![of(&[["Plan", "a | b"], ["TTFT", "1\u{202f}ms"], ["Spare", "=1+1"]]), of(&[["GPU", "$"]])]
    }

    fn written(format: Format, plans: &[Asked]) -> String {
        format.write(plans, tables).unwrap()
    }

    #[test]
    fn plans_are_written_as_others_read_them() {
        let plans = Board::default().asked();
        let json = written(Format::Json, &plans);
        let read = file::read(&json).unwrap();
        assert!(read.iter().eq(plans.iter().map(|asked| &asked.plan)));
        let command = written(Format::Command, &plans[1..2]);
        assert_eq!(
            command,
            "# fp8\nmemory-wall estimate --model llama-3.3-70b --mode inference --batch 32 --seq 8192 --weights fp8 --kv bf16 --engine vllm --gpu h100-sxm --tp 2\n"
        );
        assert_eq!(
            written(Format::Csv, &[]),
            "\"Plan\",\"a | b\"\r\n\"TTFT\",\"1 ms\"\r\n\"Spare\",\"'=1+1\"\r\n\r\n\"GPU\",\"$\"\r\n"
        );
        assert_eq!(
            written(Format::Markdown, &[]),
            "| Plan | a \\| b |\n| --- | ---: |\n| TTFT | 1 ms |\n| Spare | =1+1 |\n\n| GPU | $ |\n| --- | ---: |\n"
        );
    }

    #[test]
    fn a_config_is_a_model_and_comes_back() {
        let config = include_str!("../../core/tests/configs/qwen2.5-7b.json");
        let brought = super::read(config).unwrap();
        assert_eq!((brought.len(), brought[0].plan.name.as_str()), (1, "qwen2"));
        assert_eq!(brought[0].plan.scenario().unwrap().architecture.layers, 28);
        for text in [written(Format::Json, &brought), format!("?{}", link::write(&brought))] {
            assert_eq!(super::read(&text).unwrap(), brought, "{text}");
        }
        let command = written(Format::Command, &brought);
        assert!(command.contains(" --config '{\"") && command.ends_with("}'\n"), "{command}");
    }

    #[test]
    fn what_was_written_is_taken_back() {
        let plans = Board::default().asked();
        let names = |plans: &[Asked]| plans.iter().map(|asked| asked.plan.clone()).collect::<Vec<_>>();
        let json = written(Format::Json, &plans);
        assert_eq!(names(&super::read(&json).unwrap()), names(&plans));
        let link = format!("https://example.org/plan.html?{}", link::write(&plans));
        assert_eq!(super::read(&link).unwrap(), plans);
        let Err(Unread::Mistake(why)) = super::read("{\n \"version\": 1,\n \"seq\": 0 }") else {
            panic!("it has a mistake")
        };
        assert!(why.starts_with("line 3: seq"), "{why}");
        for foreign in
            ["hello", "vllm serve meta-llama/Llama-3.1-8B -tp 2", "{ \"zero_optimization\": { \"stage\": 3 } }"]
        {
            assert_eq!(super::read(foreign), Err(Unread::Foreign), "{foreign}");
        }
    }
}
