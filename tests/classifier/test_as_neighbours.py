"""The classifier is used as those of scikit-learn and sentence-transformers are."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from symdemo import InputError, ModelError, Pair, SymmetryClassifier
from symdemo.training import config
from symdemo.training.methods import METHODS

every_method = pytest.mark.parametrize("method", METHODS)
ONE, TWO = "Mia is a sibling of Nora.", "Nora is a sibling of Mia."
PAIR = Pair(ONE, TWO)


@pytest.mark.parametrize(
    "given",
    [
        [PAIR], [(ONE, TWO)], [ONE], np.array([[ONE, TWO]]), pd.Series([ONE]),
        pd.DataFrame({"premise": [ONE], "hypothesis": [TWO]}),
    ],
)  # fmt: skip
def test_pairs_come_in_many_forms(fitted, given):
    assert list(fitted["knn"].predict(given).pairs) == [PAIR]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (ONE, "A single str was given; a list"),
        (PAIR, "A single Pair was given"),
        ((ONE, TWO), "A single tuple of two sentences"),
        ({"premise": ONE}, "A single dict was given"),
        (None, "A single NoneType was given"),
        ([{"premise": ONE, "hypothesis": TWO}], "item is a dict, {'premise': 'Mia.*; a Pair, a tu"),
        ([PAIR, (ONE, TWO, "entailment")], r"^pairs\[1\]: The item is a tuple, "),
        ([ONE, TWO, "Melatonin"], r"^pairs\[2\]: There is only one word"),
        ([PAIR, (ONE, "x " * 400)], r"^pairs\[1\]: The hypothesis has "),
        ([7], "^The item is a int, 7; "),
    ],
)
def test_what_is_no_list_of_pairs_is_one_sentence(fitted, given, says):
    model = fitted["knn"]
    for call in (model.predict, model.predict_proba, model.score, model.teach, model.fit):
        with pytest.raises(InputError, match=says):
            call(given)


@every_method
def test_probabilities_scores_and_tables_agree_with_the_verdicts(fitted, pairs, method, capsys):
    model = fitted[method].to("cpu")
    found = model.predict(pairs, batch_size=5, show_progress_bar=True)
    assert "Sentences: 100%" in capsys.readouterr().err
    assert list(model.classes_) == ["contradiction", "entailment"]
    proba = model.predict_proba(pairs)
    assert proba[3] == pytest.approx([found[3].probabilities[c] for c in model.classes_], abs=1e-4)
    right = np.mean([p.label == pair.label for p, pair in zip(found, pairs, strict=True)])
    assert model.score(pairs) == model.score(pairs, [pair.label for pair in pairs]) == right
    table = found.to_pandas()
    assert list(table["label"]) == list(np.asarray(found)) == found.verdict_labels
    assert list(table["p(entailment)"]) == [p.probabilities["entailment"] for p in found]
    with pytest.raises(InputError, match="has no label"):
        model.score([PAIR])
    vectors = model.encoder.encode([ONE, TWO])
    assert model.encoder.similarity(vectors, vectors).diagonal() == pytest.approx([1, 1])


@every_method
def test_copies_and_pickles_answer_alike(fitted, pairs, method):
    model = fitted[method]
    expected = model.predict(pairs)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert np.array_equal(other.predict(pairs).probabilities, expected.probabilities)
    assert len(pickle.loads(pickle.dumps(expected))) == len(pairs)
    for value in (model, model.encoder, model.index, expected, expected[0]):
        assert len(repr(value)) < 300
        assert str(value).startswith(type(value).__name__)


@pytest.mark.parametrize("method", ["knn", "fine-tuning"])
def test_it_works_in_scikit_learn(fitted, pairs, quick_config, monkeypatch, method):
    monkeypatch.setattr(config, "defaults", lambda *_: replace(quick_config, epochs=2))
    texts = [(pair.premise, pair.hypothesis) for pair in pairs]
    labels = [pair.label for pair in pairs]
    start = SymmetryClassifier.from_encoder(fitted[method].encoder, method)
    scores = [
        *cross_val_score(start, texts, labels, cv=2),
        *cross_val_score(start, np.array(texts), labels, cv=2, scoring="f1_macro"),
    ]
    assert min(scores) > 0.6
    assert not len(start.index)  # clones were fitted
    pipeline = make_pipeline(FunctionTransformer(list), start)
    assert set(cross_val_predict(pipeline, texts, labels, cv=2)) == set(labels)
    assert pipeline.fit(texts, labels).score(texts, labels) > 0.6
    assert list(pipeline.classes_) == list(start.classes_) == sorted(set(labels))
    assert start.fit(pairs, "knn").method == "knn"


def test_an_encoder_that_only_answers_is_not_saved_as_a_folder(saved, tmp_path):
    model = SymmetryClassifier.from_pretrained(saved["knn"], inference_only=True)
    with pytest.raises(ModelError, match="not loaded with inference_only is expected"):
        model.to("cpu").encoder.save_pretrained(tmp_path)
