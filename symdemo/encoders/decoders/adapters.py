"""LoRA adapters of decoders (Hu et al. 2021, arXiv 2106.09685): trained, saved, found, merged.

An adapter's folder has PEFT's files (`adapter_config.json`, `adapter_model.safetensors`) and
`bellm.json`, which names the decoder it belongs to and that decoder's options.
"""

from __future__ import annotations

import importlib.util
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn import Module

from symdemo.encoders.decoders.options import DecoderOptions
from symdemo.encoders.decoders.smollm2 import INSTALL
from symdemo.encoders.registry import hash_file
from symdemo.errors import InputError, ModelError
from symdemo.files.paths import MODELS
from symdemo.files.storage import replacing, write_json, write_text

RECORD = "bellm.json"
WEIGHTS = "adapter_model.safetensors"
SETTINGS = "adapter_config.json"


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter's folder."""

    folder: Path
    base: str  # the name of the decoder it belongs to
    options: DecoderOptions  # how that decoder is read
    made: dict[str, Any]  # facts about the training: settings, data, seconds, scores

    @property
    def sha256(self) -> str:
        """The hash of its weights."""
        return hash_file(self.folder / WEIGHTS)


def find_adapter(name: str) -> Adapter | None:
    """Return the adapter called `name`, a folder or one in `models/`; None if there is none.

    Raises:
        ModelError: its record is damaged.
    """
    places = [Path(name)] if "/" in name or os.sep in name else [MODELS / name, Path(name)]
    for folder in places:
        if os.path.isfile(folder / RECORD):  # False if the name is too long  # noqa: PTH113
            return _read(folder)
    return None


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


def write_record(folder: Path, base: str, options: DecoderOptions, made: dict[str, Any]) -> None:
    """Write `bellm.json`: the decoder, its options, and how the adapter was made."""
    write_json(folder / RECORD, {"base": base, "options": asdict(options), "made": made})


def merge_adapter(body: Module, folder: Path) -> None:
    """Add the adapter in `folder` to the weights of `body`, in place.

    PEFT's `PeftModel.from_pretrained` only warns about missing tensors, so they are checked here.

    Raises:
        ModelError: PEFT is not installed, or the adapter is damaged or of another decoder.
    """
    if importlib.util.find_spec("peft") is None:
        raise ModelError(
            f"The adapter in {folder.name} needs the package peft. Install it with: {INSTALL}."
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
            f"The adapter in {folder} cannot be read ({type(error).__name__}); one for this "
            "decoder, as PEFT writes it, is expected."
        ) from error


class LoraWeights:
    """An adapter in training: PEFT adds it to a transformer in place and freezes the rest.

    Args:
        body: the transformer.
        rank, alpha, dropout: of LoRA.
        targets: the linear layers to adapt, as PEFT's `target_modules`.
    """

    def __init__(
        self, body: Module, rank: int, alpha: int, dropout: float, targets: list[str] | str
    ):
        from peft import LoraConfig, get_peft_model

        settings = LoraConfig(
            r=rank, lora_alpha=alpha, lora_dropout=dropout, target_modules=targets, bias="none"
        )
        self._model: Any = get_peft_model(body, settings)

    def tensors(self, dtype: torch.dtype | None = None) -> dict[str, torch.Tensor]:
        """Return the adapter's tensors by PEFT's names, on the CPU."""
        from peft import get_peft_model_state_dict

        found = get_peft_model_state_dict(self._model, save_embedding_layers=False)
        return {name: value.detach().to("cpu", dtype).contiguous() for name, value in found.items()}

    def save(self, folder: Path, dtype: torch.dtype | None = None) -> None:
        """Write PEFT's two files, equal for equal adapters; the record names the base model."""
        from safetensors.torch import save_file

        folder.mkdir(parents=True, exist_ok=True)
        settings = self._model.peft_config["default"].to_dict()
        settings |= {"base_model_name_or_path": None, "inference_mode": True}
        text = json.dumps(settings, indent=1, sort_keys=True, default=_to_json)
        write_text(folder / SETTINGS, text + "\n")
        with replacing(folder / WEIGHTS) as draft:
            save_file(self.tensors(dtype), draft)

    def load(self, folder: Path) -> None:
        """Load the tensors that `save` wrote."""
        from peft import set_peft_model_state_dict
        from safetensors.torch import load_file

        set_peft_model_state_dict(self._model, load_file(folder / WEIGHTS))

    def round(self) -> None:
        """Round to bfloat16, so that the adapter in use equals the one that is saved."""
        from peft import set_peft_model_state_dict

        rounded = {name: value.float() for name, value in self.tensors(torch.bfloat16).items()}
        set_peft_model_state_dict(self._model, rounded)

    def merge(self) -> None:
        """Add the adapter to the transformer's own weights and remove it."""
        self._model.merge_and_unload()


def _to_json(value: Any) -> Any:
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
