//! The words by which a person's sentences are read, with strokes between them.

/// Whether a list has a word.
#[inline(never)]
pub(super) fn has(list: &str, word: &str) -> bool {
    list.split('|').any(|known| known == word)
}

/// Words by which a sentence is not about the run itself, and those by which a GPU or a model in it is not the run's.
pub(super) const HEDGES: &str =
    " than | vs|recommend|minimum|require|instead|should|could|would|buy |e.g.|such as|other|upgrade|need|compare";
pub(super) const NAME_HEDGES: &str = "support|works|worked|without|like |tested|hours|fine on|fine with|normally|successful|switched to|can run|able to|previous|\
    benchmark|author|the default|default gpu|default model|laptop|mobile";

/// GPUs by the names that say enough, and those that say it only beside a number of them, a memory or a maker.
pub(super) const STRONG: &str = "h100|h200|gh200|h800|a100|a800|v100|b200|b300|gb200|gb300|l40s|l40|a10g|a6000|mi210|mi250|mi250x|mi300x|mi300a|\
    mi300|mi308x|mi325x|mi350x|mi355x|gb10|gfx1151|gfx1150|gfx1100|gfx1201|gfx1030|gfx942|gfx90a";
pub(super) const WEAK: &str = "h20|l4|t4|l20|a10|a30|a40|p40|p100|a5000|a4000|mi50|mi60|mi100|a4500";
/// Numbers by which people call cards of these series without the series.
pub(super) const NUMBERS: &str = "2080|3060|3070|3080|3090|4060|4070|4080|4090|5060|5070|5080|5090|1080";
/// Makers and series in front of a name.
pub(super) const SERIES: &str = "nvidia|geforce|rtx|gtx|tesla|quadro|amd|radeon|rx|instinct|intel|arc|apple|\
    google|colab";
/// Words in front of a name that is no part of another word's number.
pub(super) const ARTICLES: &str = "a|an|the|my|our|on|single|one|with|using|gpu|gpus|of|have";
/// What a number counts that is no card's.
pub(super) const NOT_CARDS: &str = "token|tokens|step|steps|sample|samples|context|mib|mb|ms|iterations|lines|requests";
/// Words in front of a number of GPUs.
pub(super) const BEFORE_COUNTS: &str = "on|with|using|have|has|of|gpu|gpus|by|my|our|got|use";
/// What in front of a setting makes it another than the run's own.
pub(super) const NOT_OWN: &str = "global|effective|total|max|maximum|eval|validation|val|test|train|training|trained|prefill|decode|mini|physical|\
    logical|larger|smaller|bigger|longer|shorter|different|native|original|full|supported|prompt|input|output";
/// Words by which a setting is one that somebody proposes or that helped.
pub(super) const SETTING_HEDGES: &str = "reduc|lower|decreas|increas|resolv|try |change|even ";
/// What says of a line that it is about training.
pub(super) const TRAINS: [&str; 6] = ["tun", "train", "sft", "grpo", "dpo", "peft"];
/// Marks and words that part what is said of one memory from another.
pub(super) const PARTED: [&str; 6] = [" and ", ",", ";", "+", "|", "&"];
/// Words in front of a memory that is no computer's whole.
pub(super) const TAKEN: &str = "use|uses|used|using|usage|consume|consumes|consumed|consuming|take|takes|taking|took|need|needs|require|\
    requires|required|fill|fills|filled|eat|eats|eating|occupy|occupies|allocate|allocates|allocated|allocating|up|\
    than|over|least|free|extra|additional|leaves|left|remaining|remains|more|limit|limited|reaches|exceeds|\
    another|add|buy|swap|offload|offloads|gpu|video|graphics|available";
/// What says that a memory is the computer's, in front of its word and behind it.
pub(super) const HOSTS: &str = "system|host|cpu|unified";
/// What a memory of a computer may be called before it is called one.
pub(super) const KINDS: &str = "of|total|physical|main|installed|ecc|the";
/// What makes it another again.
pub(super) const NO_MORE: &str =
    "used|usage|free|left|gpu|gpus|card|cards|requirement|requirements|per|limit|available";
/// What makes a memory that of something else.
pub(super) const OTHER_MEMORY: &str = "ram|total|used|free|system|host|in|of|memory|cpu|ddr4|ddr5|unified";
/// What may stand behind a name and says nothing more.
pub(super) const SILENT: &str =
    "hbm2|hbm2e|hbm3|hbm3e|blackwell|generation|workstation|edition|gpu|gpus|cards|graphics";
/// Numbers as words.
pub(super) const COUNTS: [(&str, u64); 10] = [
    ("one", 1),
    ("single", 1),
    ("two", 2),
    ("dual", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
];

/// Families whose names are models where the count of parameters stands in them.
pub(super) const FAMILIES: &str = "qwen|qwq|llama|meta-llama|codellama|tinyllama|mistral|mixtral|ministral|codestral|gemma|phi|deepseek|glm|\
    chatglm|gpt-oss|yi|falcon|internlm|internvl|baichuan|minicpm|smollm|granite|olmo|kimi|minimax|nemotron|\
    vicuna|galactica|bloom|opt|mpt|starcoder|stablelm|exaone|hunyuan|apertus|ernie|seed-oss";
/// Families whose names say enough with their version: `DeepSeek-V4-Pro`.
pub(super) const VERSIONED: &str = "deepseek-|glm-|kimi-|minimax-|gpt-oss";
/// Makers of models on the hub: behind them a name needs no count of parameters.
pub(super) const MAKERS: &str = "qwen|meta-llama|mistralai|google|deepseek-ai|microsoft|openai|thudm|zai-org|lmsys|tiiuae|unsloth|\
    huggingfacetb|moonshotai|minimaxai|nvidia|ibm-granite|allenai|internlm|opengvlab|facebook|01-ai|bartowski|\
    lmstudio-community|mradermacher|thebloke|turboderp|redhatai|neuralmagic|nousresearch|ggml-org|mlx-community|\
    cohereforai|coherelabs|stepfun-ai|xiaomimimo|openbmb|tencent|baidu|eleutherai|bigcode|bigscience";
/// What stands behind the version of such a family and makes it another model.
pub(super) const VARIANTS: &str = "air|flash|pro|lite|mini|max|turbo|base|thinking";
/// How a model may be stored, as names of models have it.
pub(super) const FORMATS: &str = "fp8|nvfp4|mxfp4|awq|gptq|int4|int8|bf16";

/// The texts by which lines with such names are found behind the first ones of each text, which are all looked at.
pub(super) const MARKS: &str = "RAM |RAM,|RAM.|RAM:|RAM)|RAM*|ram |ram,|ram.|Ram |of RAM|of ram|GB RAM|GB ram|16GB R|32GB R|64GB R|96GB R|\
    128GB R|192GB R|256GB R|512GB R|16GB r|32GB r|64GB r|128GB r|16gb r|32gb r|64gb r|128gb r|256GB r|\
    System memory|System RAM|system memory|host memory|Host memory|unified memory|Unified memory|CPU memory|\
    CPU RAM|cpu memory|cpu ram|DDR4|DDR5|ddr4|ddr5|M1 P|M1 U|M2 P|M2 M|M3 P|M4 P|M4 U|M5 P|M5 M|m1 m|m1 p|m1 u|\
    m2 m|m2 p|m2 u|m3 m|m3 p|m3 u|m4 m|m4 p|m5 m|Mac mini|MacBook|Mac Studio|v5e-|v5e |v6e-|v6e |v5p-|v5p |\
    on v5e|on v6e|v5lite|v5-lite|TPU v|TP=1|TP=2|TP=4|TP=8|TP 2|TP 4|TP 8|TP2 |TP4 |TP8 |TP8,|TP4,|TP2,|tp=1|\
    tp=2|tp=4|tp=8|tp 2|tp 4|tp 8|tensor parallel|tensor-parallel|tensor_parallel_size=|pipeline_parallel_size=|\
    Tensor parallel|Tensor Parallel|EP=2|EP=4|EP=8|DP=2|DP=4|DP=8|PP=2|PP=4|2 T4|4 T4|T4 G|T4 g|Google T|\
    Colab T|7900|QwQ-|Gemma |Gemma-|Kimi-|MiniMax-|Nemotron|LLama|ZeRO|ZERO|Zero|zero2|zero3|H100|H200|GH20|\
    H800|H20 |A100|A800|V100|B200|B300|L40S|L40 |L4 G|A10G|A6000|RTX |RTX2|RTX3|RTX4|RTX5|RTX-|GTX |MI21|MI25|\
    MI30|MI32|MI35|3090|4090|5090|4080|3080|2080|3060|4060|4070|3070|5080|5070|Arc |Radeon |Tesla |NVIDIA |\
    Nvidia |nvidia |h100|h200|a100|Apple M|M1 M|M2 U|M3 M|M3 U|M4 M|8xH1|8xH2|8xA1|4xA1|4xH1|2xA1|2xH1|Qwen|\
    qwen|Llama-|Llama |llama-|Mistral|mistral|Mixtral|gemma|glm-|kimi-|phi-|Phi3|phi3|Llama2|Llama3|llama2|\
    llama3|DeepSeek|deepseek-|Phi-|GLM-|gpt-oss|granite-|vicuna-|galactica|falcon-";
