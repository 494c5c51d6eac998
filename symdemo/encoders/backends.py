"""Backends: a BERT run in 8-bit integers by ONNX Runtime, several times as fast as by torch.

A transformer is exported into the cache folder in full precision and quantised, again only if its
weights change. Rounding moves embeddings a little. If that could change a verdict,
`SymmetryClassifier.predict_checked` encodes the pair again in full precision.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from logging import getLogger
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from symdemo.encoders.encoder import Encoder, SentenceEncoder, TextInput
from symdemo.encoders.plain_bert import PlainBert
from symdemo.errors import InputError, ModelError
from symdemo.files.paths import cache_folder
from symdemo.files.storage import replacing
from symdemo.text import shorten

logger = getLogger(__name__)

TORCH, ONNX, AUTO = "torch", "onnx", "auto"
BACKENDS = (TORCH, ONNX, AUTO)
"""“auto” is the quickest that is installed; a GPU runs torch only."""

_PACKAGES = ("onnx", "onnxruntime")

LEAST_COSINE = 0.95
"""Least cosine of an embedding with torch's. `general`'s smallest on 20,000 pairs was 0.961; if
8-bit sums overflow, as on x86 without VNNI, errors may exceed what `prediction.MARGIN` allows for.
"""

KEPT = 8
"""Exported files that are kept, the last used; an encoder has two."""

Run = Callable[[Sequence[TextInput]], np.ndarray]
"""Sentences or pairs → embeddings (n, d)."""

_NAMES = ("ids", "types", "mask")
_PROBES = (
    ("Kenya borders Uganda.", "Uganda borders Kenya."),
    "Ann is Bob's mother.",
    ("Rotterdam lies downstream of Cologne on the Rhine.", "x"),
    ("x beats z.", "x: the old champion, z: Zoe"),
    "The committee that Ruth chairs has never once been asked to approve what Simon proposes.",
)


def pick_backend(backend: str, device: str) -> str:
    """Return the backend to run on a device, for “auto” the quickest one there is.

    Raises:
        InputError: an unknown backend, one without its packages, or one that does not run there.
    """
    if backend not in BACKENDS:
        raise InputError(
            f"The backend “{shorten(backend, 30)}” is unknown; expected: {', '.join(BACKENDS)}."
        )
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if backend == AUTO:
        return TORCH if missing or device != "cpu" else ONNX
    if backend == TORCH:
        return TORCH
    if missing:
        raise InputError(
            f"The backend {backend} needs {' and '.join(missing)}, not installed here: "
            "pip install 'symdemo[fast]'."
        )
    if device != "cpu":
        raise InputError(f"The backend {backend} runs on the device cpu; seen: {device}.")
    return backend


class QuickEncoder(Encoder):
    """An encoder run by ONNX Runtime; it answers, and cannot be trained.

    Args:
        exact: the encoder in torch.
        rounded: whether to run it in 8-bit integers.
    """

    def __init__(self, exact: PlainBert, rounded: bool = True):
        super().__init__(exact.spec, exact.base_hash, exact.dimension, exact.max_length)
        self._exact, self._rounded = exact, rounded

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled for another process: all but the sessions."""
        return {k: v for k, v in vars(self).items() if k not in ("_run", "unrounded")}

    @property
    def exact(self) -> Encoder:
        """The same encoder in torch, which owns the weights."""
        return self._exact

    @cached_property
    def unrounded(self) -> Encoder:
        """The same encoder run by ONNX Runtime without rounding, faster than torch."""
        return QuickEncoder(self._exact, rounded=False)

    def forward(self, inputs: Sequence[TextInput]) -> Tensor:
        """Return unit embeddings (n, d) of sentences or pairs."""
        return torch.from_numpy(self._run(inputs))

    def count_tokens(self, *texts: str) -> int:
        """Count the tokens of a sentence, or of two sentences read as one input."""
        return self._exact.count_tokens(*texts)

    def tensors(self) -> dict[str, Tensor]:
        """Return the weights by name; see `replace_weights`."""
        return self._exact.tensors()

    def replace_weights(self, tensors: Mapping[str, Tensor]) -> None:
        """Overwrite the tensors of these names, and export them when next used."""
        super().replace_weights(tensors)
        for name in ("_run", "unrounded"):
            vars(self).pop(name, None)

    def to(self, device: str | torch.device) -> Self:
        """Return this encoder, or raise `InputError`: it stays on the CPU."""
        pick_backend(ONNX, str(device))
        return self

    def clone(self) -> SentenceEncoder:
        """Raise `ModelError`: it cannot be trained."""
        return self._exact.clone()

    @cached_property
    def _run(self) -> Run:
        """The exported transformer from the cache folder; export it first if it is not there."""
        path = cache_folder() / "backends" / f"onnx-{_digest(self._exact)}.onnx"
        whole = path.with_suffix(".whole.onnx")
        if not (path.is_file() and whole.is_file()):
            logger.info("exporting %s once to %s", self.name, path)
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(whole) as draft_of_whole, replacing(path) as draft:
                _write_onnx(self._exact, draft_of_whole, draft)
                _check(_load_onnx(draft, self._exact), self._exact)
        _note_use(path, whole)
        return _load_onnx(path if self._rounded else whole, self._exact)


def _digest(encoder: PlainBert) -> str:
    """Return a hash of weights, configuration and packages, for the name of an exported file."""
    versions = [version(name) for name in _PACKAGES]
    digest = hashlib.sha256(json.dumps([encoder.config, versions], sort_keys=True).encode())
    for name, tensor in sorted(encoder.tensors().items()):
        digest.update(name.encode() + tensor.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]


def _check(run: Run, encoder: PlainBert) -> None:
    """Raise `ModelError` if an exported transformer differs from torch by more than rounding."""
    with torch.inference_mode():
        exact = encoder.forward(_PROBES).numpy()
    least = float((exact * run(_PROBES)).sum(axis=1).min())
    if not least >= LEAST_COSINE:
        raise ModelError(
            f"{encoder.name} in 8-bit integers differs from torch on this processor: a cosine of "
            f"{least:.3f}, at least {LEAST_COSINE} is expected. Use the backend {TORCH}."
        )


class _Traced(torch.nn.Module):
    """`PlainBert` from tokens to embeddings, as torch.onnx takes it."""

    def __init__(self, encoder: PlainBert):
        super().__init__()
        self._encoder = encoder

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        return self._encoder.embed_tokens(ids, types, mask)


def _note_use(*paths: Path) -> None:
    """Note when exported files are used, and drop all but the last `KEPT`."""
    with suppress(OSError):  # a folder that cannot be written, or that others clear too
        for path in paths:
            os.utime(path)
        used = sorted(paths[0].parent.glob("*.onnx"), key=lambda path: path.stat().st_mtime)
        for old in used[:-KEPT]:
            old.unlink(missing_ok=True)


def _write_onnx(encoder: PlainBert, whole: Path, path: Path) -> None:
    """Export an encoder whole, and with its linear layers quantised."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    axes = {name: {0: "n", 1: "t"} for name in _NAMES} | {"embeddings": {0: "n"}}
    with tempfile.TemporaryDirectory(dir=path.parent) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tracing is called old; it needs no onnxscript
        traced, folded = (os.path.join(folder, f"{name}.onnx") for name in ("traced", "folded"))  # noqa: PTH118
        with torch.inference_mode():
            torch.onnx.export(
                _Traced(encoder), encoder.tokenize(_PROBES), traced, input_names=list(_NAMES),
                output_names=["embeddings"], dynamic_axes=axes, opset_version=17, dynamo=False,
            )  # fmt: skip
        quant_pre_process(traced, folded, skip_symbolic_shape=True)  # transposes the weights once
        quantize_dynamic(
            folded, path, op_types_to_quantize=["MatMul"], per_channel=True,
            weight_type=QuantType.QInt8,
        )  # fmt: skip
        os.replace(folded, whole)  # noqa: PTH105


def _load_onnx(path: Path, encoder: PlainBert) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(
        path, options, providers=["CPUExecutionProvider"],
        disabled_optimizers=["SkipLayerNormFusion"],  # takes five times what its two parts do
    )  # fmt: skip

    def run(inputs: Sequence[TextInput]) -> np.ndarray:
        tokens = zip(_NAMES, encoder.tokenize(inputs), strict=True)
        return session.run(None, {name: rows.numpy() for name, rows in tokens})[0]

    return run
