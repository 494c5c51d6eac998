"""NLI models of others: their classes are read by name, and labels made comparable."""

import pytest
from refusals import refusal
from tiny import write_classifier

from symdemo.errors import ModelError
from symdemo.evaluation.nli import comparable, load_cross_encoder, nli_verdicts
from symdemo.pairs import Pair


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        ("CONTRADICTION NEUTRAL ENTAILMENT", "contradiction neutral entailment"),
        ("Entails Not-Entailment", "entailment not_entailment"),
    ],
)
def test_classes_are_read_by_name(tiny_folder, tmp_path, names, labels):
    model = load_cross_encoder(write_classifier(tiny_folder, tmp_path, names.split()))
    pairs = [Pair("Ann is with Ben", "Ben is with Ann"), Pair("Mia is part of Leo", "Leo is Mia")]
    pairs *= 150
    inputs = model.tokenizer(
        [p.premise for p in pairs], [p.hypothesis for p in pairs], padding=True, return_tensors="pt"
    )
    best = model.model(**inputs).logits.argmax(-1).tolist()
    done = []
    verdicts = nli_verdicts(model, pairs, lambda *progress: done.append(progress))
    assert verdicts == [labels.split()[row] for row in best]
    assert done == [(256, 300), (300, 300)]


@pytest.mark.parametrize("names", ["positive negative mixed", "LABEL_0 LABEL_1", "true false"])
def test_other_classes_are_refused(tiny_folder, tmp_path, names):
    name = write_classifier(tiny_folder, tmp_path, names.split())
    says = f"answers {names.replace(' ', ', ')}; expected: entailment"
    assert says in refusal(load_cross_encoder, name, raising=ModelError)


def test_labels_are_those_that_all_systems_can_give():
    given = ["entailment", "neutral", "contradiction", "own"]
    pairs = [Pair("a", "b", label) for label in given]

    def labels(*verdicts):
        return [pair.label for pair in comparable(pairs, [["neutral"] * 4, verdicts])]

    assert labels("neutral", None, "entailment", "x") == given
    two = ["entailment", "not_entailment", "not_entailment", "own"]
    assert labels("not_entailment", None, "entailment", "x") == two
