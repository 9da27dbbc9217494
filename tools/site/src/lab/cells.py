# %% model
import torch
from transformers import LlamaConfig, LlamaForCausalLM

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
config = LlamaConfig(
    hidden_size=@{hidden},
    num_hidden_layers=@{layers},
    num_attention_heads=@{heads},
    num_key_value_heads=@{kv_heads},
    intermediate_size=@{inner},
    vocab_size=@{vocab},
    tie_word_embeddings=True,
    use_cache=False,
)
model = LlamaForCausalLM(config).float().to(device)
ids = torch.randint(@{vocab}, (@{batch}, @{tokens}), device=device)
print(device, torch.cuda.get_device_name() if device == "cuda" else "")
# %% step
weights = sum(it.nbytes for it in model.parameters())
print(f"weights: {weights / 1e6:,.1f} MB")

optimizer = torch.optim.AdamW(model.parameters())
batch = {"input_ids": ids, "labels": ids}
memory_report(model, optimizer, batch)  # the first step makes the optimizer states
report = memory_report(model, optimizer, batch)
most = {}
for phase in report["phases"]:
    for part, types in phase["bytes"].items():
        most[part] = max(most.get(part, 0), sum(types.values()))
for part, size in most.items():
    print(f"{part}: {size / 1e6:,.1f} MB")
if device == "cuda":
    peak = max(phase["allocator"]["allocated_bytes.all.peak"] for phase in report["phases"][1:])
    print(f"peak: {peak / 1e6:,.1f} MB")
# %% cache
model.eval()
for tokens in (@{cached}, 2 * @{cached}):
    prompt = torch.randint(@{vocab}, (1, tokens), device=device)
    with torch.no_grad():
        cache = model(input_ids=prompt, use_cache=True, logits_to_keep=1).past_key_values
    size = sum(it.nbytes for layer in cache.layers for it in (layer.keys, layer.values))
    print(f"cache of {tokens:,} tokens: {size / 1e6:,.1f} MB")
