"""Sentence encoders: STS against SciPy and sentence-transformers; scores by depth and tokens."""

import copy

import numpy as np
import pytest
from refusals import refusal
from scipy.stats import spearmanr
from sentence_data import sentence, write_sts
from tiny import LAYERS

from experiments.layers import (
    dependencies,
    layer_embeddings,
    pivot_correlation,
    turning_point,
)
from experiments.sts_tasks import find_sts, tf_idf_cosines, word_overlap
from symdemo.encoders import load_encoder
from symdemo.encoders.decoders import load_decoder
from symdemo.errors import InputError
from symdemo.evaluation.intervals import rank_correlation, resampled_correlations
from symdemo.evaluation.sentences.sts import (
    SimilarityData,
    cosines,
    score_sts,
    sts_at_hand,
    sts_spearman,
)
from symdemo.evaluation.sentences.tokens import token_states


@pytest.fixture
def data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMDEMO_DATA", str(write_sts(tmp_path)))
    return tmp_path


def test_a_year_is_all_its_scored_pairs(data_folder):
    year, b = find_sts("STS12"), find_sts("STS-B")
    assert len(b.scores) == 24
    assert len(year.scores) == 22  # one pair of each sub-set has no score
    assert year.subsets == ("one",) * 11 + ("two",) * 11
    assert year.first[2] == b.first[3]
    assert find_sts("STS13") is None
    assert find_sts("SICK-R") is None
    assert "“STS99” is unknown" in refusal(find_sts, "STS99")
    (data_folder / "sts" / "STS12" / "STS.gs.one.txt").write_text("1\n2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"STS12 is not a year of STS .* as many lines"):
        find_sts("STS12")
    (data_folder / "sts" / "sts-test.csv").write_text("a\tb\n", encoding="utf-8")
    assert "sts-test.csv is not tab-separated, with a score in" in refusal(find_sts, "STS-B")


def test_the_figure_is_scipys_and_sentence_transformers(data_folder, tiny_encoder):
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator

    data = find_sts("STS-B")
    similar = cosines(tiny_encoder, data)
    ours = sts_spearman(tiny_encoder, data)
    assert ours == pytest.approx(100 * spearmanr(similar, data.scores).statistic, abs=1e-6)
    judge = EmbeddingSimilarityEvaluator(
        list(data.first), list(data.second), data.scores.tolist(), main_similarity="cosine"
    )
    theirs = judge(tiny_encoder.model)
    figure = next(v for k, v in theirs.items() if "spearman" in k)
    assert ours == pytest.approx(100 * figure, abs=1e-6)


def test_all_and_mean_of_sub_sets(data_folder):
    data = find_sts("STS12")
    similar = np.random.default_rng(3).normal(size=len(data.scores))
    found = score_sts(similar, data)
    one, two = (
        100 * spearmanr(similar[part], data.scores[part]).statistic
        for part in (slice(0, 11), slice(11, 22))
    )
    assert found.value == pytest.approx(100 * spearmanr(similar, data.scores).statistic, abs=1e-6)
    assert found.subset_mean == pytest.approx((one + two) / 2, abs=1e-6)
    assert found.low < found.value < found.high
    assert found.n == 22
    assert score_sts(similar, data) == found  # the seed is fixed


def test_resampling_agrees_with_scipy():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=40), rng.integers(0, 4, 40).astype(float)
    found = resampled_correlations(first, second, resamples=150, seed=5)
    places = np.random.default_rng(5).integers(0, 40, size=(100, 40))[7]
    assert len(found) == 150
    assert found[7] == pytest.approx(spearmanr(first[places], second[places]).statistic, abs=1e-9)
    assert rank_correlation(np.ones(4), np.arange(4.0)) == 0


def test_words_alone():
    data = SimilarityData(("A b c.", "x"), ("a B d", "y"), np.array([1.0, 0.0]))
    assert word_overlap(data).tolist() == [2 / 4, 0]
    cosine = tf_idf_cosines(data)
    weights = {
        w: np.log((1 + 4) / (1 + n)) + 1 for w, n in {"a": 2, "b": 2, "c": 1, "d": 1}.items()
    }
    both = weights["a"] ** 2 + weights["b"] ** 2
    expected = both / np.sqrt((both + weights["c"] ** 2) * (both + weights["d"] ** 2))
    assert cosine == pytest.approx([expected, 0])


@pytest.mark.slow
def test_the_default_encoder_has_82_on_sts_b(shared_data):
    data = sts_at_hand()
    if data is None:
        pytest.skip("SYMDEMO_DATA has no sts/sts-test.csv")
    assert sts_spearman(load_encoder(), data) == pytest.approx(82.0, abs=0.1)


SENTENCES = [sentence(n) for n in range(5)] + ["Ann", "Kenya borders Uganda, and it is next to it."]
OPTIONS = {
    "causal": {},
    "modification": {"looking_back": 2, "pooling": "mean"},
    "addition": {"looking_back": 2, "strategy": "addition", "pooling": "mean"},
    "prompt": {"looking_back": 1, "prompt": "representative-word"},
}


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


@pytest.mark.parametrize("options", OPTIONS)
def test_each_depth_is_that_of_a_truncated_decoder(decoder_folder, options):
    decoder = load_decoder(decoder_folder, **OPTIONS[options], device="cpu")
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
