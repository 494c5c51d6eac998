"""One model over many pairs: damaged parts, unreadable pairs, and its key."""

from dataclasses import replace

import numpy as np
import pytest

from symdemo import SymmetryClassifier
from symdemo.analysis import running
from symdemo.analysis.running import model_key, run_model
from symdemo.classifier.index import LabelIndex
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.training.methods import METHODS

LONG = Pair("Ann is the mother of Ben. " * 60, "Ben is the mother of Ann.", "entailment")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(running, "PART", 5)


@pytest.fixture
def counted(monkeypatch):
    """The sizes of the parts that are encoded."""
    sizes, embed = [], SymmetryClassifier.embed

    def count(self, pairs, progress=None):
        sizes.append(len(pairs))
        return embed(self, pairs, progress)

    monkeypatch.setattr(SymmetryClassifier, "embed", count)
    return sizes


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"no array", None, "narrow"])
def test_a_damaged_part_is_encoded_again(fitted, pairs, counted, tmp_path, damage):
    run_model(fitted["knn"], pairs[:12], exchanged=False, parts=tmp_path)
    path = tmp_path / "00001.npy"
    if damage == "narrow":
        np.save(path, np.zeros((5, 3), np.float32))
    else:
        path.write_bytes(path.read_bytes()[:-7] if damage is None else damage)
    run = run_model(fitted["knn"], pairs[:12], exchanged=False, parts=tmp_path)
    assert counted == [5, 5, 2, 5]
    plain = run_model(fitted["knn"], pairs[:12], exchanged=False)
    np.testing.assert_array_equal(run.embeddings, plain.embeddings)


def test_a_pair_that_cannot_be_read_has_no_verdict_and_counts_as_wrong(fitted, pairs):
    model = fitted["knn"]
    asked = [LONG, pairs[0], replace(LONG, label=None), pairs[1]]
    run = run_model(model, asked)
    assert sorted(run.unread) == [0, 2]
    with pytest.raises(InputError) as refused:
        model.check(LONG)
    assert run.unread[0] == str(refused.value)
    assert [run.rows.verdict[0], run.rows.verdict[2]] == [None, None]
    assert [run.rows.right[0], run.rows.right[2]] == [False, None]
    assert np.isnan(run.rows.probability[[0, 2]]).all()
    assert np.isnan(run.probabilities[[0, 2]]).all()
    assert np.isnan(run.embeddings[[0, 2]]).all()
    plain = run_model(model, [pairs[0], pairs[1]])
    assert list(run.rows.verdict[[1, 3]]) == list(plain.rows.verdict)
    np.testing.assert_array_equal(run.probabilities[[1, 3]], plain.probabilities)


def test_the_key_is_of_all_that_a_verdict_depends_on(fitted, pairs):
    model = fitted["knn"]
    later = LabelIndex(model.index.pairs, model.index.embeddings, later=3)
    other = [replace(model.index.pairs[0], relation="another"), *model.index.pairs[1:]]
    bent = model.index.embeddings.copy()
    bent[0, :2] = bent[0, 1::-1]
    models = [
        model,
        model.with_card(temperature=0.5),
        model.with_card(familiar_within=0.2),
        model.teach([Pair("Ann likes Ben.", "Ben likes Ann.", "neutral")]),
        replace(model, index=later),
        replace(model, index=LabelIndex(other, model.index.embeddings)),
        replace(model, index=LabelIndex(model.index.pairs, bent)),
        *(fitted[method] for method in METHODS if method != "knn"),
    ]
    head = fitted["fine-tuning"]
    turned = replace(head.readout, bias=head.readout.bias + 1)
    models.append(replace(head, readout=turned))
    models.append(replace(model, encoder=head.encoder))
    assert len({model_key(one) for one in models}) == len(models)
    assert model_key(model) == model_key(replace(model))


@pytest.mark.parametrize("method", METHODS)
def test_the_key_outlives_the_disk(fitted, saved, tmp_path, method):
    once = SymmetryClassifier.from_pretrained(saved[method])
    assert model_key(once) == model_key(SymmetryClassifier.from_pretrained(saved[method]))
    once.save_pretrained(tmp_path / "again")
    again = SymmetryClassifier.from_pretrained(tmp_path / "again")
    assert model_key(once.with_card(made_with=again.card.made_with)) == model_key(again)
