"""Measure one GPU with PyTorch and transformers, one JSON object a line on standard output.

    python3 accuracy/measure/one_gpu.py [--seconds 400] [--only training,generate,passes,rates,context]

Each line is one run. Bytes are those of PyTorch's caching allocator, peaks of a phase: `requested` by tensors, `allocated`
to them in whole blocks, and `reserved`. `before` is what was allocated when the run began, and `workspaces` what cuBLAS holds. `beside` is what the driver counts as taken and PyTorch did not reserve: the CUDA context
and what libraries took. Seconds are of one step, a mean over several without a wait between phases.
Models are built from core/tests/configs/ with random weights. A run that fails says why and the next one follows.
"""

import argparse
import contextlib
import gc
import json
import pathlib
import sys
import time

import torch

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "core" / "tests" / "configs"
ON_GPU = torch.cuda.is_available()
DEVICE = "cuda" if ON_GPU else "cpu"


def say(kind, **row):
    print(json.dumps({"kind": kind, **row}), flush=True)


def wait():
    if ON_GPU:
        torch.cuda.synchronize()


def cleared():
    gc.collect()
    if ON_GPU:
        torch._C._cuda_clearCublasWorkspaces()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def peaks():
    """The peaks since the last call, in bytes."""
    wait()
    if not ON_GPU:
        return {"allocated": 0, "requested": 0, "reserved": 0}
    now = torch.cuda.memory_stats()
    found = {name: now[f"{name}_bytes.all.peak"] for name in ("allocated", "requested", "reserved")}
    torch.cuda.reset_peak_memory_stats()
    return found


def beside():
    """Bytes that the driver counts as taken beyond what PyTorch reserved."""
    if not ON_GPU:
        return 0
    free, total = torch.cuda.mem_get_info()
    return total - free - torch.cuda.memory_reserved()


def built(name, attention, dtype):
    from transformers import AutoConfig, AutoModelForCausalLM

    values = json.loads((CONFIGS / f"{name}.json").read_text())
    kind = values.pop("model_type")
    values = {key: value for key, value in values.items() if key not in ("quantization_config", "torch_dtype", "dtype", "auto_map", "architectures", "transformers_version")}
    config = AutoConfig.for_model(kind, **values)
    config.use_cache = False
    with torch.device(DEVICE):
        return AutoModelForCausalLM.from_config(config, attn_implementation=attention, dtype=dtype)


def quantised(model):
    """Every linear layer but the head in NF4 with quantised scales, as load_in_4bit makes it."""
    import bitsandbytes as bnb

    for parent in list(model.modules()):
        for name, layer in list(parent.named_children()):
            if isinstance(layer, torch.nn.Linear) and name != "lm_head":
                small = bnb.nn.Linear4bit(layer.in_features, layer.out_features, bias=layer.bias is not None, compute_dtype=torch.bfloat16, compress_statistics=True, quant_type="nf4", device="meta")
                small.weight = bnb.nn.Params4bit(layer.weight.data, requires_grad=False, compress_statistics=True, quant_type="nf4").to(DEVICE)
                small.bias = layer.bias
                setattr(parent, name, small)
                del layer
    model.is_loaded_in_4bit = model.is_quantized = True
    return model


def adapted(model, case):
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

    if case["quantised"]:
        model = quantised(model)
        gc.collect()
        torch.cuda.empty_cache()
    if case["quantised"] and case["upcast"]:
        model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=case["checkpointing"], gradient_checkpointing_kwargs={"use_reentrant": False})
    elif case["checkpointing"]:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        model.enable_input_require_grads()
    adapters = LoraConfig(r=case["rank"], lora_alpha=16, lora_dropout=case["dropout"], target_modules=case["targets"], task_type="CAUSAL_LM")
    return get_peft_model(model, adapters, autocast_adapter_dtype=case["adapters"] == "fp32")


def optimizer_of(model, name):
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if name == "adamw8bit":
        import bitsandbytes as bnb

        return bnb.optim.AdamW8bit(learning, lr=1e-5)
    if name == "sgd":
        return torch.optim.SGD(learning, lr=1e-5, fused=ON_GPU)
    if name == "adafactor":
        from transformers.optimization import Adafactor

        return Adafactor(learning, lr=1e-5, scale_parameter=False, relative_step=False)
    return torch.optim.AdamW(learning, lr=1e-5, fused=name == "fused" and ON_GPU, foreach=name == "foreach")


def training(case):
    """Five steps in phases, the last reported, then three without a wait, timed."""
    case = {"attention": "sdpa", "recipe": "pure", "checkpointing": False, "step": "fused", "micro_batches": 1, "targets": None, "rank": 16, "dropout": 0.0, "adapters": "fp32", "quantised": False, "upcast": True, "compiled": False, "fused_loss": False, **case}
    cleared()
    before = torch.cuda.memory_allocated() if ON_GPU else 0
    autocast = case["recipe"] == "autocast"
    if case["fused_loss"]:
        from liger_kernel.transformers import apply_liger_kernel_to_llama

        apply_liger_kernel_to_llama(rope=False, swiglu=False, rms_norm=False, cross_entropy=False, fused_linear_cross_entropy=True)
    model = built(case["model"], case["attention"], torch.float32 if case["recipe"] in ("autocast", "fp32") else torch.bfloat16)
    if case["targets"]:
        model = adapted(model, case)
    elif case["checkpointing"]:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    model.train()
    if case["compiled"]:
        model.compile()
    optimizer = optimizer_of(model, case["step"])
    ids = torch.randint(0, model.config.vocab_size, (case["batch"], case["seq"]), device=DEVICE)

    def lost():
        with torch.autocast(DEVICE, torch.bfloat16) if autocast else contextlib.nullcontext():
            return model(input_ids=ids, labels=ids).loss

    held = torch.cuda.memory_allocated() if ON_GPU else 0
    for number in range(4 if ON_GPU else 1):
        for _ in range(case["micro_batches"] - 1):
            lost().backward()
        peaks()
        loss = lost()
        forward = peaks()
        loss.backward()
        backward = peaks()
        optimizer.step()
        stepped = peaks()
        optimizer.zero_grad(set_to_none=True)
    wait()
    start = time.perf_counter()
    repeats = 3 if ON_GPU else 1
    for _ in range(repeats):
        lost().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    wait()
    seconds = (time.perf_counter() - start) / repeats
    counts = [(parameter.numel(), parameter.requires_grad) for parameter in model.parameters()]
    say("training", **case, parameters=sum(n for n, _ in counts), trainable=sum(n for n, learns in counts if learns), before=before, built=held, forward=forward, backward=backward, optimizer=stepped,
        reserved=max(phase["reserved"] for phase in (forward, backward, stepped)), beside=beside(), seconds=seconds)


def timed(run, repeats):
    for _ in range(3):
        run()
    wait()
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    wait()
    return (time.perf_counter() - start) / repeats


def passes(case):
    """Prefill and decode of transformers with a static cache: eager kernels, decode also replayed as a CUDA graph."""
    from transformers import StaticCache

    cleared()
    model = built(case["model"], "sdpa", torch.bfloat16).eval()
    model.config.use_cache = True
    vocabulary = model.config.vocab_size
    with torch.inference_mode():
        for seq in case["prompts"]:
            ids = torch.randint(0, vocabulary, (1, seq), device=DEVICE)
            peaks()
            run = lambda: model(input_ids=ids, use_cache=False, logits_to_keep=1)
            seconds = timed(run, 5 if ON_GPU else 1)
            say("prefill", model=case["model"], batch=1, seq=seq, seconds=seconds, peak=peaks())
        for batch, context in case["decodes"]:
            cache = StaticCache(config=model.config, max_cache_len=context, max_batch_size=batch, device=DEVICE, dtype=torch.bfloat16)
            prompt = torch.randint(0, vocabulary, (batch, 16), device=DEVICE)
            model(input_ids=prompt, past_key_values=cache, cache_position=torch.arange(16, device=DEVICE))
            token = torch.randint(0, vocabulary, (batch, 1), device=DEVICE)
            place = torch.tensor([context - 1], device=DEVICE)
            mask = torch.ones(batch, context, dtype=torch.long, device=DEVICE)
            places = place.expand(batch, 1).contiguous()
            run = lambda: model(input_ids=token, position_ids=places, past_key_values=cache, cache_position=place, attention_mask=mask)
            peaks()
            row = {"model": case["model"], "batch": batch, "context": context, "eager_seconds": timed(run, 10 if ON_GPU else 1), "peak": peaks()}
            try:
                side = torch.cuda.Stream()
                side.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(side):
                    for _ in range(3):
                        run()
                torch.cuda.current_stream().wait_stream(side)
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    run()
                row["graph_seconds"] = timed(graph.replay, 30)
            except Exception as error:
                row["graph_failed"] = str(error)[:200]
            say("decode", **row)
            del cache


def generate(case):
    """Answers of transformers' own loop with its growing cache: the peak over prompt and answer."""
    cleared()
    model = built(case["model"], "sdpa", torch.bfloat16).eval()
    model.config.use_cache = True
    if case.get("quantised"):
        quantised(model)
        cleared()
    held = torch.cuda.memory_allocated() if ON_GPU else 0
    ids = torch.randint(0, model.config.vocab_size, (case["batch"], case["prompt"]), device=DEVICE)
    for _ in range(2):
        peaks()
        wait()
        start = time.perf_counter()
        with torch.inference_mode():
            model.generate(ids, max_new_tokens=case["answer"], min_new_tokens=case["answer"], do_sample=False, pad_token_id=0)
        wait()
        seconds = time.perf_counter() - start
        found = peaks()
    say("generate", **case, built=held, peak=found, beside=beside(), seconds=seconds)


def rates(_):
    """Achieved rates at known FLOPs and bytes."""
    n = 1 << (28 if ON_GPU else 10)
    bf16 = dict(device=DEVICE, dtype=torch.bfloat16)
    a, b = torch.randn(n, **bf16), torch.randn(n, **bf16)
    out = torch.empty_like(a)
    for name, run, flops, moved in (("copy", lambda: out.copy_(a), 0, 4 * n), ("relu", lambda: torch.clamp_min(a, 0, out=out), n, 4 * n), ("add", lambda: torch.add(a, b, out=out), n, 6 * n)):
        say("rate", op=name, flops=flops, bytes=moved, seconds=timed(run, 30))
    del a, b, out
    x, w = torch.randn(65536 if ON_GPU else 8, 4096, **bf16), torch.ones(4096, **bf16)
    say("rate", op="layer_norm", flops=8 * x.numel(), bytes=4 * x.numel(), seconds=timed(lambda: torch.nn.functional.layer_norm(x, (4096,), w, w), 30))
    say("rate", op="rms_norm", flops=4 * x.numel(), bytes=4 * x.numel(), seconds=timed(lambda: torch.nn.functional.rms_norm(x, (4096,), w), 30))
    say("rate", op="softmax", flops=5 * x.numel(), bytes=4 * x.numel(), seconds=timed(lambda: torch.softmax(x, -1), 30))
    side = 8192 if ON_GPU else 64
    weights = [torch.randn(side, side, **bf16) for _ in range(4)]
    for m in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192):
        y = torch.randn(m, side, **bf16)
        state = {"at": 0}

        def run():
            state["at"] += 1
            return y @ weights[state["at"] % 4]

        say("rate", op="matmul", dtype="bf16", m=m, n=side, k=side, flops=2 * m * side * side, bytes=2 * (2 * m * side + side * side), seconds=timed(run, 40))
    if ON_GPU:
        for m in (1024, 8192):
            y = torch.randn(m, side, device=DEVICE).to(torch.float8_e4m3fn)
            weight = torch.randn(side, side, device=DEVICE).to(torch.float8_e4m3fn).t()
            one = torch.ones((), device=DEVICE)
            say("rate", op="matmul", dtype="fp8", m=m, n=side, k=side, flops=2 * m * side * side, bytes=m * side + side * side + 2 * m * side, seconds=timed(lambda: torch._scaled_mm(y, weight, one, one, out_dtype=torch.bfloat16), 40))
            y, weight = y.to(torch.float32), torch.randn(side, side, device=DEVICE)
            torch.backends.cuda.matmul.allow_tf32 = True
            say("rate", op="matmul", dtype="tf32", m=m, n=side, k=side, flops=2 * m * side * side, bytes=4 * (2 * m * side + side * side), seconds=timed(lambda: y @ weight, 20))
            torch.backends.cuda.matmul.allow_tf32 = False
    heads = 32 if ON_GPU else 2
    for batch, seq in ((4, 2048), (1, 8192), (1, 32768)) if ON_GPU else ((1, 64),):
        q, k, v = (torch.randn(batch, heads, seq, 128, **bf16) for _ in range(3))
        run = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        say("rate", op="attention", dtype="bf16", batch=batch, heads=heads, seq=seq, head_dim=128, flops=2 * batch * heads * seq * seq * 128, bytes=2 * 4 * batch * heads * seq * 128, seconds=timed(run, 10))


def context(_):
    """What stands beside PyTorch's pool after each first use."""
    say("context", after="start", beside=beside())
    x = torch.randn(4096, 4096, device=DEVICE, dtype=torch.bfloat16)
    wait()
    say("context", after="first tensor", beside=beside())
    x @ x
    wait()
    say("context", after="matrix product", beside=beside(), allocated=torch.cuda.memory_allocated() if ON_GPU else 0)
    q = torch.randn(1, 8, 512, 128, device=DEVICE, dtype=torch.bfloat16)
    torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True)
    wait()
    say("context", after="attention", beside=beside())


EVERYWHERE = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

#: Full training of each architecture: model, batch, seq_length.
ARCHITECTURES = """
llama-3.2-1b 1 2048, llama-3.2-1b 4 2048, llama-3.2-1b 1 8192, llama-2-7b 1 4096, llama-3.1-8b 1 4096, mistral-7b-v0.3 2 2048, qwen2.5-0.5b 4 2048, qwen2.5-3b 2 2048,
qwen2.5-7b 1 2048, qwen3-0.6b 4 2048, qwen3-4b 2 2048, qwen3-8b 1 2048, gemma-2b 2 2048, gemma-2-2b 2 2048, gemma-3-1b 2 2048, gemma-3-270m 4 2048, phi-3-mini-4k 2 2048,
phi-4-mini 2 2048, olmo-2-1b 4 2048, olmo-2-7b 2 2048, olmo-3-7b 1 2048, granite-3.3-2b 2 2048, granite-4.1-3b 2 2048, smollm2-1.7b 2 2048, smollm3-3b 2 2048, gpt2-xl 1 1024,
gpt2-medium 8 1024, falcon-7b 1 2048, falcon3-1b 2 2048, starcoder2-3b 2 2048, yi-1.5-6b 2 2048, glm-4-9b-0414 1 2048, exaone-4.0-1.2b 2 2048, ernie-4.5-0.3b 4 2048,
hunyuan-1.8b 2 2048, ministral-3-3b 2 2048, lfm2-1.2b 2 2048, tinyllama-1.1b 4 2048, bloom-7b1 1 2048, opt-6.7b 1 2048, pythia-6.9b 1 2048
"""


def run_list():
    """What is measured, the most wanted first."""
    yield "context", {}
    for words in ARCHITECTURES.split(","):
        model, batch, seq = words.split()
        yield "training", dict(model=model, batch=int(batch), seq=int(seq))
    one, eight = "llama-3.2-1b", "llama-3.1-8b"
    for batch, seq in ((1, 2048), (4, 2048), (1, 8192)):
        yield "training", dict(model=one, batch=batch, seq=seq, checkpointing=True)
    for batch in (1, 4):
        yield "training", dict(model=eight, batch=batch, seq=2048, checkpointing=True)
    for more in ({}, {"checkpointing": True}, {"attention": "eager", "batch": 1}):
        yield "training", dict(model=one, batch=4, seq=2048, recipe="autocast") | more
    for more in ({"attention": "eager"}, {"attention": "eager", "checkpointing": True}, {"recipe": "fp32"}, {"recipe": "fp32", "checkpointing": True}, {"recipe": "fp32", "model": "tinyllama-1.1b"}, {"recipe": "fp32", "model": "gpt2-medium", "seq": 1024}):
        yield "training", dict(model=one, batch=1, seq=2048) | more
    for step in ("foreach", "adamw8bit", "sgd", "adafactor"):
        yield "training", dict(model=one, batch=4, seq=2048, step=step)
    yield "training", dict(model=one, batch=2, seq=2048, micro_batches=4)
    for model, targets, attention in (("qwen3-30b-a3b", ["q_proj", "v_proj"], "sdpa"), ("gpt-oss-20b", ["q_proj", "v_proj"], "eager"), ("deepseek-v2-lite", ["q_proj"], "sdpa"), ("ernie-4.5-21b-a3b", ["q_proj", "v_proj"], "sdpa")):
        for checkpointing in (True, False):
            yield "training", dict(model=model, batch=1, seq=1024 if not checkpointing else 2048, checkpointing=checkpointing, targets=targets, attention=attention)
    yield "training", dict(model="qwen1.5-moe-a2.7b", batch=1, seq=2048, checkpointing=True)
    yield "training", dict(model="qwen1.5-moe-a2.7b", batch=1, seq=512)
    adapters = dict(model=eight, batch=1, seq=2048, targets=EVERYWHERE)
    for more in ({}, {"checkpointing": True}, {"batch": 4, "checkpointing": True}, {"adapters": "bf16"}, {"dropout": 0.05}, {"rank": 64}, {"targets": ["q_proj", "v_proj"]}, {"targets": ["q_proj", "v_proj"], "checkpointing": True, "batch": 4}, {"attention": "eager", "checkpointing": True}):
        yield "training", adapters | more
    yield "training", dict(model="qwen3-32b", batch=1, seq=4096, checkpointing=True, targets=["q_proj", "v_proj"])
    for more in ({"checkpointing": True}, {"checkpointing": True, "batch": 4}, {"checkpointing": True, "upcast": False}, {}, {"step": "adamw8bit", "checkpointing": True}):
        yield "training", adapters | {"quantised": True} | more
    for more in ({"batch": 1}, {"batch": 16}, {"batch": 4, "prompt": 8000}, {"batch": 4, "model": "qwen3-4b"}, {"batch": 4, "model": "gemma-3-1b"}, {"batch": 1, "quantised": True}):
        yield "generate", dict(model=eight, prompt=2000, answer=48) | more
    yield "passes", dict(model=eight, prompts=(512, 2048, 8192), decodes=((1, 2048), (8, 2048), (32, 2048), (64, 4096)))
    yield "passes", dict(model="qwen3-32b", prompts=(2048,), decodes=((1, 2048), (16, 2048)))
    yield "rates", {}
    yield "training", dict(model=one, batch=4, seq=2048, fused_loss=True)
    yield "training", dict(model=one, batch=4, seq=2048, compiled=True)
    yield "training", dict(model=eight, batch=1, seq=2048, compiled=True)
    yield "training", dict(model=one, batch=4, seq=2048, compiled=True, checkpointing=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1e9, help="start no run after so many seconds")
    parser.add_argument("--only", default="", help="kinds, with commas between")
    parser.add_argument("--cases", default="", help="a JSON list of [kind, case] in place of the list here")
    parser.add_argument("--list", action="store_true", help="print the list alone")
    chosen = parser.parse_args()
    if chosen.list:
        return print(json.dumps(list(run_list())))
    only = [kind for kind in chosen.only.split(",") if kind]
    versions = {}
    for name in ("transformers", "peft", "bitsandbytes", "liger_kernel"):
        with contextlib.suppress(Exception):
            versions[name] = __import__(name).__version__
    device = torch.cuda.get_device_properties(0) if ON_GPU else None
    say("device", name=device.name if device else "CPU", total_bytes=device.total_memory if device else 0, torch=torch.__version__, **versions)
    start = time.perf_counter()
    known = {"context": context, "training": training, "passes": passes, "generate": generate, "rates": rates}
    for kind, case in json.loads(chosen.cases) if chosen.cases else run_list():
        if only and kind not in only:
            continue
        if time.perf_counter() - start > chosen.seconds:
            say("left", case=case, what=kind)
            continue
        begun = time.perf_counter()
        try:
            known[kind](case)
        except Exception as error:  # the next run may work
            say("failed", what=kind, case=case, error=f"{type(error).__name__}: {error}"[:600])
        print(f"{time.perf_counter() - start:6.1f} s, {time.perf_counter() - begun:5.1f} s: {kind} {case}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
