"""Files as people have them, through all four ways in: the same pairs, labels and odd rows."""

import csv
import io
import json
from collections import Counter

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


def table(names, *words, separator=",", none="-", **more):
    """Return the rows as text: columns by name, labels in these words, other columns as given."""
    word = dict(zip((YES, NO, OPEN, ""), (*words, none), strict=True))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, quoting=csv.QUOTE_MINIMAL, quotechar="'")
    if names:
        writer.writerow([*more, *names])
    writer.writerows([*more.values(), p, h, word[label]] for p, h, label in ROWS)
    return out.getvalue()


def objects(premise, hypothesis, label, *words, none="-", **more):
    word = dict(zip((YES, NO, OPEN, ""), (*words, none), strict=True))
    return [more | {premise: p, hypothesis: h, label: word[own]} for p, h, own in ROWS]


def lines(rows):
    return "\n".join(json.dumps(row) for row in rows)


def chaos(rows):
    return [
        {"label_counter": {"e": 1}, "majority_label": row.pop("l"), "example": row} for row in rows
    ]


def excel(path, rows):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


def parquet(path, rows, names):
    described = {"info": {"features": {"label": {"names": names, "_type": "ClassLabel"}}}}
    made = pa.Table.from_pylist(rows)
    pq.write_table(made.replace_schema_metadata({"huggingface": json.dumps(described)}), path)


PLAIN = ("premise", "hypothesis", "label")
SENTENCES = ("sentence1", "sentence2", "gold_label")
WORDS = (YES, NO, OPEN)
LEVY = "".join(
    f"{h.replace(' ', ' , ')}\t{p.replace(' ', ' , ') if ' ' in p else p + ' , , '}\t{label}\n"
    for p, h, label in [(p, h, {YES: "True", "": "-"}.get(own, "False")) for p, h, own in ROWS]
)
FILES = {
    "plain.csv": table(PLAIN, *WORDS),
    "words.csv": table(PLAIN, "Entails.", "contradicts", "Maybe", none=""),
    "excel.csv": table(PLAIN, "yes", "no", "maybe", separator=";").encode("cp1252"),
    "unicode.txt": table(PLAIN, *WORDS, separator="\t").encode("utf-16"),
    "unheaded.csv": table((), "yes", "no", "maybe"),
    "unheaded.tsv": table((), *WORDS, separator="\t"),
    "twice.csv": table((*PLAIN, "label"), *WORDS),
    "floats_snli.csv": table(PLAIN, "0.0", "2.0", "1.0", none="-1.0"),
    "snli_1.0_dev.txt": table(SENTENCES, *WORDS, separator="\t", sentence1_parse="(ROOT"),
    "snli_1.0_dev.jsonl": lines(objects(*SENTENCES, *WORDS, annotator_labels=["neutral"])),
    "dev_matched.tsv": table(SENTENCES, *WORDS, separator="\t", index=0, genre='"odd', label1="-"),
    "xnli.dev.tsv": table(SENTENCES, *WORDS, separator="\t", language="en", promptID="1"),
    "anli.jsonl": lines(objects("context", "hypothesis", "label", "e", "c", "n", uid="x")),
    "chaos.jsonl": lines(chaos(objects("premise", "hypothesis", "l", "e", "c", "n", uid="x"))),
    "SICK.txt": table(
        ("sentence_A", "sentence_B", "entailment_label"), *map(str.upper, WORDS),
        separator="\t", pair_ID="1",
    ),
    "hub.json": json.dumps(objects(*PLAIN, 0, 2, 1, none=-1)),
    "columns.json": json.dumps({
        name: {str(n): row[name] for n, row in enumerate(objects(*PLAIN, *WORDS))} for name in PLAIN
    }),
    "hub.parquet": lambda path: parquet(
        path, objects(*PLAIN, 1, 0, 2, none=-1), ["contradiction", "entailment", "neutral"]
    ),
    "table.xlsx": lambda path: excel(path, [PLAIN, *ROWS]),
    "heuristics_evaluation_set.txt": table(
        SENTENCES, YES, "non-entailment", "non-entailment", separator="\t", heuristic="lexical",
        subcase="x", template="y",
    ),
    "hub_hans.csv": table(PLAIN, "0", "1", "1", heuristic="lexical", subcase="x", template="y"),
    "train.tsv": table(("sentence1", "sentence2", "label"), "1", "0", "0", separator="\t", id="1"),
    "levy_holt.txt": LEVY,
    "RTE.tsv": table((*SENTENCES[:2], "label"), YES, NOT, NOT, separator="\t", index=0),
    "scitail_1.0_train.tsv": table((), "entails", "contradicts", "neutral", separator="\t"),
    "wanli.jsonl": lines(objects("premise", "hypothesis", "gold", *WORDS, genre="generated")),
    "esnli.csv": b"\xef\xbb\xbf" + table(
        (*map(str.capitalize, SENTENCES[:2]), "gold_label"), *WORDS, Explanation="two lines",
    ).replace("two lines", '"two\nlines"').encode(),
}  # fmt: skip
TWO_CLASSES = {
    "heuristics_evaluation_set.txt", "hub_hans.csv", "train.tsv", "levy_holt.txt", "RTE.tsv",
}  # fmt: skip


@pytest.fixture
def made(tmp_path):
    def made(name):
        path, content = tmp_path / name, FILES[name]
        if callable(content):
            content(path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
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
