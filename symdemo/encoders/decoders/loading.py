"""`load_decoder`: a causal language model as a sentence encoder."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import torch

from symdemo.encoders import registry
from symdemo.encoders.decoders.adapters import find_adapter, merge_adapter
from symdemo.encoders.decoders.options import KINDS, DecoderOptions, Pooling, Strategy
from symdemo.encoders.decoders.smollm2 import smollm2_folder
from symdemo.encoders.encoder import SentenceEncoder
from symdemo.encoders.registry import EncoderSpec
from symdemo.errors import InputError, ModelError
from symdemo.files.paths import MODELS
from symdemo.text import shorten

MAX_LENGTH = 256
_POOLING = {"last": "lasttoken", "mean": "mean", "weighted-mean": "weightedmean"}
_TEXT = {"text": {"method": "forward", "method_output_name": "last_hidden_state"}}


def load_decoder(
    name: str | Path,
    looking_back: int | Literal["all"] = 0,
    strategy: Strategy = "modification",
    pooling: Pooling = "weighted-mean",
    prompt: str | None = None,
    *,
    device: str | None = None,
) -> SentenceEncoder:
    """Load a LLaMA, Mistral, Qwen2 or Qwen3 as a sentence encoder, as BeLLM does.

    With `looking_back=1` and the prompt `representative-word` it is BeLLM before its training.
    sentence-transformers loads it after saving: without symdemo if no layer looks back, else once
    `symdemo.encoders.decoders.backward` is imported.

    Args:
        name: a registered decoder, a local folder, a hub id with its owner, or an adapter's folder
            written by `symdemo bellm train`, which brings its own options.
        looking_back, strategy, pooling, prompt: see `DecoderOptions`.
        device: where to put it; the best available one if None.

    Raises:
        InputError: an unknown option, or one that the decoder does not support.
        ModelError: unknown, damaged, of another model type, or not on this machine.
    """
    options = DecoderOptions(looking_back, strategy, pooling, prompt)
    place = registry.pick_device(device)
    adapter = find_adapter(str(name))
    if adapter is None:
        base, folder = _find(str(name))
        label = options.name(base.name)
    else:
        if options != DecoderOptions():
            raise InputError(
                f"{shorten(adapter.folder.name)} is read as it was trained; options for it are not "
                "expected."
            )
        base, folder = _find(adapter.base)
        options = adapter.options
        label = adapter.folder.name if adapter.folder.parent == MODELS else str(adapter.folder)
    if (kind := _model_type(folder)) not in KINDS:
        raise ModelError(
            f"{shorten(base.name)} is {f'of the kind {kind}' if kind else 'no transformers folder'}"
            f"; a decoder is expected: {', '.join(KINDS)}."
        )
    model = _assemble(folder, options, base)
    weights = registry.hash_weights(folder)
    if adapter is not None:
        merge_adapter(model[0].get_submodule("model"), adapter.folder)
        weights = hashlib.sha256(f"{weights} {adapter.sha256}".encode()).hexdigest()
    spec = replace(base, name=label, pooling=options.pooling, decoder=False)
    return SentenceEncoder(model.to(place), spec, weights)


def find_decoder(name: str) -> str | None:
    """Return the part of `name` that names a decoder, without options; None if it names none.

    A folder holds a decoder if it has a decoder's config.json and no modules.json.
    """
    whole = os.path.isdir(name)  # unlike Path.is_dir, False if the name is too long  # noqa: PTH112
    base = name if whole else name.partition("?")[0]
    if find_adapter(base) is not None:
        return base
    specs = registry.ENCODERS.values()
    if any(spec.decoder and base in (spec.name, spec.hub_id) for spec in specs):
        return base
    if not os.path.isdir(base) or Path(base, "modules.json").exists():  # noqa: PTH112
        return None
    return base if _model_type(Path(base)) in KINDS else None


def looks_back(folder: Path) -> bool:
    """True if a folder holds a saved decoder with layers that look back."""
    return (_model_type(folder) or "").startswith("backward_")


def _model_type(folder: Path) -> str | None:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return config.get("model_type") if isinstance(config, dict) else None


def _find(name: str) -> tuple[EncoderSpec, Path]:
    """Return a decoder's registry entry and its folder."""
    if os.path.isdir(name):  # noqa: PTH112
        return EncoderSpec(name, name, max_length=MAX_LENGTH, script=None), Path(name)
    for spec in registry.ENCODERS.values():
        if spec.decoder and name in (spec.name, spec.hub_id):
            return spec, smollm2_folder()
    if name.count("/") != 1 or name in {spec.hub_id for spec in registry.ENCODERS.values()}:
        known = ", ".join(spec.name for spec in registry.ENCODERS.values() if spec.decoder)
        raise ModelError(
            f"The decoder “{shorten(name)}” is unknown; expected a local folder, a hub id with its "
            f"owner, or one of: {known}."
        )
    spec = EncoderSpec(name, name, max_length=MAX_LENGTH, script=None)
    return spec, registry.hub_folder(spec)


def _assemble(folder: Path, options: DecoderOptions, spec: EncoderSpec) -> Any:
    """Build the `SentenceTransformer`: the decoder with its prompt, pooling, normalisation."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    from symdemo.encoders.decoders.backward import look_back
    from symdemo.encoders.decoders.prompts import put_prompt

    loading = {"use_safetensors": True, "local_files_only": True, "trust_remote_code": False}
    with registry.quiet_transformers():
        try:
            # Without these, the text would be wrapped in the chat template.
            body = Transformer(
                str(folder), model_kwargs=loading | {"dtype": torch.float32},
                modality_config=_TEXT, module_output_name="token_embeddings",
            )  # fmt: skip
            if (folder / "model.safetensors").is_file():
                registry.check_whole(body.model, folder)
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            raise ModelError(
                f"The folder {folder} cannot be loaded as a decoder ({type(error).__name__}); "
                "expected a transformers folder with safetensors."
            ) from error
    length = min(spec.max_length, body.config.max_position_embeddings)
    body.processor = put_prompt(body.tokenizer, options.prompt, length)
    layers = options.looking_back
    if layers:
        count = body.config.num_hidden_layers if layers == "all" else layers
        body.model = look_back(body.model, count, options.strategy)
    pooling = Pooling(body.get_embedding_dimension(), pooling_mode=_POOLING[options.pooling])
    return SentenceTransformer(modules=[body, pooling, Normalize()], device=str(body.model.device))
