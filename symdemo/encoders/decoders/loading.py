"""Getting a decoder that is read as a sentence encoder."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from pathlib import Path
from typing import Any, Literal

import torch

from symdemo.encoders.decoders.adapters import Adapter, find_adapter, merge_adapter
from symdemo.encoders.decoders.options import DecoderOptions, Pooling, Strategy
from symdemo.encoders.decoders.smollm2 import smollm2_folder
from symdemo.encoders.devices import pick_device
from symdemo.encoders.folders import check_whole, hash_weights, hub_folder, quiet_transformers
from symdemo.encoders.registry import ENCODERS, EncoderSpec
from symdemo.encoders.sentence_encoder import SentenceEncoder
from symdemo.errors import InputError, ModelError
from symdemo.files.paths import MODELS
from symdemo.text import shorten

KINDS = ("llama", "mistral", "qwen2", "qwen3")
"""The model types of transformers that can look back."""

MAX_LENGTH = 256
DType = Literal["float32", "bfloat16"]
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
    dtype: DType = "float32",
    four_bit: bool = False,
) -> SentenceEncoder:
    """Load a LLaMA, Mistral, Qwen2 or Qwen3 as a sentence encoder, in the manner of BeLLM.

    With `looking_back=1` and the prompt `representative-word` it is BeLLM before its training.
    What is saved of it, sentence-transformers loads: without symdemo where nothing looks back, and
    else once `symdemo.encoders.decoders.backward` is imported.

    Args:
        name: a registered decoder, a local folder, a hub id with its owner, or what `symdemo bellm
            train` wrote, which is read as it was trained.
        looking_back, strategy, pooling, prompt: as in `DecoderOptions`.
        device: where to put it; the best there is if None.
        dtype: of its weights.
        four_bit: read the weights in 4 bits (NF4), which bitsandbytes does on a GPU alone. Such an
            encoder answers; it is not made for training.

    Raises:
        InputError: an option that does not exist, or that the decoder or this machine cannot do.
        ModelError: unknown, damaged, of another kind, or not on this machine.
    """
    options = DecoderOptions(looking_back, strategy, pooling, prompt)
    place = pick_device(device)
    loading = _loading_options(place, dtype, four_bit)
    if (adapter := find_adapter(str(name))) is not None:
        if options != DecoderOptions():
            raise InputError(
                f"{shorten(adapter.folder.name)} is read as it was trained; options for it are not "
                "expected."
            )
        return _load_with(adapter, loading, place)
    base, folder = _find(str(name))
    spec = EncoderSpec(
        options.name(base.name), base.hub_id, pooling, base.max_length, base.licence, base.script
    )
    _check_kind(folder, base.name)
    model = _assemble(folder, options, spec, loading)
    encoder = SentenceEncoder(model if four_bit else model.to(place), spec, hash_weights(folder))
    if encoder.dimension % 2:
        raise ModelError(
            f"{spec.name} has {encoder.dimension} dimensions; an even number is expected."
        )
    return encoder


def _load_with(adapter: Adapter, loading: dict[str, Any], place: str) -> SentenceEncoder:
    """The decoder that low-rank additions belong to, with them in its weights."""
    if "quantization_config" in loading:
        raise InputError("Additions are not put into weights of 4 bits; leave out four_bit.")
    base, folder = _find(adapter.base)
    name = adapter.folder.name if adapter.folder.parent == MODELS else str(adapter.folder)
    spec = EncoderSpec(
        name, base.hub_id, adapter.options.pooling, base.max_length, base.licence, base.script
    )
    _check_kind(folder, base.name)
    model = _assemble(folder, adapter.options, spec, loading)
    merge_adapter(model[0].get_submodule("model"), adapter.folder)
    both = hashlib.sha256(f"{hash_weights(folder)} {adapter.sha256}".encode()).hexdigest()
    return SentenceEncoder(model.to(place), spec, both)


def find_decoder(name: str) -> str | None:
    """The registered decoder or the folder with one that `name` begins with; None if neither.

    A folder holds a decoder if transformers saved it so and nothing says how to pool it.
    """
    whole = os.path.isdir(name)  # unlike Path.is_dir, False for a name that is too long  # noqa: PTH112
    base = name if whole else name.partition("?")[0]
    if find_adapter(base) is not None:
        return base
    if any(spec.decoder and base in (spec.name, spec.hub_id) for spec in ENCODERS.values()):
        return base
    if not os.path.isdir(base) or Path(base, "modules.json").exists():  # noqa: PTH112
        return None
    return base if _model_type(Path(base)) in KINDS else None


def looks_back(folder: Path) -> bool:
    """Whether a folder holds a decoder that was saved with layers that look back."""
    return (_model_type(folder) or "").startswith("backward_")


def _model_type(folder: Path) -> str | None:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return config.get("model_type") if isinstance(config, dict) else None


def _check_kind(folder: Path, name: str) -> None:
    if (kind := _model_type(folder)) not in KINDS:
        raise ModelError(
            f"{shorten(name)} is {f'of the kind {kind}' if kind else 'no transformers folder'}; a "
            f"decoder is expected: {', '.join(KINDS)}."
        )


def _find(name: str) -> tuple[EncoderSpec, Path]:
    """What is known of a decoder before it is loaded, and its folder."""
    if os.path.isdir(name):  # noqa: PTH112
        return EncoderSpec(name, name, "mean", MAX_LENGTH, "unknown", script=None), Path(name)
    for spec in ENCODERS.values():
        if spec.decoder and name in (spec.name, spec.hub_id):
            return spec, smollm2_folder()
    if name.count("/") != 1 or name in {spec.hub_id for spec in ENCODERS.values()}:
        known = ", ".join(spec.name for spec in ENCODERS.values() if spec.decoder)
        raise ModelError(
            f"The decoder “{shorten(name)}” is unknown; expected a local folder, a hub id with its "
            f"owner, or one of: {known}."
        )
    spec = EncoderSpec(name, name, "mean", MAX_LENGTH, "unknown", script=None)
    return spec, hub_folder(spec)


def _loading_options(place: str, dtype: str, four_bit: bool) -> dict[str, Any]:
    if dtype not in ("float32", "bfloat16"):
        raise InputError(f"The dtype is “{shorten(dtype)}”; float32 or bfloat16 is expected.")
    options: dict[str, Any] = {"dtype": getattr(torch, dtype)}
    if not four_bit:
        return options
    if not place.startswith("cuda") or importlib.util.find_spec("bitsandbytes") is None:
        raise InputError(
            "Weights are read in 4 bits on a CUDA GPU and with the package bitsandbytes alone; the "
            f"device is {place}. Leave out four_bit, or run pip install bitsandbytes on a GPU."
        )
    from transformers import BitsAndBytesConfig

    quantised = BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
    )
    return options | {"quantization_config": quantised, "device_map": {"": place}}


def _assemble(
    folder: Path, options: DecoderOptions, spec: EncoderSpec, loading: dict[str, Any]
) -> Any:
    """The `SentenceTransformer`: the decoder with its prompt, the pooling, and unit length."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    from symdemo.encoders.decoders.backward import look_back
    from symdemo.encoders.decoders.prompts import put_prompt

    own = {"use_safetensors": True, "local_files_only": True, "trust_remote_code": False}
    with quiet_transformers():
        try:
            # The text is read as it is: a chat template would put it into a conversation.
            body = Transformer(
                str(folder), model_kwargs=own | loading,
                modality_config=_TEXT, module_output_name="token_embeddings",
            )  # fmt: skip
            if (folder / "model.safetensors").is_file():
                check_whole(body.model, folder)
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
