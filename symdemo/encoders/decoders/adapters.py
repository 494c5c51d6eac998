"""Low-rank additions to a decoder's weights: what training leaves behind, a few megabytes of it.

A folder of one holds what PEFT writes (`adapter_config.json`, `adapter_model.safetensors`) and
`bellm.json`, which says which decoder it belongs to and how that is read.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from torch.nn import Module

from symdemo.encoders.decoders.options import DecoderOptions
from symdemo.encoders.decoders.smollm2 import INSTALL
from symdemo.errors import InputError, ModelError
from symdemo.files.atomic import write_text
from symdemo.files.paths import MODELS

RECORD = "bellm.json"
WEIGHTS = "adapter_model.safetensors"
SETTINGS = "adapter_config.json"


@dataclass(frozen=True, slots=True)
class Adapter:
    """A folder of additions, the decoder that they belong to, and how it is read.

    Attributes:
        made: what is known of the training: settings, data, seconds, scores.
    """

    folder: Path
    base: str
    options: DecoderOptions
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """The hash of its weights."""
        with (self.folder / WEIGHTS).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def find_adapter(name: str) -> Adapter | None:
    """The additions called `name`: a folder, or one in `models/`; None if there are none.

    Raises:
        ModelError: there are some, but the record of them is damaged.
    """
    places = [Path(name)] if "/" in name or os.sep in name else [MODELS / name, Path(name)]
    for folder in places:
        if os.path.isfile(folder / RECORD):  # False for a name that is too long  # noqa: PTH113
            return _read(folder)
    return None


def write_record(folder: Path, base: str, options: DecoderOptions, made: dict[str, Any]) -> None:
    """Write which decoder the additions in `folder` belong to, and how they were made."""
    record = {"base": base, "options": asdict(options), "made": made}
    write_text(folder / RECORD, json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def merge_adapter(body: Module, folder: Path) -> None:
    """Add what is in `folder` to the weights of `body`, which stays of the same kind.

    Raises:
        ModelError: PEFT is not installed, or the additions are damaged or of another decoder.
    """
    if importlib.util.find_spec("peft") is None:
        raise ModelError(
            f"The additions in {folder.name} need the package peft. Install it with: {INSTALL}"
        )
    from peft import LoraConfig, get_peft_model, set_peft_model_state_dict
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        config: Any = LoraConfig.from_pretrained(str(folder), local_files_only=True)
        weights = load_file(folder / WEIGHTS)
        model: Any = get_peft_model(body, config)
        seen: Any = set_peft_model_state_dict(model, weights)
        lacking = [name for name in seen.missing_keys if "lora_" in name]
        if lacking or seen.unexpected_keys:
            raise ValueError(f"{len(lacking)} missing, {len(seen.unexpected_keys)} unexpected")
        model.merge_and_unload()
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, SafetensorError) as error:
        raise ModelError(
            f"The additions in {folder} cannot be read ({type(error).__name__}); expected those of "
            f"this decoder, as PEFT writes them."
        ) from error


def _read(folder: Path) -> Adapter:
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        options = DecoderOptions(**record["options"])
        if not isinstance(record["base"], str) or not isinstance(record["made"], dict):
            raise TypeError("base is a name, made an object")
        return Adapter(folder, record["base"], options, record["made"])
    except (OSError, ValueError, KeyError, TypeError, InputError) as error:
        raise ModelError(
            f"{folder / RECORD} cannot be read ({type(error).__name__}); an object with base, "
            "options and made is expected."
        ) from error
