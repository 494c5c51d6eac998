"""Folders with an encoder in them: fetched from the hub, hashed, and found to be whole."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import torch
from safetensors import safe_open

from symdemo.encoders.registry import DEFAULT_ENCODER, EncoderSpec
from symdemo.errors import ModelError

_SHARDS = "model.safetensors.index.json"
_WEIGHTS = ("model.safetensors", "model-*-of-*.safetensors")


def hub_folder(spec: EncoderSpec) -> Path:
    """The hub's snapshot of an encoder: from the local cache, else downloaded.

    Raises:
        ModelError: it is in neither place.
    """
    from huggingface_hub import snapshot_download

    wanted = ["*.json", "*.txt", "*.model", *_WEIGHTS, "*/config.json"]
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
    """SHA-256 of the safetensors file of a model folder, or of the hashes of its several files.

    Raises:
        ModelError: there is none; pickled weights are never read.
    """
    path = folder / "model.safetensors"
    if not path.is_file() and (folder / _SHARDS).is_file():
        parts = [_hash_now(part) for part in sorted(folder.glob(_WEIGHTS[1]))]
        return hashlib.sha256("".join(parts).encode()).hexdigest()
    if not path.is_file():
        raise ModelError(
            f"The folder {folder} has no model.safetensors; an encoder's weights are read from "
            "safetensors only."
        )
    return _hash_now(path)


def _hash_now(path: Path) -> str:
    stat = path.stat()
    return _hash_file(path, stat.st_size, stat.st_mtime_ns)


def check_whole(body: torch.nn.Module, folder: Path) -> None:
    """Raise where the file lacks a tensor, for which transformers would take random numbers.

    Raises:
        ValueError: it names the tensor.
    """
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
