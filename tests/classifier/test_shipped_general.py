"""The shipped `general` on sentences of all constructions and all labels.

Those of assets were scored while models were made. Those of `asked_of_general.csv` were written for
this test and committed before any model was asked; no answer changed one.
"""

import csv
import json
from collections import defaultdict
from pathlib import Path

import pytest

from symdemo.classifier import SymmetryClassifier
from symdemo.data.bank_phrasings import KINDS_OF_PHRASING, fill, finish, phrasing_kind
from symdemo.evaluation.intervals import wilson
from symdemo.files.paths import ASSETS, MODELS, RESULTS
from symdemo.pairs import LABELS, Pair

MOST = 10
"""Of one construction and label, the first in the files' order; the rare ones have fewer."""

WRITTEN = Path(__file__).parent / "asked_of_general.csv"


def floor(n: int) -> float:
    """The lower end of Wilson's interval for n answers of a model as good as the published one.

    That is its share of the blind sentences, in `experiments/results/overlap.json`; a model that is
    as good falls below the floor once in forty times.
    """
    report = json.loads((RESULTS / "overlap.json").read_text(encoding="utf-8"))
    return wilson(round(report["sets"]["blind"]["all"]["accuracy"] * n), n)[0]


@pytest.fixture(scope="module")
def asked() -> list[tuple[str, Pair]]:
    """Construction and labelled pair, from both files of sentences."""
    cells = defaultdict(list)
    for name in ("blind", "free"):
        with (ASSETS / f"{name}_sentences.csv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                pair = Pair(row["premise"], row["hypothesis"], row["label"])
                cells[phrasing_kind(row["pattern"]), row["label"]].append(pair)
    return [(kind, pair) for (kind, _), pairs in cells.items() for pair in pairs[:MOST]]


@pytest.fixture(scope="module")
def written() -> list[tuple[str, Pair]]:
    """Construction and labelled pair, of the sentences written for this test."""
    with WRITTEN.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        (
            phrasing_kind(row["phrasing"]),
            Pair(
                finish(fill(row["phrasing"], row["x"], row["y"])),
                finish(fill(row["phrasing"], row["y"], row["x"])),
                row["label"],
            ),
        )
        for row in rows
    ]


@pytest.fixture(scope="module")
def right(asked, written) -> dict[str, list[bool]]:
    """Whether the model is right, of both lists."""
    if not (MODELS / "general").is_dir():
        pytest.skip("models/general is not here")
    model = SymmetryClassifier.from_pretrained("general", "cpu", inference_only=True)
    found = {}
    for name, rows in (("asked", asked), ("written", written)):
        pairs = [pair for _, pair in rows]
        answers = model.predict(pairs)
        found[name] = [a.label == pair.label for a, pair in zip(answers, pairs, strict=True)]
    return found


@pytest.mark.parametrize("which", ["asked", "written"])
def test_the_sentences_are_of_all_constructions_and_labels(which, request):
    rows = request.getfixturevalue(which)
    assert len(rows) >= 60
    assert len({pair.premise for _, pair in rows}) == len(rows)
    assert {kind for kind, _ in rows} == set(KINDS_OF_PHRASING)
    counts = [sum(pair.label == label for _, pair in rows) for label in LABELS]
    assert min(counts) >= 20
    assert max(counts) < 0.45 * len(rows), "always one answer stays far below the floor"


def test_the_written_sentences_have_each_label_in_each_construction(written):
    cells = {(kind, pair.label) for kind, pair in written}
    assert len(cells) == len(KINDS_OF_PHRASING) * len(LABELS)


@pytest.mark.parametrize("which", ["asked", "written"])
def test_the_model_stays_above_its_floor(right, which):
    n = len(right[which])
    assert sum(right[which]) / n > floor(n), f"{sum(right[which])} of {n}, floor {floor(n):.1%}"


@pytest.mark.parametrize("label", LABELS)
def test_no_label_is_given_up_for_the_others(asked, right, label):
    own = [ok for ok, (_, pair) in zip(right["asked"], asked, strict=True) if pair.label == label]
    n = len(own)
    assert sum(own) / n > floor(n), f"{sum(own)} of {n}, floor {floor(n):.1%}"
