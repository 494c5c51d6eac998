"""Backends: an encoder run in 8-bit integers answers as torch does, or says why it does not run."""

import pickle
import shutil
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from refusals import refusal

from symdemo import Pair, SymmetryClassifier
from symdemo.classifier import prediction
from symdemo.encoders import backends, load_encoder
from symdemo.errors import InputError, ModelError

needs_onnx = pytest.mark.skipif(
    not all(map(find_spec, ("onnx", "onnxruntime"))),
    reason="the extra “fast” (onnx, onnxruntime) is not installed",
)
TEXTS = ["Ann is the mother of Ben.", ("Kenya borders Uganda.", "Uganda borders Kenya."), "x y"]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMDEMO_CACHE", str(tmp_path))
    return tmp_path / "backends"


@needs_onnx
def test_an_encoder_is_exported_once_for_its_weights(tiny_folder, cache, monkeypatch):
    quick = load_encoder(tiny_folder, "cpu", backend="onnx")
    exact = load_encoder(tiny_folder, "cpu")
    assert quick.exact is not quick
    assert exact.exact is exact
    rows = quick.encode(TEXTS)
    cosines = (rows * exact.encode(TEXTS)).sum(axis=1)
    assert np.all(cosines > backends.LEAST_COSINE)
    assert np.any(cosines < 1 - 1e-6)  # it is rounded
    assert np.array_equal(pickle.loads(pickle.dumps(quick)).encode(TEXTS), rows)
    whole = quick.unrounded.encode(TEXTS)
    assert np.allclose(whole, exact.encode(TEXTS), atol=1e-5)
    written = set(cache.iterdir())
    assert len(written) == 2
    quick.replace_weights({n: t + 1 for n, t in quick.tensors().items() if "value.bias" in n})
    quick.encode(TEXTS)
    assert not np.allclose(quick.unrounded.encode(TEXTS), whole, atol=1e-5)
    assert set(cache.iterdir()) > written
    monkeypatch.setattr(backends, "KEPT", 2)
    quick.replace_weights({n: 2 * t for n, t in quick.tensors().items() if "value.bias" in n})
    quick.encode(TEXTS)
    assert len(set(cache.iterdir()) - written) == 2  # those used last are kept, others dropped
    assert "without inference_only" in refusal(quick.clone, raising=ModelError)


@needs_onnx
def test_an_export_that_differs_is_refused_and_not_kept(tiny_folder, cache, monkeypatch):
    monkeypatch.setattr(backends, "LEAST_COSINE", 1.1)
    with pytest.raises(ModelError, match=r"differs from torch .* at least 1.1 is expected"):
        load_encoder(tiny_folder, "cpu", backend="onnx").encode(TEXTS)
    assert not list(cache.iterdir())


@needs_onnx
@pytest.mark.parametrize("method", ["knn", "knn-learnt-metric", "fine-tuning", "conjugate"])
def test_what_rounding_could_turn_is_read_again_without(saved, pairs, cache, monkeypatch, method):
    exact = SymmetryClassifier.from_pretrained(saved[method], "cpu", inference_only=True)
    quick = SymmetryClassifier.from_pretrained(saved[method], "cpu", backend="onnx")
    asked = [*pairs, *(Pair(pair.premise, pairs[0].premise) for pair in pairs[8:])]
    assert quick.predict(asked).verdict_labels == exact.predict(asked).verdict_labels
    quick, exact = (m.with_card(temperature=0.05, familiar_within=None) for m in (quick, exact))

    def moved():
        return np.abs(quick.embed(asked) - exact.embed(asked)).max()

    monkeypatch.setattr(prediction, "MARGIN", 2.0)
    assert moved() < 1e-5
    monkeypatch.setattr(prediction, "MARGIN", 0.0)
    assert moved() > 1e-4
    quick = quick.with_card(familiar_within=1.0)
    monkeypatch.setattr(prediction, "SLACK", 3.0)
    assert moved() < 1e-5


@needs_onnx
def test_teaching_is_exact_and_what_was_taught_has_its_say_exactly(
    saved, pairs, cache, monkeypatch
):
    path, new = saved["knn-learnt-metric"], [replace(pairs[0], label="new")]
    options = {"temperature": 0.05, "familiar_within": None}
    quick, exact = (
        SymmetryClassifier.from_pretrained(path, "cpu", True, backend).with_card(**options)
        for backend in ("onnx", "torch")
    )
    quick, exact = quick.teach(new), exact.teach(new)
    assert np.array_equal(quick.index.embeddings, exact.index.embeddings)
    monkeypatch.setattr(prediction, "MARGIN", 0.0)
    far = np.abs(quick.embed(pairs[1:]) - exact.embed(pairs[1:])).max()
    monkeypatch.setattr(prediction, "SAY", -1.0)
    assert np.abs(quick.embed(pairs[1:]) - exact.embed(pairs[1:])).max() < 1e-5 < far


def test_what_cannot_run_is_said(tiny_folder, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="“tpu” is unknown; expected: torch, onnx, auto"):
        load_encoder(tiny_folder, backend="tpu")
    other = shutil.copytree(tiny_folder, tmp_path / "other")
    config = (other / "config.json").read_text(encoding="utf-8")
    (other / "config.json").write_text(config.replace('"gelu"', '"relu"'), encoding="utf-8")
    monkeypatch.setattr(backends, "find_spec", lambda _: True)
    for name in (other, "smollm2-135m"):
        with pytest.raises(ModelError, match="onnx runs BERT with mean pooling"):
            load_encoder(name, "cpu", backend="onnx")
    assert load_encoder(other, "cpu", backend="auto").clone()
    monkeypatch.setattr(backends, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"needs onnx and onnxruntime, .* 'symdemo\[fast\]'"):
        load_encoder(tiny_folder, "cpu", backend="onnx")
    assert load_encoder(tiny_folder, "cpu", backend="auto").clone()
