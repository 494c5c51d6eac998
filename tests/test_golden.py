"""The golden test: fixed pairs and sentences whose answers must not move unless a release says so.

`golden.json` holds 300 pairs of every construction and label with the answers of the shipped
classifiers, which read the pair together (`general`), in roles (`pairs`) and apart (`wikidata14`),
and 200 sentences with their swaps. Record it anew only when weights, taught pairs or the swapping
are meant to change, and measure what that concerns:

    python tests/test_golden.py
"""

import json
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
sys.path.insert(0, str(TESTS.parent))  # when it is run as a script, without an installed symdemo

from symdemo import Pair, SymmetryClassifier  # noqa: E402
from symdemo.errors import InputError  # noqa: E402
from symdemo.swapping import swap  # noqa: E402

FILE = TESTS / "golden.json"
GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))
MODELS = ("general", "pairs", "wikidata14")
TOLERANCE = 1e-3
MODES = {"as shipped": {}, "by majority": {"temperature": None}}


def answers(model: SymmetryClassifier, pairs: list[Pair]) -> dict[str, list[dict]]:
    """Mode → label, probabilities and nearest taught rows with their distances, one dict a pair."""
    vectors = model.embed(pairs)
    return {
        mode: columns(model.with_card(**card).predict_embedded(pairs, vectors, k=5))
        for mode, card in MODES.items()
    }


def columns(predictions) -> list[dict]:
    return [
        {
            "label": one.label,
            "probabilities": {name: round(p, 5) for name, p in one.probabilities.items()},
            "rows": [int(row) for row in rows],
            "distances": [round(float(distance), 5) for distance in distances],
        }
        for one, rows, distances in zip(
            predictions, predictions.rows, predictions.distances, strict=True
        )
    ]


def swapped(sentence: str) -> dict:
    """The swap of a sentence, or the error that refuses it."""
    try:
        found = swap(sentence)
    except InputError as error:
        return {"refused": type(error).__name__}
    return {
        "premise": found.premise,
        "hypothesis": found.hypothesis,
        "subject": found.subject,
        "object": found.object,
        "sure": found.sure,
        "others": [other.hypothesis for other in found.others],
    }


def moved(expected: dict, found: dict) -> list[str]:
    """Describe each way in which an answer differs from the recorded one."""
    lines = []
    if expected["label"] != found["label"]:
        lines.append(f"label {expected['label']} -> {found['label']}")
    for label, p in expected["probabilities"].items():
        now = found["probabilities"].get(label, 0.0)
        if abs(p - now) > TOLERANCE:
            lines.append(f"P({label}) {p} -> {now}")
    farthest = expected["distances"][-1]
    near = zip(expected["rows"], expected["distances"], strict=True)
    # Rows as far away as the last one may change places with others just outside the list.
    if lost := [row for row, d in near if d < farthest - TOLERANCE and row not in found["rows"]]:
        lines.append(f"neighbours {lost} -> {found['rows']}")
    return lines


def report(lines: list[str], total: int) -> str:
    return "\n".join([f"{len(lines)} of {total} moved:", *lines])


def read_pairs() -> list[Pair]:
    return [Pair(**pair) for pair in GOLDEN["pairs"]]


@pytest.fixture(scope="module", params=MODELS)
def model(request) -> SymmetryClassifier:
    return SymmetryClassifier.from_pretrained(request.param, device="cpu")


def moved_lines(model: SymmetryClassifier, pairs: list[Pair]) -> list[str]:
    """Ask the model the first pairs and describe every answer that moved."""
    expected, found = GOLDEN["answers"][model.card.name], answers(model, pairs)
    return [
        f"“{pair.premise}” / “{pair.hypothesis}”, {mode}: {'; '.join(what)}"
        for mode in MODES
        for pair, *both in zip(pairs, expected[mode][: len(pairs)], found[mode], strict=True)
        if (what := moved(*both))
    ]


def test_answers_have_not_moved(model):
    lines = moved_lines(model, read_pairs())
    assert not lines, report(lines, len(MODES) * len(GOLDEN["pairs"]))


def test_swaps_have_not_moved():
    lines = [
        f"“{sentence}”: {expected} -> {found}"
        for sentence, expected in GOLDEN["swaps"].items()
        if (found := swapped(sentence)) != expected
    ]
    assert not lines, report(lines, len(GOLDEN["swaps"]))


def test_exchanging_premise_and_hypothesis_is_noticed(model):
    """A model that reads them in the wrong order must not pass, on as few as 40 pairs."""
    assert moved_lines(model, [pair.reversed() for pair in read_pairs()[:40]])


def record() -> None:
    """Write the answers of today for the same pairs and sentences."""
    pairs = read_pairs()
    models = {name: SymmetryClassifier.from_pretrained(name, device="cpu") for name in MODELS}
    golden = {
        "pairs": [{"premise": pair.premise, "hypothesis": pair.hypothesis} for pair in pairs],
        "answers": {name: answers(model, pairs) for name, model in models.items()},
        "swaps": {sentence: swapped(sentence) for sentence in GOLDEN["swaps"]},
    }
    lines = json.dumps(golden, ensure_ascii=False, separators=(",", ":"))
    FILE.write_text(lines.replace("},{", "},\n{") + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
