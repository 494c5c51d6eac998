"""Files as people have them, through all four ways in: the same pairs, labels and odd rows."""

import io
import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook
from refusals import refusal

from symdemo.analysis.loading import build_pair, load_table, look_at_table
from symdemo.classifier import SymmetryClassifier
from symdemo.data.pair_files import NO_LABEL, SET_ASIDE, load_pairs, read_pairs
from symdemo.data.sources import load_data
from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.jobs.reporting import SILENT
from symdemo.teaching.row_sources import read_file

pytestmark = pytest.mark.filterwarnings("ignore:The value passed into gr.Dropdown")

YES, NO, OPEN, NOT = "entailment", "contradiction", "neutral", "not_entailment"
PAIRS = [
    ("Zoë met Ann", "Ann met Zoë", YES),
    ("Ann leads Ben", "Ben leads Ann", NO),
    ("Ben likes Cy", "Cy likes Ben", OPEN),
    ("Cy met Di", "Di met Cy", YES),
]
ODD = ("Melatonin", "Ann met Zoë", YES)  # one word, as in MNLI
UNLABELLED = ("Di saw Ann", "Ann saw Di", "")
ROWS = [*PAIRS, ODD, UNLABELLED]
FOLDER = Path(__file__).with_name("files")
"""The same rows as published data sets, spreadsheets and the Hugging Face Hub write them."""

FILES = [*sorted(path.name for path in FOLDER.glob("[!.]*")), "table.xlsx", "hub.parquet"]
TWO_CLASSES = {
    "heuristics_evaluation_set.txt", "hub_hans.csv", "train.tsv", "levy_holt.txt", "RTE.tsv",
}  # fmt: skip


def write_excel(path):
    book = Workbook()
    for row in (("premise", "hypothesis", "label"), *ROWS):
        book.active.append(row)
    book.save(path)


def write_parquet(path):
    """Write a table with a label feature, whose names have an order of their own."""
    names = [NO, YES, OPEN]
    described = {"info": {"features": {"label": {"names": names, "_type": "ClassLabel"}}}}
    rows = [
        {"premise": p, "hypothesis": h, "label": names.index(label) if label else -1}
        for p, h, label in ROWS
    ]
    made = pa.Table.from_pylist(rows)
    pq.write_table(made.replace_schema_metadata({"huggingface": json.dumps(described)}), path)


@pytest.fixture
def made(tmp_path):
    def made(name):
        if name not in ("table.xlsx", "hub.parquet"):
            return FOLDER / name
        path = tmp_path / name
        (write_excel if name == "table.xlsx" else write_parquet)(path)
        return path

    return made


def expected(name):
    two = name in TWO_CLASSES
    return [(p, h, NOT if two and label != YES else label) for p, h, label in PAIRS]


def by_library(path):
    found = read_pairs(path)
    assert load_pairs(path) == list(found.pairs)
    return [(p.premise, p.hypothesis, p.label) for p in found.pairs], found.dropped


def by_analyse(path):
    """Read a file as the page does when all that it proposes is left as it is."""
    pytest.importorskip("gradio")
    from symdemo.ui.analyse.inputs import FILE, chosen_data, column_updates, label_updates

    look = look_at_table(path)
    boxes = column_updates(look) | label_updates(path, look.guess.get("label", ""), look.headed)
    values = {name: box.value for name, box in boxes.items()}
    load, _ = chosen_data(values | {"kind": FILE, "file": path, "headed": look.headed})
    found = load(SILENT)
    pairs = [(p.premise, p.hypothesis, p.label) for p in found.pairs]
    labelled = [pair for pair in pairs if pair[2]]
    return labelled, {NO_LABEL: len(pairs) - len(labelled), SET_ASIDE: sum(found.reasons.values())}


def by_teach(path):
    rows, problems = read_file(path, TableFile(path).guess())
    found, dropped = [], Counter("label is empty" in one for one in problems.values())
    for row in rows:
        try:
            found.append((row.pair().premise, row.pair().hypothesis, row.label))
        except InputError:
            dropped[False] += 1
    return found, {NO_LABEL: dropped[True], SET_ASIDE: dropped[False]}


@pytest.fixture
def by_evaluate(run, with_models, monkeypatch):
    """Read a file as `evaluate` does: the pairs that reach the model, and those left out."""

    def read(path):
        seen, predict = [], SymmetryClassifier.predict_checked

        def keep(model, pairs, *args, **kwargs):
            seen.extend((pair.premise, pair.hypothesis, pair.label) for pair in pairs)
            return predict(model, pairs, *args, **kwargs)

        with monkeypatch.context() as patch:
            patch.setattr(SymmetryClassifier, "predict_checked", keep)
            code, out, err = run("evaluate", "--model", "tiny", "--data", path, "--json")
        found = json.loads(out)
        labels = Counter(label for *_, label in seen)
        assert {label: sum(own.values()) for label, own in found["confusion"].items()} == labels
        (odd,) = found["data"]["set_aside"]
        assert (code, "Melatonin" in odd["reason"], err.count("\n")) == (0, True, 1)
        return seen, found["data"]["dropped"]

    return read


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("way", ["library", "analyse", "teach", "evaluate"])
def test_every_way_in_finds_the_same_pairs(made, by_evaluate, name, way):
    read = {
        "library": by_library, "analyse": by_analyse, "teach": by_teach, "evaluate": by_evaluate,
    }[way]  # fmt: skip
    assert read(made(name)) == (expected(name), {NO_LABEL: 1, SET_ASIDE: 1})


@pytest.mark.parametrize("name", ["plain.csv", "hub.json", "hub.parquet", "table.xlsx"])
def test_evaluate_reads_standard_input(evaluated, made, monkeypatch, name):
    stream = io.BytesIO(made(name).read_bytes())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream, encoding="utf-8"))
    found = evaluated("-")
    assert (found["n"], found["data"]["source"]) == (len(PAIRS), "standard input")


@pytest.mark.parametrize(
    "lines",
    [
        "subject,relation,object,label\nAnn,met,Ben,entailment\n,met,Ben,neutral\n",
        "sentence,label\nAnn met Ben.,entailment\nHello,neutral\n",
    ],
)
def test_without_a_hypothesis_the_swap_is_asked_about(evaluated, write, lines):
    path = write("mine.csv", lines)
    found = evaluated(path)
    assert (found["n"], found["data"]["dropped"]) == (1, {SET_ASIDE: 1})
    assert "swaps of its rows" in found["data"]["source"]
    (pair,) = load_data(path, build=build_pair).pairs
    assert (pair.premise, pair.hypothesis) == ("Ann met Ben.", "Ben met Ann.")
    assert (pair.head, pair.relation, pair.tail) == ("Ann", "met", "Ben")


def test_strict_stops_at_the_first_odd_row(refused, with_models, made):
    path = made("plain.csv")
    message = refused("evaluate", "--model", "tiny", "--data", path, "--strict")
    assert "plain.csv, line 6: The premise is “Melatonin”" in message
    assert "line 6" in refusal(load_data, path, strict=True)


def test_numbers_of_an_unknown_order_are_asked_for(evaluated, refused, write):
    path = write("mine.csv", "premise,hypothesis,label\nAnn met Ben,Ben met Ann,1\nA b,b A,odd\n")
    says = "The labels are 1, and what they mean is not known"
    assert says in refused("evaluate", "--model", "tiny", "--data", path)
    for read in (by_library, by_analyse, by_teach):
        assert "what they mean is not known" in refusal(read, path)
    for labels in ("contradiction,entailment", "1=yes,0=no"):
        assert set(evaluated(path, "--labels", labels)["by_label"]) == {YES, "odd"}


def test_a_mistyped_label_is_no_fourth_one(write):
    path = write("p.csv", "premise,hypothesis,label\nA b,b A,yes\nC d,d C,entials\n")
    for read in (by_library, by_analyse, by_teach):
        found, dropped = read(path)
        assert ([label for *_, label in found], dropped[SET_ASIDE]) == ([YES], 1)


def test_convre_has_triples_and_no_labels(write):
    row = {"head": "Kenya", "relation": "borders", "tail": "Uganda", "answer": "A"}
    path = write("triples.json", json.dumps({"borders": [row], "owns": [row | {"answer": "B"}]}))
    found = load_table(path, look_at_table(path).guess)
    assert [(pair.premise, pair.label) for pair in found.pairs] == [
        ("Kenya borders Uganda.", None)
    ] * 2
