"""Encoders: names, folders, the hub, damage, encoding; plain BERT and integers beside torch."""

import json
import os
import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec

import huggingface_hub
import numpy as np
import pytest
from programs import run_python
from refusals import refusal
from safetensors.torch import load_file, save_file
from tiny import MAX_LENGTH, write_tiny_encoder

from symdemo import Pair, SymmetryClassifier
from symdemo.classifier import prediction
from symdemo.encoders import backends, encoder, load_encoder, loading
from symdemo.encoders.plain_bert import PlainBert, load_plain_bert
from symdemo.encoders.registry import EncoderSpec
from symdemo.errors import InputError, ModelError

TEXTS = [
    "Ann is the mother of Ben.",
    "Zoë’s café — naïve 北京!",
    "a\tb   c",
    "x y " * 100,  # longer than is read, so it is cut
    "Ann-Marie's e-mail: 3,14 …",
]


@pytest.fixture(scope="module")
def embedded():
    return load_encoder(device="cpu")


def test_many_threads_may_use_one_encoder(embedded):
    inputs = [[" ".join(["word"] * n), "Ann met Ben."] for n in (2, 9, 40, 90)] * 6
    alone = [embedded.encode(pair) for pair in inputs]

    def encode(pair):
        embedded.count_tokens(*pair)
        return embedded.encode(pair)

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(encode, inputs))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_long_or_foreign_sentences_are_refused(embedded):
    embedded.check("Ann is the mother of Zoë.")
    embedded.check("mother " * 254)
    embedded.check_together("mother " * 126, "mother " * 127)
    for check, given, says in (
        (embedded.check, ("mother " * 255, "premise"), "The premise has 257 tokens; all-MiniLM"),
        (embedded.check, ("Анна мать Бена.", "premise"), "premise is written in Cyrillic letters"),
        (embedded.check_together, ["mother " * 127] * 2, "The pair has 257 tokens"),
    ):
        assert says in refusal(check, *given)


def test_a_local_encoder_reads_all_scripts_up_to_its_own_length(tiny_encoder):
    tiny_encoder.check("Анна мать Бена.")
    assert tiny_encoder.max_length == MAX_LENGTH
    tiny_encoder.check("ann " * (MAX_LENGTH - 2))
    assert f"has {MAX_LENGTH + 1} tokens" in refusal(tiny_encoder.check, "ann " * (MAX_LENGTH - 1))


def test_embeddings_are_unit_and_in_order(tiny_encoder):
    rows = tiny_encoder.encode(TEXTS)
    assert rows.shape == (5, tiny_encoder.dimension) == (5, 32)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    assert np.abs(rows @ rows.T - np.eye(5))[~np.eye(5, dtype=bool)].max() < 0.999
    for row, sentence in zip(rows, TEXTS, strict=True):
        assert tiny_encoder.encode([sentence])[0] == pytest.approx(row, abs=1e-5)


def test_equal_inputs_are_encoded_once_in_the_order_of_their_tokens(tiny_encoder, monkeypatch):
    texts = [*TEXTS, "1 2 3 4 5 6 7 8"]  # more tokens than longer ones have
    seen, forward = [], encoder.SentenceEncoder.forward

    def counted(self, batch):
        seen.append(batch)
        return forward(self, batch)

    monkeypatch.setattr(encoder.SentenceEncoder, "forward", counted)
    progress = []
    rows = tiny_encoder.encode(
        [*texts, *texts[::-1]], batch_size=2, progress=lambda *n: progress.append(n)
    )
    read = [sentence for batch in seen for sentence in batch]
    assert sorted(read) == sorted(texts)
    assert read == sorted(read, key=tiny_encoder.count_tokens)
    assert progress == [(2, 6), (4, 6), (6, 6)]
    assert np.array_equal(rows[:6], rows[:5:-1])


def test_no_inputs_and_odd_inputs(tiny_encoder):
    assert tiny_encoder.encode([]).shape == (0, 32)
    assert tiny_encoder.encode(text for text in ["Ann is next."]).shape == (1, 32)
    for size in (0, "8", None):
        assert "The batch size is" in refusal(tiny_encoder.encode, ["Ann is next."], size)
    for given, says in (
        (None, "list of sentences; a single NoneType"),
        ("Ann is next.", "list of sentences; a single string"),
        ({"premise": "Ann is next."}, "list of sentences; a single dict"),
        ([{"premise": "Ann is next."}], "tuples; seen: dict"),
    ):
        assert says in refusal(tiny_encoder.encode, given)
    odd = tiny_encoder.encode(["", " ", "☃ 🙂", "ann " * 500, "\x00"])
    assert np.isfinite(odd).all()


@pytest.fixture
def damaged(tiny_folder, tmp_path):
    return shutil.copytree(tiny_folder, tmp_path / "damaged")


@pytest.mark.parametrize("name", ["bert-of-mine", "", "x" * 10_000, "nul\0byte", "../models"])
def test_an_unknown_name_is_refused(name):
    assert "is unknown" in refusal(load_encoder, name, raising=ModelError)


def test_a_folder_without_safetensors_is_refused(damaged):
    (damaged / "model.safetensors").rename(damaged / "pytorch_model.bin")
    told = refusal(load_encoder, damaged, raising=ModelError)
    assert "no model.safetensors" in told


def lose_a_tensor(folder):
    tensors = load_file(folder / "model.safetensors")
    del tensors["encoder.layer.0.attention.self.query.weight"]
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})


def narrow(folder):
    config = json.loads((folder / "config.json").read_text()) | {"intermediate_size": 10}
    (folder / "config.json").write_text(json.dumps(config))


def code_of_its_own(folder):
    (folder / "own.py").write_text("raise SystemExit('code was run')")
    modules = [{"idx": 0, "name": "0", "path": "", "type": "own.Own"}]
    (folder / "modules.json").write_text(json.dumps(modules))


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: os.truncate(folder / "model.safetensors", 5_000),
        lambda folder: (folder / "config.json").write_text("{"),
        lambda folder: (folder / "config.json").write_text('{"model_type": "no-such"}'),
        lambda folder: (folder / "tokenizer.json").write_text("[]"),
        lose_a_tensor, narrow, code_of_its_own,
    ],
)  # fmt: skip
def test_a_damaged_folder_is_refused_in_one_sentence(damaged, damage):
    damage(damaged)
    told = refusal(load_encoder, damaged, device="cpu", raising=ModelError)
    assert told.startswith("The folder ")
    assert "damaged cannot be loaded" in told


def test_an_odd_dimension_is_refused(tmp_path):
    write_tiny_encoder(tmp_path / "odd", dimension=33, heads=3)
    assert "33" in refusal(load_encoder, tmp_path / "odd", device="cpu", raising=ModelError)


@pytest.mark.parametrize(("offline", "calls"), [("1", [True]), ("0", [True, None])])
def test_the_hub_is_only_contacted_if_online(monkeypatch, offline, calls):
    seen = []

    def refuse(repo, **options):
        assert not [p for p in options["allow_patterns"] if p.endswith((".bin", ".pt", ".py"))]
        seen.append(options.get("local_files_only"))
        raise ConnectionError("no route")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    monkeypatch.setenv("HF_HUB_OFFLINE", offline)
    assert "hub cannot be reached" in refusal(load_encoder, "roberta-large", raising=ModelError)
    assert seen == calls


def test_the_hash_of_the_embedded_package_is_checked(embedded, monkeypatch):
    assert embedded.base_hash == loading.EMBEDDED_SHA256
    monkeypatch.setattr(loading, "EMBEDDED_SHA256", "0" * 64)
    told = refusal(load_encoder, raising=ModelError)
    assert "has the hash 53aa51172d14…; expected 000000000000…" in told


def test_without_the_package_the_default_encoder_comes_from_the_hub(monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(loading, "EMBEDDED_PACKAGE", "no_such_package")
    assert "all-MiniLM-L6-v2 is not on this machine" in refusal(load_encoder, raising=ModelError)


PAIRS = [(TEXTS[0], TEXTS[1]), ("x " * 40, "y " * 50), (TEXTS[4], TEXTS[2])]


@pytest.fixture(scope="module", params=["tiny", "embedded"])
def both(request):
    """Load one folder both ways: without modules.json (tiny) and with it (embedded)."""
    name = request.getfixturevalue("tiny_folder") if request.param == "tiny" else "all-MiniLM-L6-v2"
    plain, usual = load_encoder(name, "cpu", inference_only=True), load_encoder(name, "cpu")
    assert isinstance(plain, PlainBert)
    assert not isinstance(usual, PlainBert)
    return plain, usual


@pytest.mark.parametrize("inputs", [TEXTS, PAIRS], ids=["sentences", "pairs"])
def test_the_embeddings_are_those_of_sentence_transformers(both, inputs):
    plain, usual = both
    np.testing.assert_allclose(plain.encode(inputs), usual.encode(inputs), atol=2e-6)
    for name in ("dimension", "max_length", "device", "name", "base_hash"):
        assert getattr(plain, name) == getattr(usual, name)
    for texts in (*((text,) for text in TEXTS), *PAIRS):
        assert plain.count_tokens(*texts) == usual.count_tokens(*texts)


@pytest.mark.parametrize(
    ("pooling", "change"),
    [
        ("cls", {}),
        ("mean", {"hidden_act": "relu"}),
        ("mean", {"position_embedding_type": "relative_key"}),
        ("mean", {"num_hidden_layers": 3}),  # a layer more than there are tensors for
    ],
)
def test_unsupported_models_are_left_to_sentence_transformers(
    tiny_folder, tmp_path, pooling, change
):
    folder = shutil.copytree(tiny_folder, tmp_path / "other")
    config = json.loads((folder / "config.json").read_text("utf-8")) | change
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    assert load_plain_bert(folder, EncoderSpec("x", "x", pooling), "cpu", "") is None


def test_it_needs_neither_transformers_nor_scikit_learn(tiny_folder):
    program = (
        "import sys; from symdemo.encoders import load_encoder\n"
        "load_encoder(sys.argv[1], 'cpu', inference_only=True).encode(['Ann met Ben.'])\n"
        "print({'sentence_transformers', 'transformers', 'sklearn', 'pandas'} & {*sys.modules})"
    )
    done = run_python("-c", program, tiny_folder)
    assert done.stdout == "set()\n", done.stderr


def test_a_device_that_is_not_here_is_refused(tiny_folder):
    for inference_only in (False, True):
        said = refusal(load_encoder, tiny_folder, "banana", inference_only)
        assert said == "The device “banana” is unknown; cpu, cuda, cuda:1 or mps is expected."
        said = refusal(load_encoder, tiny_folder, "cuda:99", inference_only)
        assert "There is no device cuda:99 here; seen: " in said


needs_onnx = pytest.mark.skipif(
    not all(map(find_spec, ("onnx", "onnxruntime"))),
    reason="the extra “fast” (onnx, onnxruntime) is not installed",
)
INPUTS = ["Ann is the mother of Ben.", ("Kenya borders Uganda.", "Uganda borders Kenya."), "x y"]


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
    rows = quick.encode(INPUTS)
    cosines = (rows * exact.encode(INPUTS)).sum(axis=1)
    assert np.all(cosines > backends.LEAST_COSINE)
    assert np.any(cosines < 1 - 1e-6)  # it is rounded
    assert np.array_equal(pickle.loads(pickle.dumps(quick)).encode(INPUTS), rows)
    whole = quick.unrounded.encode(INPUTS)
    assert np.allclose(whole, exact.encode(INPUTS), atol=1e-5)
    written = set(cache.iterdir())
    assert len(written) == 2
    quick.replace_weights({n: t + 1 for n, t in quick.tensors().items() if "value.bias" in n})
    quick.encode(INPUTS)
    assert not np.allclose(quick.unrounded.encode(INPUTS), whole, atol=1e-5)
    assert set(cache.iterdir()) > written
    monkeypatch.setattr(backends, "KEPT", 2)
    quick.replace_weights({n: 2 * t for n, t in quick.tensors().items() if "value.bias" in n})
    quick.encode(INPUTS)
    assert len(set(cache.iterdir()) - written) == 2  # those used last are kept, others dropped
    assert "without inference_only" in refusal(quick.clone, raising=ModelError)


@needs_onnx
def test_an_export_that_differs_is_refused_and_not_kept(tiny_folder, cache, monkeypatch):
    monkeypatch.setattr(backends, "LEAST_COSINE", 1.1)
    with pytest.raises(ModelError, match=r"differs from torch .* at least 1.1 is expected"):
        load_encoder(tiny_folder, "cpu", backend="onnx").encode(INPUTS)
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
