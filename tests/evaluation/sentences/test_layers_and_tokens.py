"""Scores by depth and token dependencies: against truncated models, SciPy and by hand."""

import copy

import numpy as np
import pytest
from scipy.stats import spearmanr
from sentence_data import sentence
from tiny import LAYERS

from symdemo.encoders.decoders import load_decoder
from symdemo.evaluation.sentences.layers import (
    dependencies,
    layer_embeddings,
    pivot_correlation,
    token_states,
    turning_point,
)

SENTENCES = [sentence(n) for n in range(5)] + ["Ann", "Kenya borders Uganda, and it is next to it."]
OPTIONS = {
    "causal": {},
    "modification": {"looking_back": 2, "pooling": "mean"},
    "addition": {"looking_back": 2, "strategy": "addition", "pooling": "mean"},
    "prompt": {"looking_back": 1, "prompt": "representative-word"},
}


@pytest.fixture(scope="module", params=OPTIONS)
def decoder(request, decoder_folder):
    return load_decoder(decoder_folder, **OPTIONS[request.param], device="cpu")


def truncated(encoder, n):
    """Return a copy with n layers only, and with the copies beside them that belong to these."""
    small = encoder.clone()
    body, config = small.body, copy.deepcopy(small.body.config)
    first = LAYERS - getattr(config, "looking_back", 0)
    body.layers = body.layers[:n]
    config.num_hidden_layers = n
    if hasattr(config, "layer_types") and config.layer_types:
        config.layer_types = config.layer_types[:n]
    if hasattr(config, "looking_back"):
        config.looking_back = max(n - first, 0)
        if hasattr(body, "backward_layers"):
            body.backward_layers = body.backward_layers[: config.looking_back]
    body.config = config
    return small


def test_each_depth_is_that_of_a_truncated_decoder(decoder):
    found = layer_embeddings(decoder, SENTENCES, batch_size=3)
    assert found.shape == (LAYERS, len(SENTENCES), decoder.dimension)
    for n in range(1, LAYERS + 1):
        expected = truncated(decoder, n).encode(SENTENCES)
        np.testing.assert_allclose(found[n - 1], expected, atol=2e-5)
    np.testing.assert_allclose(found[-1], decoder.encode(SENTENCES), atol=1e-5)
    assert np.abs(found[0] - found[-1]).max() > 0.01
    assert dependencies(decoder, SENTENCES).pivot == "last"


def test_each_depth_is_that_of_a_truncated_bert(tiny_encoder):
    found = layer_embeddings(tiny_encoder, SENTENCES)
    small = tiny_encoder.clone()
    small.body.encoder.layer = small.body.encoder.layer[:1]
    np.testing.assert_allclose(found[0], small.encode(SENTENCES), atol=1e-5)
    np.testing.assert_allclose(found[1], tiny_encoder.encode(SENTENCES), atol=1e-5)


@pytest.mark.parametrize(
    ("scores", "point"),
    [
        ((10, 30, 50, 60, 55), 4),  # the paper's: the last layer but one
        ((10, 60, 50, 30, 20), 2),
        ((10, 20, 30), 3),  # nothing drops: all layers
        ((60, 20, 60, 40), 3),  # past the second best score all are lower, past the first not
        ((5, 5, 5), 3),
    ],
)
def test_every_layer_past_the_turning_point_is_worse(scores, point):
    layers = range(1, len(scores) + 1)
    assert turning_point(layers, scores) == point
    assert all(score < scores[point - 1] for score in scores[point:])


def test_tokens_are_those_that_are_read(decoder_folder):
    encoder = load_decoder(decoder_folder, prompt="Of {sentence} the word", device="cpu")
    short, long = token_states(encoder, ["Ann", SENTENCES[-1]], batch_size=2)
    said = ["".join(read.tokens).replace("Ġ", " ") for read in (short, long)]
    assert said == ["Of Ann the word", f"Of {SENTENCES[-1]} the word"]
    assert short.states.shape == (len(short.tokens), encoder.dimension)
    alone = next(iter(token_states(encoder, ["Ann"])))
    np.testing.assert_allclose(short.states, alone.states, atol=1e-5)


def test_correlations_with_the_pivot_by_scipy(tiny_encoder):
    states = np.random.default_rng(2).normal(size=(4, 9))
    with_last = np.mean([spearmanr(states[i], states[3]).statistic for i in range(3)])
    with_first = np.mean([spearmanr(states[i], states[0]).statistic for i in range(1, 4)])
    assert pivot_correlation(states, "last") == pytest.approx(with_last)
    assert pivot_correlation(states, "first") == pytest.approx(with_first)
    each = [
        pivot_correlation(read.states, "first") for read in token_states(tiny_encoder, SENTENCES)
    ]
    found = dependencies(tiny_encoder, SENTENCES)
    assert found.mean == pytest.approx(np.mean(each), abs=1e-5)
    assert found.quartiles == pytest.approx(np.quantile(each, (0.25, 0.5, 0.75)), abs=1e-5)
    assert found.n == len(SENTENCES)
