"""Encoders: names, folders and the hub, errors for damaged ones, encoding, and the weights."""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import huggingface_hub
import numpy as np
import pytest
from refusals import refusal
from safetensors.torch import load_file, save_file
from tiny import MAX_LENGTH, write_tiny_encoder

from symdemo import encoders
from symdemo.encoders import load_encoder, loading
from symdemo.errors import InputError, ModelError

SENTENCES = [
    "Ann is the mother of Ben.",
    "Kenya borders Uganda and is located next to it.",
    "Oscar was next.",
    "Leo is a sibling of Mia, and Mia is a sibling of Nora.",
    "x y",
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


def test_embeddings_are_unit_and_in_order(tiny_encoder):
    rows = tiny_encoder.encode(SENTENCES)
    assert rows.shape == (5, tiny_encoder.dimension) == (5, 32)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    assert np.abs(rows @ rows.T - np.eye(5))[~np.eye(5, dtype=bool)].max() < 0.999
    for row, sentence in zip(rows, SENTENCES, strict=True):
        assert tiny_encoder.encode([sentence])[0] == pytest.approx(row, abs=1e-5)


def test_equal_inputs_are_encoded_once_in_the_order_of_their_tokens(tiny_encoder, monkeypatch):
    texts = [*SENTENCES, "1 2 3 4 5 6 7 8"]  # more tokens than longer ones have
    seen, forward = [], encoders.SentenceEncoder.forward

    def counted(self, batch):
        seen.append(batch)
        return forward(self, batch)

    monkeypatch.setattr(encoders.SentenceEncoder, "forward", counted)
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
    for batch_size in (0, "8", None):
        with pytest.raises(InputError, match="The batch size is"):
            tiny_encoder.encode(["Ann is next."], batch_size=batch_size)
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


@pytest.fixture
def no_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.mark.parametrize("name", ["bert-of-mine", "", "x" * 10_000, "nul\0byte", "../models"])
def test_an_unknown_name_is_refused(name):
    assert "is unknown" in refusal(load_encoder, name, raising=ModelError)


def test_a_folder_without_safetensors_is_refused(damaged):
    (damaged / "model.safetensors").rename(damaged / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"no model.safetensors; .* from safetensors only"):
        load_encoder(damaged)


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


def test_offline_and_not_cached_is_one_sentence(no_cache):
    assert refusal(load_encoder, "all-mpnet-base-v2", raising=ModelError) == (
        "The encoder all-mpnet-base-v2 is not on this machine and the hub cannot be reached: "
        "connect once so that sentence-transformers/all-mpnet-base-v2 is cached, give a local "
        "folder, or use all-MiniLM-L6-v2, which needs no network."
    )


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
    with pytest.raises(ModelError, match="has the hash 53aa51172d14…; expected 000000000000…"):
        load_encoder()


def test_without_the_package_the_default_encoder_comes_from_the_hub(monkeypatch, no_cache):
    monkeypatch.setattr(loading, "EMBEDDED_PACKAGE", "no_such_package")
    assert "all-MiniLM-L6-v2 is not on this machine" in refusal(load_encoder, raising=ModelError)
