"""Measures one training step of a PyTorch program and writes what took the memory into one small JSON file.

    from memory_report import memory_report         # or paste this file above your training loop
    memory_report(model, optimizer, batch)          # instead of one step; the batch is what model(**batch) takes

The file holds sizes, dtypes, names of modules, shapes and the model's config: no data, no weights, no paths. It works on CPUs too.
Drop it on The Memory Wall, or run `memory-wall explain memory-report.json`. License: MIT OR Apache-2.0.
"""
import json

import torch


def memory_report(model, optimizer, batch, loss=lambda model, batch: model(**batch).loss, path="memory-report.json"):
    owner = {parameter: name.rpartition(".")[0] for name, parameter in model.named_parameters()}
    device, modules, phases, saved, inside = next(iter(owner)).device, {}, [], [], [""]

    def tensors(values):
        return [value for value in values if torch.is_tensor(value)]

    def public(it):  # names that begin with _ may hold paths
        return {name: public(value) for name, value in it.items() if str(name)[:1] != "_"} if isinstance(it, dict) else it

    def held():  # (part, module, tensor) of all that is there now
        yield from (("weights", module, parameter) for parameter, module in owner.items())
        yield from (("buffers", name.rpartition(".")[0], buffer) for name, buffer in model.named_buffers())
        yield from (("inputs", "", value) for value in tensors(batch.values()))
        yield from (("gradients", module, it.grad) for it, module in owner.items() if it.grad is not None)
        for group in optimizer.param_groups:  # copies of the weights that the optimizer keeps for itself
            yield from (("optimizer", "", it) for it in group["params"] if it not in owner)
        for parameter, state in optimizer.state.items():
            yield from (("optimizer", owner.get(parameter, ""), value) for value in tensors(state.values()))
        yield from (("saved", module, value) for module, value in saved)

    def phase(name):
        entry, seen, now = {"name": name, "bytes": {}}, set(), {}
        for part, module, tensor in held():
            storage = getattr(tensor, "_local_tensor", tensor).untyped_storage()
            dtype = str(tensor.dtype).removeprefix("torch.")
            if storage.data_ptr() not in seen:  # each storage once, where it is found first
                seen.add(storage.data_ptr())
                for row in (entry["bytes"].setdefault(part, {}), now.setdefault(module, {}).setdefault(part, {})):
                    row[dtype] = row.get(dtype, 0) + storage.nbytes()
        for module, parts in now.items():
            modules.setdefault(module, {}).update(parts)
        if device.type == "cuda":
            torch.cuda.synchronize(device)
            entry["allocator"] = dict(torch.cuda.memory_stats(device))
            torch.cuda.reset_peak_memory_stats(device)
        phases.append(entry)

    hooks = []
    for name, module in model.named_modules():
        hooks.append(module.register_forward_pre_hook(lambda *_, name=name: inside.append(name)))
        hooks.append(module.register_forward_hook(lambda *_: (inside.pop(), None)[1], always_call=True))
    phase("start")
    with torch.autograd.graph.saved_tensors_hooks(lambda it: (saved.append((inside[-1], it)), it)[1], lambda it: it):
        value = loss(model, batch)
    for hook in hooks:
        hook.remove()
    phase("after forward")
    saved.clear()
    value.backward()
    del value
    phase("after backward")
    optimizer.step()
    phase("after step")
    optimizer.zero_grad()
    report = {
        "schema": "memory-wall-report/1", "torch": torch.__version__, "device": device.type,
        "optimizer": type(optimizer).__name__, "phases": phases, "modules": modules,
        "shapes": {name: list(it.shape) for name, it in batch.items() if torch.is_tensor(it)},
        "config": public(model.config.to_dict()) if hasattr(model, "config") else None,
    }
    if device.type == "cuda":
        free, total = torch.cuda.mem_get_info(device)
        report["gpu"] = {"name": torch.cuda.get_device_name(device), "free": free, "total": total}
    with open(path, "w") as file:
        json.dump(report, file, indent=1, default=str)
    return report
