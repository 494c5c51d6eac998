"""Decoders as sentence encoders: poolings, prompts, names, folders, training; SmolLM2-135M."""

import importlib.util
import json

import numpy as np
import pytest
import torch
from refusals import refusal
from tiny import KINDS, LAYERS, make_tokenizer, write_tiny_decoder

from symdemo.classifier import SymmetryClassifier
from symdemo.encoders import ENCODERS, load_encoder
from symdemo.encoders.decoders import DecoderOptions, load_decoder, smollm2
from symdemo.encoders.decoders.options import parse_name
from symdemo.encoders.decoders.prompts import PROMPTS
from symdemo.errors import InputError, ModelError
from symdemo.training.config import TrainingConfig

WORD = PROMPTS["representative-word"]
SENTENCES = ["Ann is the mother of Ben.", "x", "Kenya borders Uganda and is located next to it."]
BELLM = {"looking_back": 1, "prompt": "representative-word"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tiny_decoder(tmp_path_factory.mktemp("decoders") / "llama")


@pytest.fixture(scope="module")
def bellm(folder):
    return load_decoder(folder, **BELLM, device="cpu")


def states_by_hand(encoder, text):
    """Return the last-layer states of one text: no padding, no batch."""
    ids = torch.tensor([make_tokenizer()(text)["input_ids"]])
    with torch.no_grad():
        return encoder.body(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0]


@pytest.mark.parametrize("prompt", [None, "representative-word", "{sentence} It is"])
@pytest.mark.parametrize("pooling", ["last", "mean", "weighted-mean"])
@pytest.mark.parametrize("back", [0, 1, "all"])
def test_poolings_and_prompts_by_hand(folder, pooling, back, prompt):
    encoder = load_decoder(folder, back, pooling=pooling, prompt=prompt, device="cpu")
    rows = encoder.encode(SENTENCES)
    for sentence, row in zip(SENTENCES, rows, strict=True):
        text = PROMPTS.get(prompt, prompt or "{sentence}").replace("{sentence}", sentence)
        states = states_by_hand(encoder, text)
        i = torch.arange(1, len(states) + 1)[:, None]
        expected = {
            "last": states[-1],
            "mean": states.sum(0) / len(states),
            "weighted-mean": (i * states).sum(0) / i.sum(),
        }[pooling]
        assert row == pytest.approx((expected / expected.norm()).numpy(), abs=1e-5)


def test_tokens_are_counted_with_the_prompt_and_cut_without_it(bellm, folder):
    plain = load_decoder(folder, device="cpu")
    frame = bellm.count_tokens("x") - plain.count_tokens("x")
    assert frame == len(make_tokenizer()(WORD.replace(" {sentence}", ""))["input_ids"])
    bellm.check("x" * (128 - frame - 1))
    with pytest.raises(InputError, match=r"has \d+ tokens; .*looking_back=1&prompt=.* most 128\.$"):
        bellm.check("x" * 200)
    room = bellm.max_length - bellm.count_tokens("x", "x")
    with pytest.raises(InputError, match=r"^The pair has \d+ tokens; .* most 128\.$"):
        bellm.check_together("x" * 9 * room, "x" * 9 * room)
    ids = bellm.model.preprocess(["x" * 500])["input_ids"][0].tolist()
    short = bellm.model.preprocess(["x"])["input_ids"][0].tolist()
    assert len(ids) == 128
    assert ids[-3:] == short[-3:]
    assert ids[:4] == short[:4]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strategy", ["modification", "addition"])
def test_saved_and_loaded_it_is_the_same(tmp_path, kind, strategy):
    from sentence_transformers import SentenceTransformer

    source = write_tiny_decoder(tmp_path / kind, kind)
    options = {"looking_back": 2, "strategy": strategy, "pooling": "weighted-mean"}
    encoder = load_decoder(source, **options, prompt="representative-word", device="cpu")
    rows = encoder.encode(SENTENCES)
    encoder.save_pretrained(tmp_path / "saved")
    modules = json.loads((tmp_path / "saved" / "modules.json").read_text("utf-8"))
    assert all(module["type"].startswith("sentence_transformers.") for module in modules)
    model = SentenceTransformer(str(tmp_path / "saved"), device="cpu", trust_remote_code=False)
    assert model.encode(SENTENCES) == pytest.approx(rows, abs=1e-5)
    again = load_encoder(tmp_path / "saved", device="cpu")
    assert np.array_equal(again.encode(SENTENCES), rows)
    assert again.count_tokens(*SENTENCES[:2]) == encoder.count_tokens(*SENTENCES[:2])
    assert again.max_length == encoder.max_length


def test_the_name_holds_the_options(folder, bellm):
    assert bellm.name == f"{folder}?looking_back=1&prompt=representative-word"
    again = load_encoder(bellm.name, device="cpu")
    assert np.array_equal(again.encode(SENTENCES), bellm.encode(SENTENCES))
    plain = load_encoder(folder, device="cpu")
    assert plain.name == str(folder)
    assert np.abs(plain.encode(SENTENCES) - bellm.encode(SENTENCES)).max() > 0.01
    odd = write_tiny_decoder(folder.parent / "what?looking_back=9")
    assert load_encoder(odd, device="cpu").name == str(odd)
    options = DecoderOptions("all", "addition", "last", 'Of {sentence} & “it”, 100%?="')
    assert parse_name(options.name("a/b")) == ("a/b", options)


def test_it_is_trained_saved_and_answers_as_before(folder, pairs, tmp_path):
    quick = TrainingConfig(learning_rate=3e-3, epochs=4, min_steps=0, retention=0.5, recombine=0.0)
    encoder = load_decoder(folder, 2, "addition", "mean", "representative-word", device="cpu")
    start = encoder.weights()
    model = SymmetryClassifier.from_encoder(encoder, "knn").fit(pairs, config=quick)
    answers = model.predict(pairs)
    assert np.mean([a.label == p.label for a, p in zip(answers, pairs, strict=True)]) > 0.9
    assert all(torch.equal(own, start[name]) for name, own in encoder.weights().items())
    changed = model.encoder.changed_weights(encoder)
    assert any(name.startswith("backward_layers") for name in changed)
    model.save_pretrained(tmp_path / "model")
    again = SymmetryClassifier.from_pretrained(tmp_path / "model", device="cpu")
    assert again.encoder.name == encoder.name
    assert [a.label for a in again.predict(pairs)] == [a.label for a in answers]
    rows = model.encoder.encode(SENTENCES)
    assert again.encoder.encode(SENTENCES) == pytest.approx(rows, abs=2e-2)  # kept in half


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"looking_back": -1}, "looking_back is “-1”; expected one of: a number of layers, all"),
        ({"looking_back": LAYERS + 1}, "4 layers are to look back; the decoder has 3"),
        ({"strategy": "sum"}, "strategy is “sum”; expected one of: modification, addition"),
        ({"pooling": "cls"}, "pooling is “cls”; expected one of: last, mean, weighted-mean"),
        ({"prompt": "In one word:"}, "expected, or one of: representative-word"),
        ({"prompt": "x " * 200 + "{sentence}"}, "The prompt has 201 tokens and leaves no room"),
        ({"dtype": "int8"}, "dtype is “int8”; float32 or bfloat16 is expected"),
    ],
)
def test_options_that_do_not_exist_are_refused(folder, options, says):
    assert says in refusal(load_decoder, folder, **options, device="cpu")


def test_other_folders_and_names_are_refused(tiny_folder, tmp_path, folder):
    for load, name, says in (
        (load_decoder, tiny_folder, "of the kind bert; a decoder is expected: llama, mistral"),
        (load_decoder, tmp_path, "is no transformers folder"),
        (load_decoder, "nothing", "The decoder “nothing” is unknown; "),
        (load_encoder, "me/mine?looking_back=1", "The encoder “me/mine?looking_back=1” is unknown"),
    ):
        assert says in refusal(load, name, raising=ModelError)
    says = "option of a decoder is “depth”; expected one of: looking"
    assert says in refusal(load_encoder, f"{folder}?depth=3")


MISSING = [name for name in ("gguf", smollm2.PACKAGE) if importlib.util.find_spec(name) is None]


@pytest.fixture
def no_copy(monkeypatch, tmp_path):
    monkeypatch.setenv("SYMDEMO_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("name", ["smollm2-135m", "smollm2-135m?looking_back=1"])
def test_without_its_package_it_says_how_to_install_it(no_copy, monkeypatch, name):
    find = importlib.util.find_spec
    gone = (smollm2.PACKAGE, "gguf")
    monkeypatch.setattr(importlib.util, "find_spec", lambda n: None if n in gone else find(n))
    with pytest.raises(ModelError, match=r"not installed. Install them with: pip .*smollm2"):
        load_encoder(name)
    assert not no_copy.exists()


def test_another_file_in_the_package_is_refused(no_copy, monkeypatch, tmp_path):
    (tmp_path / smollm2.FILE).write_bytes(b"GGUF of somebody else")
    spec = importlib.util.spec_from_file_location("x", tmp_path / "__init__.py")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: spec)
    with pytest.raises(ModelError, match=r"has the hash .*…; expected b179c9523d0e…"):
        smollm2.smollm2_folder()
    assert not no_copy.exists()


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_the_real_one_is_read_as_it_is_and_as_bellm():
    plain = load_encoder("smollm2-135m", device="cpu")
    assert (plain.name, plain.dimension) == ("smollm2-135m", 576)
    assert plain.max_length == ENCODERS["smollm2-135m"].max_length
    texts = ["A cat sleeps.", "A kitten naps.", "Stocks fell sharply."]
    a, b, c = plain.encode(texts)
    assert a @ b > a @ c
    bellm = load_decoder("smollm2-135m", 1, prompt="representative-word", device="cpu")
    text = 'The representative word for A cat sleeps. is:"'
    ids = bellm.model.preprocess(["A cat sleeps."])["input_ids"][0].tolist()
    assert ids == plain.model.preprocess([text])["input_ids"][0].tolist()
    assert np.abs(bellm.encode(texts) - plain.encode(texts)).max() > 0.01
