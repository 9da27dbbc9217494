//! What `memory-wall help` prints, at most 80 columns wide.

use crate::options::{clap, table};
use crate::text::{hanging, wrapped_to};

const WIDTH: usize = 80;
/// A space at which no line breaks.
const GLUE: &str = "\u{a0}";

/// One command.
struct About {
    name: &'static str,
    /// What is typed behind the program's name.
    usage: &'static str,
    /// What it does, in one sentence.
    line: &'static str,
    /// What else is to be known.
    more: &'static str,
}

const ABOUT: [About; 11] = [
    About {
        name: "estimate",
        usage: "estimate --model ID | --config FILE [options]",
        line: "What a run needs, part by part, and whether it fits.",
        more: "",
    },
    About {
        name: "solve",
        usage: "solve --for WHAT --model ID | --config FILE --gpu ID [options]",
        line: "How much at most, or how little at least.",
        more: "It shows the answer, and that one step further does not fit.",
    },
    About {
        name: "advise",
        usage: "advise --model ID | --config FILE [--gpu ID] [options]",
        line: "What to do about a run that does not fit.",
        more: "It tries each fix by itself, cheapest first, and then all combinations on the same GPUs for the quickest one that fits with room to spare. What is only tight, or takes more than four times as long, is listed apart.",
    },
    About {
        name: "compare",
        usage: "compare --plan FILE [options]",
        line: "Up to four plans of a file side by side.",
        more: "It shows whether each fits, its memory, speed and price, the inputs in which they differ, and each part of the memory with its difference to the first plan. A plan that is refused is named, and the others are answered. The exit code is that of the worst plan, in the order 2, 1, 3, 0.",
    },
    About {
        name: "explain",
        usage: "explain [FILE|-]... [options]",
        line: "What a run left behind, and what took its memory.",
        more: "It reads messages of runs that ran out of memory, logs of servers and trainers, tables of nvidia-smi and of PyTorch's allocator, headers of safetensors and GGUF files, config.json, memory snapshots, and reports of memory_report.py. It recognises them by their content, several at once, names what contradicts itself, and sets the estimate beside each figure. Options state what the texts don't say. Nothing of what it shows is a path, a host or a token.",
    },
    About {
        name: "roofline",
        usage: "roofline --gpu ID [--flops F --bytes B|--gemm M,N,K|--model ID]",
        line: "What holds work back on a GPU, memory or arithmetic, and its time.",
        more: "Of a model: prefill and decoding, or a training step, operation by operation, each time as a range from a bound. With a GPU alone: its ridges.",
    },
    About {
        name: "export",
        usage: "export --to PROGRAM --plan FILE | --model ID [options]",
        line: "A run as a command or a config file of another program.",
        more: "Each setting says in a comment which option it comes from, and what the program has no setting for is named; of files without comments that stands on standard error.",
    },
    About {
        name: "import",
        usage: "import [FILE|-]",
        line: "A command or a config file of another program as a plan.",
        more: "It reads vllm serve, llama-server, trtllm-serve and SGLang's server, the JSON files of DeepSpeed and TrainingArguments, and the YAML files of accelerate and axolotl. The plan goes to standard output, where --plan - of other commands reads it; what was not understood to standard error, line by line. Nothing is run and nothing is expanded.",
    },
    About {
        name: "accuracy",
        usage: "accuracy [--data DIR] [--rows] [--json]",
        line: "The engine against public measured runs, errors shown.",
        more: "",
    },
    About { name: "models", usage: "models [--json]", line: "The models that --model knows.", more: "" },
    About { name: "gpus", usage: "gpus [--json]", line: "The GPUs that --gpu knows.", more: "" },
];

/// Name and version.
pub(crate) fn version() -> String {
    format!("memory-wall {}\n", env!("CARGO_PKG_VERSION"))
}

/// About one command, or everything.
pub(crate) fn text(command: Option<&str>) -> String {
    let Some(about) = ABOUT.iter().find(|about| Some(about.name) == command) else { return everything() };
    let mut text = format!("memory-wall {}\n\n{}\n", about.usage, about.line);
    if !about.more.is_empty() {
        text += &wrapped_to(WIDTH, about.more, 0);
    }
    text += &options(about.name, &table::of(about.name));
    text += EXIT_CODES;
    let own = |line: &str| line.split(' ').next() == Some(about.name);
    let examples: String =
        EXAMPLES.iter().filter(|(_, line)| own(line)).map(|(what, line)| example(what, line)).collect();
    if examples.is_empty() { text } else { text + "\nExamples:\n" + &examples }
}

/// The options under their headings, as clap lays them out.
fn options(command: &'static str, options: &[table::Known]) -> String {
    let mut laid_out = clap(command, options).term_width(WIDTH).help_template("{all-args}");
    format!("\n{}", laid_out.render_help())
}

const EXIT_CODES: &str = "
Exit code:
  0  it fits, or no GPU is named; a bound holds
  1  it does not fit (solve: nothing does; advise: no combination of fixes
     makes it fit with room to spare); accuracy: a set is out of its bound;
     explain: the run ran out of memory, or does not fit
  2  the input cannot be used; compare: a plan is refused, and otherwise the
     code of its worst plan
  3  vLLM starts, but its pool holds fewer requests at once than asked for:
     the others wait
";

const EXAMPLES: [(&str, &str); 15] = [
    ("a long context on one GPU", "estimate --model llama-2-7b --seq 128k --gpu a100-80-sxm"),
    (
        "full training on eight GPUs with sharded states",
        "estimate --model llama-3.1-8b --mode training --dp 8 --zero 3 --seq 8192 --gpu h100-sxm",
    ),
    (
        "QLoRA on a GPU for games",
        "estimate --model llama-3.1-8b --mode qlora --lora-rank 64 --lora-targets q,v --gpu rtx4090",
    ),
    ("as vLLM serves it", "estimate --model llama-3.1-8b --engine vllm --gpu-memory-utilization 0.9 --gpu l4"),
    ("the longest context", "solve --for context --model llama-3.1-8b --gpu rtx4090 --kv fp8"),
    ("how many GPUs", "solve --for gpus --model llama-3.1-405b --mode training --gpu h100-sxm"),
    ("what would make it fit", "advise --model llama-3.1-8b --mode training --batch 8 --gpu h100-sxm"),
    ("the plans of a file side by side", "compare --plan plans.json --price 2.5"),
    (
        "what took the memory of a run that died",
        "explain run.log --model llama-3.2-1b --mode training --batch 4 --seq 2048",
    ),
    ("which side of the ridge", "roofline --gpu a100-80-sxm --gemm 4096,4096,4096"),
    ("how fast a model generates at most", "roofline --gpu h100-sxm --model llama-3.1-8b --batch 8 --seq 4096"),
    ("the command that starts vLLM so", "export --to vllm --model llama-3.1-8b --tp 2 --seq 32k --kv fp8 --gpu l4"),
    ("the plan of somebody else's command", "import serve.sh"),
    ("how far off the engine is, row by row", "accuracy --rows"),
    ("every model as JSON", "models --json"),
];

fn everything() -> String {
    let mut text = String::from("memory-wall: how much GPU memory a large language model needs\n\nUsage:\n");
    text.extend(ABOUT.map(|about| format!("  memory-wall {}\n      {}\n", about.usage, about.line)));
    text += "  memory-wall help [COMMAND]\n      This text, or the part about one command.\n";
    text += "  memory-wall --version\n";
    text += &options("memory-wall", &table::all());
    text += EXIT_CODES;
    text += "\nNumbers are written as 131072, 131,072, 131_072, 2^17 or 128k. A k is 1,024 and\nan M 1,048,576; of FLOPs and bytes, and small in vLLM's own\noptions, they are a thousand and a million.\n\nExamples:\n";
    text.extend(EXAMPLES.map(|(what, line)| example(what, line)));
    text
}

fn example(what: &str, line: &str) -> String {
    // An option stays on the line of its value, and a shell reads on where a line ends with a backslash.
    let whole = line.replace(' ', GLUE).replace(&format!("{GLUE}--"), " --");
    let lines = hanging(WIDTH - 6, "  ", &format!("memory-wall{GLUE}{whole}"), 2);
    format!("  # {what}\n{}\n", lines.trim_end().replace('\n', " \\\n    ").replace(GLUE, " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::COMMANDS;

    #[test]
    fn every_option_has_its_words() {
        for command in COMMANDS {
            let help = text(Some(command));
            for option in table::of(command) {
                let named =
                    |text: &str| text.lines().any(|line| line.trim_start().split(' ').next() == Some(option.name));
                assert!(named(&help), "{command} {}", option.name);
                assert!(named(&text(None)), "{}", option.name);
            }
            assert!(text(None).contains(&format!("memory-wall {command}")), "{command}");
        }
    }

    #[test]
    fn help_is_readable_in_a_narrow_terminal() {
        for command in COMMANDS.into_iter().map(Some).chain([None]) {
            for line in text(command).lines() {
                assert!(line.chars().count() <= WIDTH, "{line}");
                assert_eq!(line, line.trim_end());
            }
        }
    }
}
