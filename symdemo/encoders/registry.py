"""Registered encoders, and where their weights are: the hub, a folder, a device."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open

from symdemo.errors import InputError, ModelError
from symdemo.text import shorten

DEFAULT_ENCODER = "all-MiniLM-L6-v2"


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """An encoder's entry in the registry, known before it is loaded."""

    name: str  # that it is loaded by
    hub_id: str  # the hub repository
    pooling: str = "mean"  # as sentence-transformers names it
    max_length: int = 256  # number of tokens it reads
    script: str | None = "LATIN"  # the Unicode script it reads; None for any
    decoder: bool = False  # a causal language model; see `symdemo.encoders.decoders`


_SBERT = "sentence-transformers"
ENCODERS: dict[str, EncoderSpec] = {
    spec.name: spec
    for spec in (
        EncoderSpec(DEFAULT_ENCODER, f"{_SBERT}/{DEFAULT_ENCODER}"),
        EncoderSpec("all-MiniLM-L12-v2", f"{_SBERT}/all-MiniLM-L12-v2", max_length=128),
        EncoderSpec("MiniLM-L6-H384-uncased", "nreimers/MiniLM-L6-H384-uncased"),
        EncoderSpec("MiniLM-L12-H384-uncased", "microsoft/MiniLM-L12-H384-uncased"),
        EncoderSpec("roberta-large", "FacebookAI/roberta-large"),
        EncoderSpec("roberta-large-mnli", "FacebookAI/roberta-large-mnli"),
        EncoderSpec("all-mpnet-base-v2", f"{_SBERT}/all-mpnet-base-v2", max_length=384),
        EncoderSpec(
            "smollm2-135m", "HuggingFaceTB/SmolLM2-135M-Instruct", "weighted-mean", decoder=True
        ),
    )
}


def find_spec(name: str) -> EncoderSpec:
    """Return the registered encoder of this name, hub id, or hub id with another owner.

    Raises:
        ModelError: no such encoder.
    """
    for spec in ENCODERS.values():
        if name in (spec.name, spec.hub_id) or name.rsplit("/", maxsplit=1)[-1] == spec.name:
            return spec
    raise ModelError(
        f"The encoder “{shorten(name)}” is unknown; expected a local folder or one of: "
        f"{', '.join(ENCODERS)}."
    )


def is_gpu_lent() -> bool:
    """True on ZeroGPU, where a process seems to have a GPU but only lent pieces of work have one.

    The package `spaces` reads the same variable; elsewhere it lends nothing.
    """
    return os.environ.get("SPACES_ZERO_GPU", "").lower() in ("1", "t", "true")


def pick_device(device: str | None = None) -> str:
    """Return `device`, or the best one if None: CUDA unless it is lent, then MPS, then CPU.

    Raises:
        InputError: an unknown or unavailable device.
    """
    found = {
        "cpu": 1,
        "cuda": torch.cuda.device_count(),
        "mps": int(torch.backends.mps.is_available()),
    }
    if not device and is_gpu_lent():
        return "cpu"
    if not device:
        return next(kind for kind in ("cuda", "mps", "cpu") if found[kind])
    if not (known := re.fullmatch(r"(cpu|cuda|mps)(?::([0-9]{1,3}))?", device)):
        raise InputError(
            f"The device “{shorten(device, 30)}” is unknown; cpu, cuda, cuda:1 or mps is expected."
        )
    if int(known[2] or 0) >= found[known[1]]:
        here = ", ".join(name for name, count in found.items() if count)
        raise InputError(f"There is no device {device} here; seen: {here}.")
    return device


_SHARDS = "model-*-of-*.safetensors"


def hub_folder(spec: EncoderSpec) -> Path:
    """Return the hub's snapshot of an encoder, from the local cache or downloaded.

    Raises:
        ModelError: it is in neither place.
    """
    from huggingface_hub import snapshot_download

    wanted = ["*.json", "*.txt", "*.model", "model.safetensors", _SHARDS, "*/config.json"]
    offline = os.environ.get("HF_HUB_OFFLINE", "0") in ("1", "true", "True")
    places: list[dict[str, Any]] = [{"local_files_only": True}, {"etag_timeout": 5}]
    for place in places[: 1 if offline else 2]:
        try:
            return Path(snapshot_download(spec.hub_id, allow_patterns=wanted, **place))
        except Exception as error:  # many types: not cached, refused, timed out, gated, moved
            last_error = error
    raise ModelError(
        f"The encoder {spec.name} is not on this machine and the hub cannot be reached: connect "
        f"once so that {spec.hub_id} is cached, give a local folder, or use {DEFAULT_ENCODER}, "
        "which needs no network."
    ) from last_error


def hash_weights(folder: Path) -> str:
    """Return the SHA-256 of a model folder's safetensors file, or of the hashes of its shards.

    Raises:
        ModelError: no safetensors file; pickled weights are never read.
    """
    path = folder / "model.safetensors"
    if path.is_file():
        return hash_file(path)
    if (folder / "model.safetensors.index.json").is_file():
        shards = [hash_file(shard) for shard in sorted(folder.glob(_SHARDS))]
        return hashlib.sha256("".join(shards).encode()).hexdigest()
    raise ModelError(
        f"The folder {folder} has no model.safetensors; an encoder's weights are read from "
        "safetensors only."
    )


def hash_file(path: Path) -> str:
    """Return a file's SHA-256, computed again only if its size or time of change differs."""
    stat = path.stat()
    return _hash_file(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=32)
def _hash_file(path: Path, size: int, modified: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_whole(body: torch.nn.Module, folder: Path) -> None:
    """Check that the weights file has every tensor; transformers would draw a missing one.

    Raises:
        ValueError: a tensor is missing.
    """
    with safe_open(folder / "model.safetensors", "pt") as file:
        stored = {re.sub("gamma$", "weight", re.sub("beta$", "bias", k)) for k in file.keys()}  # noqa: SIM118
    known = {".".join(parts[i:]) for parts in (k.split(".") for k in stored) for i in range(3)}
    lost = {name for name, _ in body.named_parameters() if not name.startswith("pooler.")} - known
    if lost:
        raise ValueError(f"no tensor {min(lost)}")


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Hide transformers' loading bar for a `with` block."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
