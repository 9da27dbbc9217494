"""Hands exports to the parsers of the programs that they are written for.

Usage: check.py FOLDER, with files as `cargo xtask exports` writes them: NN-TARGET.EXTENSION.
One line a file: `ok`, `REFUSED` with the parser's words, or `could not` with the reason why no parser is here. Exit code 1 if any is refused.
"""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


class Missing(Exception):
    """No parser is here."""


def words(path, programs):
    """The words of the command as a shell hands them over, by programs of these names that print what they are given."""
    with tempfile.TemporaryDirectory() as folder:
        for name in programs:
            stub = pathlib.Path(folder, name)
            stub.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
            stub.chmod(0o755)
        environment = {"PATH": f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin", "QUANTISED_MODEL": "some/model"}
        output = subprocess.run(["sh", path], env=environment, capture_output=True, check=True).stdout
    return output.decode().split("\0")[:-1]


def vllm_on_processor():
    """vLLM's arguments have defaults of the device that is there; without a GPU, those of its processor."""
    import vllm.platforms
    from vllm.platforms.cpu import CpuPlatform

    vllm.platforms._current_platform = CpuPlatform()


def vllm():
    vllm_on_processor()
    from vllm.entrypoints.common.cli_args import make_arg_parser
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    parser = make_arg_parser(FlexibleArgumentParser())
    return lambda path: parser.parse_args(words(path, ["vllm"])[1:])


def vllm_engine():
    """The engine's arguments alone, where the server's do not import."""
    vllm_on_processor()
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    parser = AsyncEngineArgs.add_cli_args(FlexibleArgumentParser())
    return lambda path: parser.parse_args(["--model", *words(path, ["vllm"])[1:]])


def sglang():
    import argparse

    from sglang.srt.server_args import ServerArgs

    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    return lambda path: parser.parse_args(words(path, ["python"])[2:])


def accelerate():
    from accelerate.commands.config.config_args import load_config_from_file
    from accelerate.commands.launch import launch_command_parser
    from accelerate.parallelism_config import ParallelismConfig

    known = set(vars(launch_command_parser().parse_args(["x.py"])))

    def read(path):
        config = load_config_from_file(path)
        # The loader takes these parts as they are, and the launcher sets arguments of the same names.
        for part in (config.fsdp_config, config.parallelism_config):
            for name in part:
                if name not in known:
                    raise ValueError(f"the launcher has no {name}")
        prefix = "parallelism_config_"
        ParallelismConfig(**{name.removeprefix(prefix): size for name, size in config.parallelism_config.items()})

    return read


def deepspeed():
    from deepspeed.runtime.config import DeepSpeedConfig

    return lambda path: DeepSpeedConfig(path)


def training_arguments():
    from transformers import HfArgumentParser, TrainingArguments

    parser = HfArgumentParser(TrainingArguments)

    # On the processor: a machine without a GPU refuses bf16 otherwise, whatever the file says.
    def read(path):
        parser.parse_dict({**json.loads(pathlib.Path(path).read_text()), "use_cpu": True})

    return read


def axolotl():
    import yaml

    from axolotl.utils.schemas.config import AxolotlInputConfig

    # What axolotl asks for and no plan has.
    asked = {"learning_rate": 1e-4, "datasets": [{"path": "data", "type": "alpaca"}]}

    def read(path):
        given = yaml.safe_load(pathlib.Path(path).read_text())
        unknown = sorted(set(given) - set(AxolotlInputConfig.model_fields))
        if unknown:
            raise ValueError(f"unknown keys {unknown}")
        AxolotlInputConfig(**given, **asked, lora_alpha=16)

    return read


def torchtitan():
    import importlib

    from torchtitan.config.manager import ConfigManager

    def read(path):
        given = words(path, ["torchrun"])
        module = given[given.index("--module") + 1]
        try:
            importlib.import_module(f"torchtitan.models.{module}.config_registry")
        except Exception as error:
            raise Missing(f"its module {module} does not import here: {type(error).__name__}: {first_line(error)}") from error
        ConfigManager().parse_args(given[given.index("torchtitan.train") + 1 :])

    return read


def megatron():
    checkout = os.environ.get("MEGATRON_LM")
    if not checkout:
        raise Missing("Megatron-LM's arguments are in no package: MEGATRON_LM=FOLDER names a checkout")
    import argparse
    import typing

    import typing_extensions

    # A word of Python 3.12 in a file that has nothing else of it.
    typing.override = typing_extensions.override
    sys.path.insert(0, checkout)
    from megatron.training.arguments import add_megatron_arguments

    parser = argparse.ArgumentParser(allow_abbrev=False)
    add_megatron_arguments(parser)

    def read(path):
        given = words(path, ["torchrun"])
        parser.parse_args(given[given.index("pretrain_gpt.py") + 1 :])

    return read


def missing(why):
    def parser():
        raise Missing(why)

    return parser


PARSERS = {
    "vllm": [vllm, vllm_engine],
    "sglang": [sglang],
    "accelerate": [accelerate],
    "deepspeed": [deepspeed],
    "training-arguments": [training_arguments],
    "axolotl": [axolotl],
    "torchtitan": [torchtitan],
    "megatron": [megatron],
    "trtllm-serve": [missing("tensorrt_llm is built for one CUDA release and does not import without it")],
    "llama-server": [missing("llama.cpp's server is no package of PyPI")],
    "ollama": [missing("Ollama is no package of PyPI")],
}


def ready(target):
    """The parser of a target; why there is none."""
    reasons = []
    for make in PARSERS[target]:
        try:
            with quiet():
                return make()
        except Missing as error:
            reasons.append(str(error))
        except BaseException as error:
            reasons.append(f"{type(error).__name__}: {first_line(error)}")
    raise Missing("; ".join(reasons))


@contextlib.contextmanager
def quiet():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        yield said


def first_line(error):
    return (str(error).strip().splitlines() or [""])[0][:200]


def main(folder):
    counts = {"ok": 0, "REFUSED": 0, "could not": 0}
    parsers = {}
    for path in sorted(pathlib.Path(folder).iterdir()):
        target = path.stem.split("-", 1)[1]
        if target not in parsers:
            try:
                parsers[target] = ready(target)
            except Missing as error:
                parsers[target] = error
        parser = parsers[target]
        verdict, why = "ok", ""
        if isinstance(parser, Missing):
            verdict, why = "could not", str(parser)
        else:
            try:
                with quiet() as said:
                    parser(str(path))
            except Missing as error:
                verdict, why = "could not", str(error)
            except SystemExit:
                verdict, why = "REFUSED", " ".join(said.getvalue().split())[-300:]
            except BaseException as error:
                verdict, why = "REFUSED", f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        counts[verdict] += 1
        print(f"{verdict}\t{path.name}\t{why}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["REFUSED"] or not counts["ok"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
