"""What visitors type: the files are sound, a sample is still swapped rightly, the table is true."""

import csv
import importlib.util
import json
import sys
from pathlib import Path

import pytest

from symdemo.errors import InputError
from symdemo.evaluation.intervals import wilson
from symdemo.pairs import LABELS
from symdemo.swapping import exchanged, swap

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"


def rows(name):
    with (EXPERIMENTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def load(name):
    """A benchmark as a module."""
    spec = importlib.util.spec_from_file_location(name, EXPERIMENTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "key", "least"),
    [("natural_sentences", "sentence", 440), ("questions", "sentence", 130),
     ("edited_pairs", "hypothesis", 300)],
)  # fmt: skip
def test_the_files_are_sound(name, key, least):
    found = rows(name)
    texts = [(row.get("premise"), row[key]) for row in found]
    assert len(found) >= least
    assert len(set(texts)) == len(texts)
    assert {row["split"] for row in found} == {"dev", "test"}
    for row in found:
        assert row.get("swapped") != row[key]
        assert row.get("verdict", LABELS[0]) in LABELS
        assert row.get("is_swap", "yes") in {"yes", "no"}


def test_a_sample_of_natural_sentences_is_swapped_as_written():
    sample = rows("natural_sentences")[::8]
    exact = wrong_and_sure = possible = 0
    for row in sample:
        right = {text for text in (row["swapped"], *row["also"].split(" | ")) if text}
        possible += bool(right)
        try:
            found = swap(row["sentence"])
        except InputError:
            continue
        exact += found.hypothesis in right
        wrong_and_sure += found.hypothesis not in right and found.sure
    assert exact / possible >= 0.8
    assert wrong_and_sure / len(sample) <= 0.05


def test_a_sample_of_edits_is_told_from_swaps():
    sample = rows("edited_pairs")[::4]
    for is_swap, least in (("no", 0.95), ("yes", 0.9)):
        own = [row for row in sample if row["is_swap"] == is_swap]
        right = [
            exchanged(row["premise"], row["hypothesis"]).is_swap == (is_swap == "yes")
            for row in own
        ]
        assert sum(right) / len(right) >= least


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"), [(0, 0, 0, 1), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1)]
)
def test_wilson_interval(hits, n, low, high):
    assert wilson(hits, n) == pytest.approx((low, high), abs=1e-4)


def test_the_page_has_the_table_of_the_reports():
    visitors = load("visitors")
    page = (EXPERIMENTS.parent / "docs" / "visitors.md").read_text(encoding="utf-8")
    inside = page.split(visitors.BEGIN)[1].split(visitors.END)[0]
    assert inside.strip() == visitors.markdown().strip()


def test_the_report_on_questions_adds_up():
    report = json.loads((EXPERIMENTS / "results" / "questions.json").read_text(encoding="utf-8"))
    for row in report["rows"]:
        if "right" not in row:
            continue
        right = sum(own for own, _ in row["by_kind"].values())
        assert sum(n for _, n in row["by_kind"].values()) == row["n"]
        assert row["right"]["share"] == pytest.approx(100 * right / row["n"], abs=0.06)
        assert len(row["wrong"]) == row["n"] - right
