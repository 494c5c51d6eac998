"""STS: the readers, Spearman against SciPy and sentence-transformers, intervals, baselines."""

import numpy as np
import pytest
from refusals import refusal
from scipy.stats import spearmanr
from sentence_data import write_sts

from symdemo.encoders import load_encoder
from symdemo.errors import InputError
from symdemo.evaluation.intervals import rank_correlation, resampled_correlations
from symdemo.evaluation.sentences.sts import (
    SimilarityData,
    cosines,
    find_sts,
    score_sts,
    sts_at_hand,
    sts_spearman,
    tf_idf_cosines,
    word_overlap,
)


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
