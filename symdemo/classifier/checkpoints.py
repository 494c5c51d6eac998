"""Model folders: JSON and safetensors only, written atomically, checked on loading.

    config.json            format, card, SHA-256 and size of every other file, and the number of
                           pairs taught later, if any
    encoder.safetensors    the encoder's tensors that training changed, in half precision
    index.safetensors      the label embeddings of the taught pairs, one byte per number
    taught.jsonl           the taught pairs, in the same order
    head.safetensors       label rotations or a classification head, if the method has one
    README.md              the card, for people

A whole folder also holds the encoder as sentence-transformers saves it, for other programs:
`SentenceTransformer(folder)` loads it, and symdemo does not read it. Its config.json is merged into
ours. The shipped models and the versions of a project lack it.

The FAISS index is rebuilt from the label embeddings. The encoder's other tensors come from the
encoder that the card names, whose hash must equal the card's.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from logging import getLogger
from math import prod
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch
from pydantic import ConfigDict, TypeAdapter, ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save, save_file
from typing_extensions import TypedDict

from symdemo.classifier.card import ModelCard, readme
from symdemo.classifier.index import LabelIndex
from symdemo.data.pair_files import load_pairs, save_pairs
from symdemo.encoders import Encoder, load_encoder
from symdemo.encoders.backends import TORCH
from symdemo.errors import InputError, ModelError
from symdemo.files.paths import MODELS
from symdemo.files.storage import restore, write_folder, write_shared
from symdemo.pairs import Pair
from symdemo.text import shorten
from symdemo.training.methods import HIDDEN, Readout, find_method, load_readout

logger = getLogger(__name__)

CONFIG = "config.json"
_REQUIRED = {"encoder.safetensors", "index.safetensors", "taught.jsonl"}
_OPTIONAL = {"head.safetensors"}
_UNCHECKED = {"README.md", ".gitattributes", ".git"}
_OTHERS = re.compile(r"\d_[A-Z]\w*|[\w-]{1,60}\.(json|txt|jinja)|model[\w-]{0,20}\.safetensors")
"""Files of sentence-transformers, which are not read."""
PAIRS = "pairs"
"""The shipped model that judges any two sentences about the same two things."""

SHIPPED = ("general", PAIRS, "wikidata14")
"""The shipped models, the best for a visitor first."""

MAX_FILE_BYTES = 2 * 1024**3
_ROWS = "label_embeddings"
_ROWS_AT_ONCE = 100_000


class ListedFile(TypedDict):
    """Size and hash of a file, as recorded in config.json."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The content of config.json, checked by pydantic."""

    __pydantic_config__ = ConfigDict(strict=True)

    format: Literal["symdemo-model/1"]
    card: ModelCard
    files: dict[str, ListedFile]
    taught_later: int = 0


class ModelParts(NamedTuple):
    """The content of a model folder: the arguments of `SymmetryClassifier`."""

    encoder: Encoder
    taught: LabelIndex
    card: ModelCard
    readout: Readout | None = None


def list_models() -> list[ModelCard]:
    """Return the cards of the models in `models/`, shipped ones first."""
    cards = []
    for path in sorted(MODELS.glob(f"[!.]*/{CONFIG}")):
        try:
            cards.append(_read_config(path.parent).card.with_(name=path.parent.name))
        except ModelError as error:
            logger.warning("%s", error)
    return shipped_first(cards)


def shipped_first(cards: Iterable[ModelCard]) -> list[ModelCard]:
    """Sort cards: the shipped models first, the others in their order."""
    return sorted(cards, key=lambda c: SHIPPED.index(c.name) if c.name in SHIPPED else len(SHIPPED))


def find_model(name: str | Path) -> Path:
    """Return the folder of a model, by name in `models/`, by path, or from the hub."""
    for folder in (MODELS / name, Path(name)):
        restore(folder)
        if os.path.isfile(folder / CONFIG):  # unlike Path.is_file, False if the name is too long  # noqa: PTH113
            return folder
    if os.path.isdir(name):  # noqa: PTH112
        raise ModelError(f"The folder {name} has no {CONFIG}; a symdemo model folder is expected.")
    here = ", ".join(card.name for card in list_models()) or "none"
    if str(name).count("/") != 1 or str(name).startswith((".", "/", "~")):
        raise ModelError(
            f"There is no model “{shorten(str(name))}”; here are: {here}. A folder or a hub id "
            "(owner/name) works too."
        )
    from huggingface_hub import snapshot_download

    try:
        wanted = [*_REQUIRED, *_OPTIONAL, CONFIG]
        return Path(snapshot_download(str(name), allow_patterns=wanted, etag_timeout=5))
    except Exception as error:  # the hub's client raises many types
        raise ModelError(
            f"The model {name} is neither in models/ nor available from the hub "
            f"({type(error).__name__}); here are: {here}."
        ) from error


def load_parts(
    name: str | Path, device: str | None = None, inference_only: bool = False, backend: str = TORCH
) -> ModelParts:
    """Load and check a model folder; see `SymmetryClassifier.from_pretrained`."""
    folder = find_model(name)
    config = _read_config(folder)
    card = config.card
    _check_files(folder, config.files)
    encoder = load_encoder(card.encoder, device, inference_only, backend)
    if encoder.base_hash != card.base_hash:
        raise ModelError(
            f"The model in {folder.name} was made from {card.encoder} with the weights "
            f"{card.base_hash[:12]}…; the ones here are {encoder.base_hash[:12]}…."
        )
    size = 2 * sum(tensor.numel() for tensor in encoder.tensors().values())
    encoder.replace_weights(_read_tensors(folder / "encoder.safetensors", size))
    taught = _read_taught(folder / "taught.jsonl")
    dimension = find_method(card.method).dimension(encoder.dimension)
    expected = (len(taught), dimension)
    stored = _read_tensors(folder / "index.safetensors", 2 * len(taught) * dimension)
    if (seen := {key: tuple(value.shape) for key, value in stored.items()}) != {_ROWS: expected}:
        raise ModelError(f"The index of {folder.name} holds {seen}; expected {expected}.")
    index = LabelIndex(taught, stored[_ROWS].numpy(), config.taught_later)
    head = folder / "head.safetensors"
    most = max(size, 2 * HIDDEN * dimension)
    tensors = _read_tensors(head, most) if head.exists() else {}
    readout = load_readout(card.method, card.labels, dimension, tensors)
    return ModelParts(encoder, index, card, readout)


_CONFIG_JSON = TypeAdapter(ModelConfig)


def _read_config(folder: Path) -> ModelConfig:
    try:
        return _CONFIG_JSON.validate_json((folder / CONFIG).read_bytes())
    except OSError as error:
        problem = type(error).__name__
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        problem = f"{shorten(place, 60)}: {first['msg'].rstrip('.')}"
        if first["type"] != "missing":
            problem += f"; seen: {shorten(repr(first['input']), 60)}"
    raise ModelError(f"{CONFIG} in {folder.name} is not a symdemo model's ({problem}).")


def _check_files(folder: Path, files: dict[str, ListedFile]) -> None:
    present = {path.name for path in folder.iterdir()} - _UNCHECKED
    present = {name for name in present if name in files or not _OTHERS.fullmatch(name)}
    for name in sorted(_REQUIRED - set(files) | set(files) - present):
        raise ModelError(f"The model in {folder.name} lacks the file {shorten(name)}.")
    for name in sorted(set(files) - _REQUIRED - _OPTIONAL | present - set(files)):
        raise ModelError(
            f"The model in {folder.name} has the foreign file “{shorten(name)}”; expected only "
            f"{', '.join(sorted(_REQUIRED | _OPTIONAL | _UNCHECKED | {CONFIG}))}."
        )
    for name, listed in files.items():
        path = folder / name
        if path.is_symlink() and not path.resolve().is_file():
            raise ModelError(f"The file {name} in {folder.name} is a broken link.")
        size = path.stat().st_size
        if size != listed["size"] or size > MAX_FILE_BYTES:
            raise ModelError(
                f"{name} in {folder.name} has {size} bytes; expected {listed['size']}."
            )
        if _hash(path) != listed["sha256"]:
            raise ModelError(
                f"{name} in {folder.name} was changed: its hash is not the listed one."
            )


def _read_tensors(path: Path, most: int) -> dict[str, torch.Tensor]:
    """Read tensors; `ModelError` if there are more than `most` numbers, before they are read."""
    try:
        with safe_open(path, "pt") as file:
            numbers = sum(prod(file.get_slice(name).get_shape()) for name in file.keys())  # noqa: SIM118
        if numbers > most:
            raise ModelError(f"{path.name} has {numbers:,} numbers; at most {most:,} are read.")
        tensors = load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise ModelError(f"{path.name} is not a readable safetensors file ({error}).") from None
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise ModelError(f"The tensor {name} in {path.name} has values that are not finite.")
    return {k: v.float() if v.is_floating_point() else v for k, v in tensors.items()}


def _read_taught(path: Path) -> list[Pair]:
    if not path.stat().st_size:
        return []
    try:
        return load_pairs(path, labels=None, label_words=False, strict=True)
    except InputError as error:
        raise ModelError(str(error)) from None


def save_parts(
    model: ModelParts,
    folder: str | Path,
    overwrite: bool = False,
    shared: Path | None = None,
    whole: bool = True,
) -> None:
    """Write a model folder atomically; see `SymmetryClassifier.save_pretrained`."""
    folder = Path(folder)
    restore(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; the name of a folder is expected.")
    if folder.exists() and any(folder.iterdir()):
        if not overwrite:
            raise InputError(f"The folder {folder} exists and is not empty; choose another name.")
        if not (folder / CONFIG).is_file():
            raise InputError(f"The folder {folder} holds no model, so it is not overwritten.")
    write_folder(folder, lambda draft: _write(model, draft, shared, whole))


def _write(model: ModelParts, folder: Path, shared: Path | None = None, whole: bool = True) -> None:
    base = load_encoder(model.card.encoder, device="cpu")
    changed = model.encoder.changed_weights(base)
    weights = {k: v.half() if v.is_floating_point() else v for k, v in changed.items()}
    path = folder / "encoder.safetensors"
    if shared is None:
        save_file(weights, path)
    else:
        write_shared(path, save(weights), shared)
    embeddings = torch.from_numpy(model.taught.embeddings)
    in_bytes = [_in_bytes(part.float()) for part in embeddings.split(_ROWS_AT_ONCE)]
    save_file({_ROWS: torch.cat(in_bytes)}, folder / "index.safetensors")
    save_pairs(model.taught.pairs, folder / "taught.jsonl")
    if model.readout:
        save_file(model.readout.tensors(), folder / "head.safetensors")
    files = {
        path.name: {"sha256": _hash(path), "size": path.stat().st_size}
        for path in sorted(folder.iterdir())
    }
    config: dict[str, Any] = {
        "format": "symdemo-model/1",
        "card": model.card.to_json(),
        "files": files,
    }
    if model.taught.later:
        config["taught_later"] = model.taught.later
    if whole:
        base.replace_weights(weights)
        base.save_pretrained(folder)
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8")) | config
    text = json.dumps(config, indent=2, ensure_ascii=False)
    (folder / CONFIG).write_text(text + "\n", encoding="utf-8")
    (folder / "README.md").write_text(readme(model.card, whole), encoding="utf-8")


def _in_bytes(rows: torch.Tensor) -> torch.Tensor:
    """Scale rows (n, d) to int8, with a maximum of 127 each: only their directions matter."""
    largest = rows.abs().amax(dim=-1, keepdim=True).clamp_min(1e-12)
    return (rows / largest * 127).round().to(torch.int8)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def push_parts(
    model: ModelParts, repo_id: str, token: str | None = None, private: bool = True
) -> str:
    """Upload a model folder to the hub and return its URL; `ModelError` if that fails."""
    from huggingface_hub import HfApi

    with tempfile.TemporaryDirectory() as folder:
        _write(model, Path(folder))
        try:
            api = HfApi(token=token)
            address = api.create_repo(repo_id, private=private, exist_ok=True)
            api.upload_folder(repo_id=repo_id, folder_path=folder)
        except Exception as error:  # the hub's client raises many types
            raise ModelError(
                f"The model could not be pushed to {repo_id} ({type(error).__name__}); log in with "
                "a token that may write, and check the network."
            ) from error
    return str(address)
