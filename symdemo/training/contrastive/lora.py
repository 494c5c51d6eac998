"""The low-rank additions while they are trained (LoRA, Hu et al. 2021, arXiv 2106.09685)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch.nn import Module

from symdemo.encoders.decoders.adapters import SETTINGS, WEIGHTS
from symdemo.files.atomic import replacing, write_text
from symdemo.training.contrastive.config import ContrastiveConfig


class LoraWeights:
    """Additions to the linear weights of a transformer; its own weights stay as they are.

    PEFT puts them into the transformer in place, so what reads it goes on reading it.
    """

    def __init__(self, model: Any):
        self._model = model

    @classmethod
    def add_to(cls, body: Module, config: ContrastiveConfig) -> LoraWeights:
        """Freeze `body` and give its linear layers additions, the second factor of each 0."""
        from peft import LoraConfig, get_peft_model

        settings = LoraConfig(
            r=config.rank,
            lora_alpha=config.alpha,
            lora_dropout=config.dropout,
            target_modules=config.target_modules,
            bias="none",
        )
        return cls(get_peft_model(body, settings))

    def tensors(self, dtype: torch.dtype | None = None) -> dict[str, torch.Tensor]:
        """The additions by PEFT's names, on the CPU."""
        from peft import get_peft_model_state_dict

        found = get_peft_model_state_dict(self._model, save_embedding_layers=False)
        return {name: value.detach().to("cpu", dtype).contiguous() for name, value in found.items()}

    def save(self, folder: Path, dtype: torch.dtype | None = None) -> None:
        """Write settings and additions as PEFT reads them; it names no base, a record does that."""
        folder.mkdir(parents=True, exist_ok=True)
        settings = self._model.peft_config["default"].to_dict()
        settings |= {"base_model_name_or_path": None, "inference_mode": True}
        known = {name: _plain(value) for name, value in sorted(settings.items())}
        write_text(folder / SETTINGS, json.dumps(known, indent=1) + "\n")
        with replacing(folder / WEIGHTS) as draft:
            save_file(self.tensors(dtype), draft)

    def load(self, folder: Path) -> None:
        """Take the additions that `save` wrote."""
        from peft import set_peft_model_state_dict

        set_peft_model_state_dict(self._model, load_file(folder / WEIGHTS))

    def round(self) -> None:
        """Round the additions to bfloat16: half the size, and what is kept is what is used."""
        from peft import set_peft_model_state_dict

        rounded = {name: value.float() for name, value in self.tensors(torch.bfloat16).items()}
        set_peft_model_state_dict(self._model, rounded)

    def merge(self) -> None:
        """Add the additions to the transformer's own weights, and take them out."""
        self._model.merge_and_unload()


def _plain(value: Any) -> Any:
    """A setting as JSON: sets sorted, so that equal settings are equal files."""
    if isinstance(value, set | frozenset):
        return sorted(value)
    if value is None or isinstance(value, bool | int | float | str | list | dict):
        return value
    return str(value)
