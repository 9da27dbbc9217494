"""Start vLLM on one GPU with random weights and measure what it says and how fast it is, one JSON object a line on standard output.

    python3 accuracy/measure/vllm_start.py [--seconds 400] [--cases LIST.json] [--logs FILE]

Each line is one start: the terms of its profile as vLLM logs them in GiB, the pool in tokens, what the driver counts as taken
after it, and seconds of whole batches. Weights are random (`load_format=dummy`), prompts are random tokens, prefix caching is
off, FlashInfer's sampler too, every answer has its full length. Of a batch, `first` and `whole` are the medians of three
calls in seconds, with an answer of 1 token and of `answer` tokens; their difference over `answer` - 1 is a decode step
at about `prompt` + `answer` / 2 tokens of context.
Imports of the next start go on while one measures; only one at a time holds the GPU. A start that fails says why.
"""

import argparse
import fcntl
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "core" / "tests" / "configs"

#: What vLLM's log says, each as the last match.
WORDS = {
    "version": r"Initializing a V1 LLM engine \(v([\w.]+)\)",
    "runner": r"(Using V2 Model Runner)",
    "attention": r"Using (?:AttentionBackendEnum\.)?(\w+) attention backend",
    "total_and_free": r"worker init memory snapshot: (.*)",
    "weights_gib": r"Model loading took ([\d.]+) GiB",
    "profile": r"(Memory profiling takes .*)",
    "available_gib": r"Available KV cache memory: (-?[\d.]+) GiB",
    "graphs_estimated_gib": r"Estimated CUDA graph memory: ([\d.]+) GiB",
    "graphs_gib": r"Graph capturing finished in \d+ secs, took (-?[\d.]+) GiB",
    "tokens": r"GPU KV cache size: ([\d,]+) tokens",
    "concurrency": r"Maximum concurrency for [\d,]+ tokens per request: ([\d.]+)x",
    "compile_seconds": r"torch\.compile[^\n]* took ([\d.]+) s",
}


def prepared(case, folder):
    """A folder with the model's config.json, or with its text part alone where the case names the class of that."""
    values = json.loads((CONFIGS / f"{case['model']}.json").read_text())
    if "text" in case:
        values = values["text_config"] | {"architectures": [case["text"]], "torch_dtype": "bfloat16"}
    path = pathlib.Path(folder) / case["model"]
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps(values))
    return str(path)


def one(case):
    """Imports, waits for the GPU, starts, measures, prints."""
    import random

    from vllm import LLM, SamplingParams

    lock = open(case["lock"], "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    print("TAKEN", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        options = dict(dtype="bfloat16", enable_prefix_caching=False, gpu_memory_utilization=0.9) | case.get("options", {})
        begun = time.perf_counter()
        engine = LLM(prepared(case, folder), load_format="dummy", skip_tokenizer_init=True, disable_log_stats=True, **options)
        row = {"start_seconds": time.perf_counter() - begun, "used_by_driver": used(), "batches": []}
        print("RESULT " + json.dumps(row), flush=True)
        random.seed(7)

        def batch(size, prompt, answer):
            prompts = [{"prompt_token_ids": [random.randrange(100, 30000) for _ in range(prompt)]} for _ in range(size)]
            say = SamplingParams(temperature=0, max_tokens=answer, min_tokens=answer, ignore_eos=True, detokenize=False)
            begun = time.perf_counter()
            engine.generate(prompts, say, use_tqdm=False)
            return time.perf_counter() - begun

        for size, prompt, answer in case.get("batches", []):
            batch(size, 16, 4)
            times = [[batch(size, prompt, length) for _ in range(3)] for length in (1, answer)]
            row["batches"].append({"batch": size, "prompt": prompt, "answer": answer, "first": statistics.median(times[0]), "whole": statistics.median(times[1])})
            print("RESULT " + json.dumps(row), flush=True)


def used():
    """Bytes of the GPU that are taken, as its driver counts."""
    import pynvml

    pynvml.nvmlInit()
    return pynvml.nvmlDeviceGetMemoryInfo(pynvml.nvmlDeviceGetHandleByIndex(0)).used


def run_list():
    """What is measured, the most wanted first."""
    eight = dict(model="llama-3.1-8b", options=dict(max_model_len=32768, max_num_seqs=256, max_num_batched_tokens=8192))
    served = [(1, 1024, 129), (8, 1024, 129), (32, 1024, 129), (128, 1024, 129)]

    def of(more, base=eight, **rest):
        return base | rest | {"options": base["options"] | more}

    yield eight | {"batches": served}
    yield of({}, model="qwen3-30b-a3b-2507", batches=served)
    yield of({"enforce_eager": True})
    yield of({"quantization": "fp8", "kv_cache_dtype": "fp8"}, batches=served)
    yield of({"max_model_len": 40960}, model="qwen3-14b", batches=served)
    yield of({"max_model_len": 16384, "max_num_seqs": 64, "gpu_memory_utilization": 0.95}, model="qwen3-32b", batches=[(1, 1024, 65), (8, 1024, 65)])
    yield of({}, model="gemma-3-12b", text="Gemma3ForCausalLM", batches=[(1, 1024, 65), (32, 1024, 65)])
    yield of({"max_num_batched_tokens": 16384, "max_num_seqs": 1024, "gpu_memory_utilization": 0.92})
    yield of({}, model="deepseek-v2-lite", batches=[(1, 1024, 65), (32, 1024, 65)])
    yield of({"enforce_eager": True, "max_num_batched_tokens": 2048, "gpu_memory_utilization": 0.5}, model="qwen2.5-0.5b")
    yield of({"enforce_eager": True, "max_model_len": 16384}, model="nemotron-nano-9b-v2")
    yield of({"enforce_eager": True}, model="mistral-small-3-24b")
    yield of({"enforce_eager": True, "max_num_batched_tokens": 32768}, model="llama-3.2-1b")
    yield of({"enforce_eager": True}, model="falcon-h1-7b")


def started(case, folder, number):
    quiet = {"VLLM_LOGGING_LEVEL": "DEBUG", "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1", "VLLM_USE_FLASHINFER_SAMPLER": "0", "TOKENIZERS_PARALLELISM": "false"}
    log = pathlib.Path(folder) / f"log-{number}"
    return subprocess.Popen([sys.executable, __file__, "--one", json.dumps(case)], stdout=log.open("w"), stderr=subprocess.STDOUT, env=os.environ | quiet | case.get("env", {}), start_new_session=True), log


def stop(process):
    """Ends a start with the engine that it forked, which holds the GPU."""
    import psutil

    for each in [*psutil.Process(process.pid).children(recursive=True), process]:
        each.kill()
    process.wait()


def finished(case, process, log, most):
    """The facts of a start's log; `most` seconds after it took the GPU it is stopped."""
    taken = None
    while process.poll() is None:
        time.sleep(0.2)
        if taken is None and "TAKEN" in log.read_text():
            taken = time.perf_counter()
        if taken and time.perf_counter() - taken > most:
            stop(process)
    text = log.read_text()
    row = {name: (re.findall(words, text) or [None])[-1] for name, words in WORDS.items()}
    results = re.findall(r"^RESULT (.*)$", text, re.M)
    row |= json.loads(results[-1]) if results else {}
    if process.returncode:
        row["failed"] = re.findall(r"(?:Error|Exception)\b.*", text)[-3:] or text[-300:]
    kept = [line for line in text.splitlines() if re.search(r"GiB|tokens|compil|ackend|graph|rror|sampler|kernel|RESULT|max_", line)]
    return {key: value for key, value in case.items() if key != "lock"} | row, kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no start after so many seconds")
    parser.add_argument("--most", type=float, default=150, help="seconds a start may take")
    parser.add_argument("--cases", help="a file with a JSON list of cases in place of the list here")
    parser.add_argument("--logs", help="a file for the lines of vLLM's logs that say something of memory")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        return one(json.loads(chosen.one))
    begun = time.perf_counter()
    cases = json.loads(pathlib.Path(chosen.cases).read_text()) if chosen.cases else list(run_list())
    logs = open(chosen.logs, "w") if chosen.logs else None
    with tempfile.TemporaryDirectory() as folder:
        lock = str(pathlib.Path(folder) / "gpu")
        ahead = []
        for number, case in enumerate(cases):
            if time.perf_counter() - begun > chosen.seconds:
                print(json.dumps({"left": cases[number:]}), flush=True)
                break
            if not ahead:
                ahead = [started(case | {"lock": lock}, folder, number)]
            process, log = ahead.pop(0)
            if number + 1 < len(cases):
                while process.poll() is None:
                    if "TAKEN" in log.read_text():
                        break
                    time.sleep(0.1)
                ahead = [started(cases[number + 1] | {"lock": lock}, folder, number + 1)]
            row, kept = finished(case, process, log, chosen.most)
            print(json.dumps(row), flush=True)
            print(f"{time.perf_counter() - begun:6.1f} s: {case['model']} {case.get('options')}", file=sys.stderr, flush=True)
            if logs:
                logs.write(f"== {json.dumps(case)}\n" + "\n".join(kept) + "\n")
                logs.flush()
        for process, _ in ahead:
            stop(process)


if __name__ == "__main__":
    main()
