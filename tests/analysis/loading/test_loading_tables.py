"""Tables of people's own: how they look, what becomes of their rows, and in which words."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_samples import refusal

from symdemo.analysis.loading import (
    OTHERS,
    label_values,
    load_table,
    look_at_table,
    tables,
)
from symdemo.analysis.loading.cells import BAD_LABEL, BAD_SENTENCE, NO_PREMISE, NO_SWAP, SAME
from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.jobs.state import StoppedError
from symdemo.pairs import Pair

ROWS = (
    {"sentence1": "Ann met Ben.", "sentence2": "Ben met Ann.", "gold": "ja", "bert": "no"},
    {"sentence1": "Ann bore Ben.", "sentence2": "Ben bore Ann.", "gold": "nein", "bert": "no"},
    {
        "sentence1": "Ann is Ben's boss.",
        "sentence2": "Ben is Ann's boss.",
        "gold": "Maybe.",
        "bert": "",
    },
    {"sentence1": "Ann and Ben met.", "sentence2": "Ben and Ann met.", "gold": "", "bert": "Odd"},
)
MAPPING = {"premise": "sentence1", "hypothesis": "sentence2", "label": "gold"}
GERMAN = {"ja": "entailment", "nein": "contradiction"}


def as_csv(rows=ROWS, separator=","):
    file = io.StringIO()
    writer = csv.DictWriter(file, rows[0], delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def written(write, name):
    """The same four rows in a file of this kind."""
    path = write(name, "")
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(list(ROWS)), path)
    elif name.endswith(".jsonl"):
        path.write_text("\n".join(json.dumps(row) for row in ROWS), "utf-8")
    else:
        path.write_text(as_csv(separator="\t" if name.endswith(".tsv") else ","), "utf-8")
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.parquet"])
def test_every_kind_of_file_gives_the_same_pairs(write, name):
    path = written(write, name)
    look = look_at_table(path)
    assert (look.name, look.headed, look.n_rows) == (name, True, 4)
    assert look.columns == ("sentence1", "sentence2", "gold", "bert")
    assert look.guess == {"premise": "sentence1", "hypothesis": "sentence2"}
    assert look.rows[2] == ("Ann is Ben's boss.", "Ben is Ann's boss.", "Maybe.", "")
    loaded = load_table(path, MAPPING, GERMAN, systems=["bert"])
    assert [pair.premise for pair in loaded.pairs] == [row["sentence1"] for row in ROWS]
    assert [pair.hypothesis for pair in loaded.pairs] == [row["sentence2"] for row in ROWS]
    labels = ["entailment", "contradiction", "neutral", None]
    assert [pair.label for pair in loaded.pairs] == labels
    assert loaded.systems == {"bert": ("contradiction", "contradiction", None, "Odd")}
    assert loaded.constructions == ("plain", "plain", "possessive", "joined")
    assert (loaded.name, loaded.swapped, loaded.refused, loaded.reasons) == (name, 0, (), {})
    assert loaded.key == load_table(written(write, "t.csv"), MAPPING, GERMAN, systems=["bert"]).key


def test_a_look_guesses_fields_and_a_missing_header(write):
    header = "kind,head,relation,tail,gold_label\n"
    assert look_at_table(write("t.csv", f"{header}a,b,c,d,e\n")).guess == {
        "subject": "head", "relation": "relation", "object": "tail", "label": "gold_label",
        "construction": "kind",
    }  # fmt: skip
    look = look_at_table(write("u.csv", "Ann met Ben.,no\nCy met Di.,no\n"))
    assert not look.headed
    assert look.guess == {"premise": "Column 1", "label": "Column 2"}
    assert look_at_table(write("u.csv", "Ann met Ben.,no\n"), headed=True).columns[1] == "no"
    assert look_at_table(write("v.csv", "Ann met Ben.\n")).guess == {"premise": "Column 1"}
    assert len(look_at_table(write("w.csv", "a\n" + "b c\n" * 9)).rows) == 5


@pytest.mark.parametrize(
    ("content", "n"),
    [
        ("a,b\nc,d\n\n,,\ne,f", 2),
        ('a,b\n"c\nc",d\n\n,,\ne,f\n', 2),
        ("a,b\rc,d\r\r,,\re,f\r", 2),
        ("a,b\nc,d\re,f\r\n", 2),
        ("\ufeff\na,b\r\nc,d\r\n", 1),
        ('a,b\nc,d\n"e\nf,g\n', 2),
    ],
)
def test_rows_are_counted_as_they_are_read(write, content, n):
    path = write("t.csv", content)
    assert look_at_table(path, headed=True).n_rows == n
    assert len(list(TableFile(path).rows())) == n


def test_label_values_are_counted(write):
    texts = ["yes"] * 3 + ["no"] * 2 + ["", " "] + [f"own {n}" for n in range(40)]
    path = write("t.csv", "x,label\n" + "".join(f"a,{text}\n" for text in texts))
    found = label_values(path, "label")
    assert found[:3] == [("yes", 3), ("no", 2), ("own 0", 1)]
    assert found[30:] == [(OTHERS, 12)]
    assert sum(n for _, n in found) == 45
    assert label_values(path, "x") == [("a", 47)]
    assert "There is no column “y”; seen: x, label." in refusal(label_values, path, "y")
    numbers = '{"label": 1}\n{"label": true}\n{"label": 1.0}\n{"label": null}\n{"label": NaN}\n'
    assert label_values(write("t.jsonl", numbers), "label") == [("1", 2), ("true", 1)]


@given(st.lists(st.sampled_from(["yes", "No", "odd", "Odd", "0", ""]), min_size=1, max_size=20))
def test_labels_mean_what_their_words_mean(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("labels") / "t.csv"
    path.write_text("premise,hypothesis,label\n" + "".join(f"a b,b a,{text}\n" for text in texts))
    names = {"0": "neutral", "No": None}
    loaded = load_table(path, {name: name for name in ("premise", "hypothesis", "label")}, names)
    odd = next((text for text in texts if text.casefold() == "odd"), None)
    meant = {"yes": "entailment", "No": None, "odd": odd, "Odd": odd, "0": "neutral", "": None}
    assert [pair.label for pair in loaded.pairs] == [meant[text] for text in texts]


def test_three_parts_make_the_sentences(write):
    text = "head,relation,tail,kind\nthe cat,chases,the dog,odd\n"
    text += "Ann,[Y] is [X]'s boss,Ben,\nAnn,,Cy,\n"
    path = write("t.csv", text)
    loaded = load_table(
        path, {f: f for f in ("head", "relation", "tail")} | {"construction": "kind"}
    )
    assert loaded.pairs == (
        Pair(
            "The cat chases the dog.",
            "The dog chases the cat.",
            None,
            "chases",
            "the cat",
            "the dog",
        ),
        Pair("Ben is Ann's boss.", "Ann is Ben's boss.", None, "[Y] is [X]'s boss", "Ann", "Ben"),
    )
    assert loaded.constructions == ("odd", "possessive")
    assert [(row.number, row.reason) for row in loaded.refused] == [
        (4, "The relation is empty; a word is expected.")
    ]
    assert loaded.reasons == {NO_PREMISE: 1}


def test_missing_hypotheses_are_made_by_swapping(write):
    lines = [
        "Kenya borders Uganda.,yes",
        "It rains.,no",
        "Is Ann Ben's boss?,no",
        "Kenya borders Uganda.,",
    ]
    path = write("t.csv", "premise,label\n" + "\n".join(lines))
    told = []
    loaded = load_table(
        path, {"premise": "premise", "label": "label"}, progress=lambda *n: told.append(n)
    )
    kenya = Pair(
        "Kenya borders Uganda.", "Uganda borders Kenya.", "entailment", "borders", "Kenya", "Uganda"
    )
    assert loaded.pairs[0] == kenya
    assert [pair.label for pair in loaded.pairs] == ["entailment", "contradiction", None]
    assert loaded.pairs[1].premise == "Ann is Ben's boss."
    assert loaded.pairs[1].hypothesis == "Ben is Ann's boss."
    assert loaded.constructions == ("plain", "possessive", "plain")
    assert loaded.swapped == 3
    assert loaded.reasons == {NO_SWAP: 1}
    assert loaded.refused[0].number == 3
    assert loaded.refused[0].text == "It rains."
    assert told == [(4, 4)]


def test_doubtful_swaps_are_used_and_counted(write, monkeypatch):
    from symdemo.analysis.loading import swapping
    from symdemo.swapping import Swap

    asked = []

    def swap_many(premises):
        for premise in premises:
            asked.append(premise)
            yield swap(premise)

    def swap(premise):
        return Swap(
            premise, f"{premise} back", "x", "y", "[X] … [Y]", ("Why?",) * ("odd" in premise)
        )

    monkeypatch.setattr(swapping, "swap_many", swap_many)
    path = write("t.csv", "premise\nan odd one\na plain one\nan odd one\n")
    loaded = load_table(path, {"premise": "premise"})
    assert (loaded.swapped, loaded.doubtful) == (3, 2)
    assert asked == ["an odd one", "a plain one"]


def test_bad_rows_are_set_aside_and_the_rest_is_loaded(write):
    rows = [
        "Ann met Ben.,Ben met Ann.,yes",
        ",Ben met Ann.,yes",
        "Ann,Ben met Ann.,yes",
        "Ann met Ben.,ann MET ben.,yes",
        f"Ann met Ben.,Ben met Ann.,{'x' * 81}",
        f"{'Ann ' * 600},Ben met Ann.,yes",
        "Ann\x00 met Ben.,Ben met Ann.,no",
        "a,b,c,d",
    ]
    path = write("t.csv", "premise,hypothesis,label\n" + "\n".join(rows))
    loaded = load_table(path, look_at_table(path).guess)
    assert len(loaded) == 1
    assert [row.number for row in loaded.refused] == [3, 4, 5, 6, 7, 8, 9]
    assert loaded.reasons == {
        BAD_SENTENCE: 3, NO_PREMISE: 1, SAME: 1, BAD_LABEL: 1, "the line cannot be read": 1,
    }  # fmt: skip
    assert loaded.refused[0].reason == "The premise is empty; a sentence is expected."
    assert loaded.refused[5].text == "Ann� met Ben.,Ben met Ann.,no"
    assert all(len(row.text) <= 60 for row in loaded.refused)


def test_a_thousand_refused_rows_are_kept_and_all_are_counted(write):
    path = write("t.csv", "premise,hypothesis\nAnn met Ben.,Ben met Ann.\n" + "a,b\n" * 1_500)
    loaded = load_table(path, look_at_table(path).guess)
    assert len(loaded.refused) == 1_000
    assert loaded.reasons == {BAD_SENTENCE: 1_500}
    with pytest.raises(
        InputError, match=r"u\.csv has no row that can be used; line 2: The premise"
    ):
        load_table(write("u.csv", "premise,hypothesis\na,b\n"), look_at_table(path).guess)


def test_columns_that_hold_something_else_are_refused(write):
    text = "premise,hypothesis,id\n" + "".join(f"a b,b a,n{n}\n" for n in range(300))
    path = write("t.csv", text)
    mapping = {"premise": "premise", "hypothesis": "hypothesis"}
    message = refusal(load_table, path, mapping | {"label": "id"})
    assert message.startswith("The column “id” has more than 50 different labels, “n50” among them")
    message = refusal(load_table, path, mapping | {"construction": "id"})
    assert message.startswith("There are more than 200 different constructions")
    assert "There is no column “x”" in refusal(load_table, path, mapping | {"label": "x"})
    assert "A row has no field “size”" in refusal(load_table, path, mapping | {"size": "id"})
    assert "A column for the premise is needed" in refusal(load_table, path, {"label": "id"})
    with pytest.raises(InputError, match="There is no column “x”"):
        load_table(path, mapping, systems=["x"])
    with pytest.raises(InputError, match="has 81 characters; at most 80"):
        load_table(path, mapping, {"a": "x" * 81})


def test_more_rows_than_are_analysed_are_refused_with_their_number(write, monkeypatch):
    monkeypatch.setattr(tables, "MAX_PAIRS", 3)
    path = write("t.csv", "premise,hypothesis\n" + "a b,b a\n" * 4)
    message = refusal(load_table, path, look_at_table(path).guess)
    assert message == "t.csv has 4 rows; at most 3 are analysed at once."
    path = write("t.csv", "premise,hypothesis\n" + "a b,b a\n" * 3 + "\n,\n")
    assert len(load_table(path, look_at_table(path).guess)) == 3


def test_loading_stops_when_asked(write):
    path = write("t.csv", "premise,hypothesis\n" + "a b,b a\n" * 600)
    asked = []

    def stop():
        asked.append(1)
        return len(asked) == 2

    with pytest.raises(StoppedError):
        load_table(path, look_at_table(path).guess, should_stop=stop)
    assert len(asked) == 2
