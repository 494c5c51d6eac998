"""Encoders: the registry, loading and its refusals, encoding, and the weights."""

import gc
import json
import shutil
import weakref
from importlib.util import find_spec

import huggingface_hub
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny import MAX_LENGTH, write_tiny_encoder

from symdemo import encoders
from symdemo.encoders import DEFAULT_ENCODER, ENCODERS, load_encoder, loading
from symdemo.encoders import find_spec as find
from symdemo.errors import InputError, ModelError

SENTENCES = [
    "Ann is the mother of Ben.",
    "Kenya borders Uganda and is located next to it.",
    "Oscar was next.",
    "Leo is a sibling of Mia, and Mia is a sibling of Nora.",
    "x y",
]


@pytest.fixture
def damaged(tiny_folder, tmp_path):
    """A copy of the tiny encoder's folder that a test may spoil."""
    return shutil.copytree(tiny_folder, tmp_path / "damaged")


@pytest.fixture(scope="module")
def embedded():
    if find_spec(loading.EMBEDDED_PACKAGE) is None:
        pytest.skip(f"the package {loading.EMBEDDED_PACKAGE} is not installed")
    return load_encoder(device="cpu")


@pytest.fixture
def no_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))


def test_the_registry():
    assert {name: spec.hub_id for name, spec in ENCODERS.items()} == {
        "all-MiniLM-L6-v2": "sentence-transformers/all-MiniLM-L6-v2",
        "all-MiniLM-L12-v2": "sentence-transformers/all-MiniLM-L12-v2",
        "MiniLM-L6-H384-uncased": "nreimers/MiniLM-L6-H384-uncased",
        "MiniLM-L12-H384-uncased": "microsoft/MiniLM-L12-H384-uncased",
        "roberta-large": "FacebookAI/roberta-large",
        "roberta-large-mnli": "FacebookAI/roberta-large-mnli",
        "all-mpnet-base-v2": "sentence-transformers/all-mpnet-base-v2",
    }
    assert ENCODERS[DEFAULT_ENCODER].max_length == 256
    for name, spec in ENCODERS.items():
        assert find(name) is find(spec.hub_id) is spec


@pytest.mark.parametrize("name", ["bert-of-mine", "", "x" * 10_000, "../models", "a/b/c"])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(ModelError, match=r"^The encoder “.*” is unknown; expected a local f") as e:
        find(name)
    assert DEFAULT_ENCODER in str(e.value)
    assert len(str(e.value)) < 400


@pytest.mark.parametrize("name", ["bert-of-mine", "x" * 300, "nul\0byte"])
def test_a_name_that_is_no_folder_is_refused_as_unknown(name):
    with pytest.raises(ModelError, match="is unknown"):
        load_encoder(name)


def test_a_folder_without_safetensors_is_refused(damaged):
    (damaged / "model.safetensors").rename(damaged / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"no model.safetensors; .* from safetensors only"):
        load_encoder(damaged)


def cut_weights(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def spoil_weights(folder):
    (folder / "model.safetensors").write_bytes(b"not safetensors at all")


def lose_a_tensor(folder):
    path = folder / "model.safetensors"
    tensors = load_file(path)
    del tensors["encoder.layer.0.attention.self.query.weight"]
    save_file(tensors, path, {"format": "pt"})


def break_config(folder):
    (folder / "config.json").write_text("{", encoding="utf-8")


def foreign_config(folder):
    (folder / "config.json").write_text('{"model_type": "no-such"}', encoding="utf-8")


def narrow_config(folder):
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | {"intermediate_size": 10}
    path.write_text(json.dumps(config), encoding="utf-8")


def break_tokenizer(folder):
    (folder / "tokenizer.json").write_text("[]", encoding="utf-8")


def code_of_its_own(folder):
    (folder / "own.py").write_text("raise SystemExit('code was run')", encoding="utf-8")
    modules = [{"idx": 0, "name": "0", "path": "", "type": "own.Own"}]
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")


@pytest.mark.parametrize(
    "damage",
    [
        cut_weights, spoil_weights, lose_a_tensor, break_config, foreign_config, narrow_config,
        break_tokenizer, code_of_its_own,
    ],
)  # fmt: skip
def test_a_damaged_folder_is_refused_in_one_sentence(damaged, damage):
    damage(damaged)
    with pytest.raises(ModelError, match=r"^The folder .*damaged cannot be loaded") as error:
        load_encoder(damaged, device="cpu")
    assert "\n" not in str(error.value)


def test_an_odd_dimension_is_refused(tmp_path):
    write_tiny_encoder(tmp_path / "odd", dimension=33, heads=3)
    with pytest.raises(ModelError, match="33"):
        load_encoder(tmp_path / "odd", device="cpu")


def test_offline_and_not_cached_is_one_sentence(no_cache):
    with pytest.raises(ModelError) as error:
        load_encoder("all-mpnet-base-v2")
    assert str(error.value) == (
        "The encoder all-mpnet-base-v2 is not on this machine and the hub cannot be reached: "
        "connect once so that sentence-transformers/all-mpnet-base-v2 is cached, give a local "
        "folder, or use all-MiniLM-L6-v2, which needs no network."
    )


@pytest.mark.parametrize(("offline", "calls"), [("1", [True]), ("0", [True, None])])
def test_the_hub_is_asked_only_where_that_is_allowed(monkeypatch, offline, calls):
    seen = []

    def refuse(repo, **options):
        assert not [p for p in options["allow_patterns"] if p.endswith((".bin", ".pt", ".py"))]
        seen.append(options.get("local_files_only"))
        raise ConnectionError("no route")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    monkeypatch.setenv("HF_HUB_OFFLINE", offline)
    with pytest.raises(ModelError, match="hub cannot be reached"):
        load_encoder("roberta-large")
    assert seen == calls


def test_a_cached_encoder_is_loaded_with_its_registered_name(monkeypatch, tiny_folder):
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: str(tiny_folder))
    encoder = load_encoder("microsoft/MiniLM-L12-H384-uncased", device="cpu")
    assert encoder.name == "MiniLM-L12-H384-uncased"
    assert encoder.spec.script == "LATIN"


def test_the_hash_of_the_embedded_package_is_checked(embedded, monkeypatch):
    assert embedded.base_hash == loading.EMBEDDED_SHA256
    monkeypatch.setattr(loading, "EMBEDDED_SHA256", "0" * 64)
    with pytest.raises(ModelError, match="has the hash 53aa51172d14…; expected 000000000000…"):
        load_encoder()


def test_without_the_package_the_default_encoder_comes_from_the_hub(monkeypatch, no_cache):
    monkeypatch.setattr(loading, "EMBEDDED_PACKAGE", "no_such_package")
    with pytest.raises(ModelError, match="all-MiniLM-L6-v2 is not on this machine"):
        load_encoder()


def test_the_embedded_encoder(embedded):
    assert (embedded.name, embedded.dimension, embedded.max_length) == (DEFAULT_ENCODER, 384, 256)
    a, b, c = embedded.encode(["A cat sleeps.", "A kitten naps.", "Stocks fell sharply."])
    assert a @ b > 0.5
    assert a @ c < 0.2


def test_sentences_that_it_cannot_read_whole_or_at_all_are_refused(embedded):
    embedded.check("Ann is the mother of Zoë.")
    with pytest.raises(InputError, match=r"^The premise has \d+ tokens; all-MiniLM.* most 256\.$"):
        embedded.check("mother " * 255, "premise")
    embedded.check("mother " * 254)
    with pytest.raises(InputError, match="hypothesis is written in Cyrillic letters"):
        embedded.check("Анна мать Бена.", "hypothesis")
    embedded.check_together("mother " * 126, "mother " * 127)
    with pytest.raises(InputError, match=r"^The pair has 257 tokens"):
        embedded.check_together("mother " * 127, "mother " * 127)


def test_a_local_encoder_reads_all_scripts_up_to_its_own_length(tiny_encoder):
    tiny_encoder.check("Анна мать Бена.")
    assert tiny_encoder.max_length == MAX_LENGTH
    tiny_encoder.check("ann " * (MAX_LENGTH - 2))
    with pytest.raises(InputError, match=f"has {MAX_LENGTH + 1} tokens; .* at most {MAX_LENGTH}"):
        tiny_encoder.check("ann " * (MAX_LENGTH - 1))


def test_no_more_is_read_than_the_encoder_has_positions(tmp_path):
    write_tiny_encoder(tmp_path / "short", positions=MAX_LENGTH)
    encoder = load_encoder(tmp_path / "short", device="cpu")
    assert encoder.max_length == MAX_LENGTH
    assert np.isfinite(encoder.encode(["ann " * 300])).all()


def test_embeddings_are_unit_and_in_order(tiny_encoder):
    rows = tiny_encoder.encode(SENTENCES)
    assert rows.shape == (5, tiny_encoder.dimension) == (5, 32)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    assert np.abs(rows @ rows.T - np.eye(5))[~np.eye(5, dtype=bool)].max() < 0.999
    for row, sentence in zip(rows, SENTENCES, strict=True):
        assert tiny_encoder.encode([sentence])[0] == pytest.approx(row, abs=1e-5)


def test_the_batch_size_does_not_matter(tiny_encoder):
    rows = tiny_encoder.encode(SENTENCES, batch_size=1)
    for size in (2, 3, 64):
        assert tiny_encoder.encode(SENTENCES, batch_size=size) == pytest.approx(rows, abs=1e-5)


def test_equal_inputs_are_encoded_once(tiny_encoder, monkeypatch):
    seen, forward = [], encoders.SentenceEncoder.forward

    def counted(self, batch):
        seen.append(batch)
        return forward(self, batch)

    monkeypatch.setattr(encoders.SentenceEncoder, "forward", counted)
    progress = []
    rows = tiny_encoder.encode(
        [*SENTENCES, *SENTENCES[::-1]], batch_size=2, progress=lambda *n: progress.append(n)
    )
    assert sorted(sentence for batch in seen for sentence in batch) == sorted(SENTENCES)
    assert progress == [(2, 5), (4, 5), (5, 5)]
    assert np.array_equal(rows[:5], rows[:4:-1])


def test_two_sentences_read_together_are_another_input(tiny_encoder):
    a, b = SENTENCES[:2]
    together, turned, joined = tiny_encoder.encode([(a, b), (b, a), f"{a} {b}"])
    for other in (turned, joined, *tiny_encoder.encode([a, b])):
        assert np.abs(together - other).max() > 1e-3
    features = tiny_encoder.model.preprocess([(a, b)])
    assert (features["input_ids"] == 3).sum() == 2  # two [SEP]
    assert features["token_type_ids"].unique().tolist() == [0, 1]


def test_no_inputs_and_odd_inputs(tiny_encoder):
    assert tiny_encoder.encode([]).shape == (0, 32)
    with pytest.raises(InputError, match="list of sentences; a single string"):
        tiny_encoder.encode("Ann is next.")
    odd = tiny_encoder.encode(["", " ", "☃ 🙂", "ann " * 500, "\x00"])
    assert np.isfinite(odd).all()


def test_forward_gives_gradients_and_encode_does_not(tiny_encoder):
    student = tiny_encoder.clone()
    student.forward(SENTENCES)[:, 0].sum().backward()
    grads = [p.grad for p in student.body.encoder.parameters()]
    assert all(grad is not None and grad.isfinite().all() for grad in grads)
    assert torch.allclose(
        tiny_encoder.forward(SENTENCES),
        torch.from_numpy(tiny_encoder.encode(SENTENCES)),
        atol=1e-5,
    )


def test_an_encoder_that_nobody_holds_is_gone_at_once(tiny_folder):
    """With its weights and gradients, and without the garbage collector's help."""
    encoder = load_encoder(tiny_folder, device="cpu")
    copy = encoder.clone()
    held = [weakref.ref(one.model) for one in (encoder, copy)]
    gc.collect()
    gc.disable()
    try:
        del encoder, copy
        assert [one() for one in held] == [None, None]
    finally:
        gc.enable()


def test_a_clone_has_weights_of_its_own(tiny_encoder):
    before = tiny_encoder.weights()
    copy = tiny_encoder.clone()
    with torch.no_grad():
        for parameter in copy.model.parameters():
            parameter.add_(1)
    assert all(torch.equal(v, before[k]) for k, v in tiny_encoder.weights().items())
    assert (copy.name, copy.base_hash) == (tiny_encoder.name, tiny_encoder.base_hash)


def test_changed_weights_can_be_carried_over(tiny_encoder):
    changed = tiny_encoder.clone()
    assert changed.changed_weights(tiny_encoder) == {}
    name = "encoder.layer.1.output.dense.weight"
    with torch.no_grad():
        changed.body.get_parameter(name).add_(0.5)
    tensors = changed.changed_weights(tiny_encoder)
    assert list(tensors) == [name]
    other = tiny_encoder.clone()
    other.replace_weights({k: v.double() for k, v in tensors.items()})
    assert other.changed_weights(changed) == {}
    assert other.body.get_parameter(name).dtype == torch.float32
    assert np.array_equal(other.encode(SENTENCES), changed.encode(SENTENCES))


def test_weights_are_copies(tiny_encoder):
    for tensor in tiny_encoder.weights().values():
        tensor.zero_()
    assert np.linalg.norm(tiny_encoder.encode(["x y"])) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "shape", "says"),
    [
        ("encoder.layer.9.output.dense.bias", (32,), "has no tensor “encoder.layer.9.output"),
        ("encoder.layer.1.output.dense.bias", (31,), r"the shape \(31,\); .* expects \(32,\)"),
    ],
)
def test_foreign_weights_change_nothing(tiny_encoder, name, shape, says):
    encoder = tiny_encoder.clone()
    good = {"encoder.layer.0.output.dense.bias": torch.ones(32)}
    with pytest.raises(ModelError, match=says):
        encoder.replace_weights(good | {name: torch.zeros(shape)})
    assert encoder.changed_weights(tiny_encoder) == {}
