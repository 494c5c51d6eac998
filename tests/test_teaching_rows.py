"""A person's rows: their pairs, pasted lines and files, the check, proposals and the examples."""

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdemo.errors import InputError, ModelError
from symdemo.pairs import Pair
from symdemo.teaching import rows as rows_module
from symdemo.teaching.examples import EXAMPLES
from symdemo.teaching.limits import Limits
from symdemo.teaching.propose import propose
from symdemo.teaching.reading import columns_of, guess_mapping, read_file, read_lines
from symdemo.teaching.row_check import NO_RELATION, check_rows
from symdemo.teaching.rows import FIELDS, Row, pairs_of_rows, read_label, rows_of_pairs
from symdemo.teaching.tables import MAX_FILE_BYTES

BOSS = Row("Ann", "is the boss of", "Ben", label="contradiction")
WORDS = st.text(st.sampled_from("abcdefgh"), min_size=1, max_size=6)
NAMES = WORDS.map(str.title)
RELATIONS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
LABELS = st.sampled_from(["entailment", "contradiction", "neutral", "depends"])
ROWS = st.builds(Row, NAMES, RELATIONS, NAMES, label=LABELS).filter(
    lambda row: row.subject != row.object
)
MAPPING = {"subject": "who", "relation": "does", "object": "whom", "label": "verdict"}
WHOLE = {"premise": "premise", "hypothesis": "hypothesis", "label": "label"}


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str | bytes):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refusal(function, *args) -> str:
    with pytest.raises(InputError) as error:
        function(*args)
    return str(error.value)


# Rows and pairs


def test_a_row_of_parts_is_a_pair():
    pair = Row("my cat", "chased", "The dog", label="no!").pair()
    assert pair == Pair(
        "My cat chased the dog.", "The dog chased my cat.", "no!", "chased", "my cat", "The dog"
    )
    assert Row("Ann", "knows", "Ben").pair().label is None
    pair = Row("Ann", "[Y] is the mother of [X]", "Ben").pair()
    assert (pair.premise, pair.relation) == (
        "Ben is the mother of Ann.",
        "[Y] is the mother of [X]",
    )
    assert Row("Ann", "[X] is the boss of [Y].", "Ben", label="contradiction").pair() == BOSS.pair()
    pair = Row("Ann", "hired", "Ben", hypothesis="Ben was hired by Ann.").pair()
    assert (pair.hypothesis, pair.relation) == ("Ben was hired by Ann.", "hired")


def test_cells_are_tidied_as_their_sentences_are():
    pair = Row(" Zoe\u0308\u200b ", "is\t the\nboss of", "\ufeffBen").pair()
    assert pair == Pair(
        "Zoë is the boss of Ben.", "Ben is the boss of Zoë.", None, "is the boss of", "Zoë", "Ben"
    )
    assert Row("Анна", "любит", "Бена").pair().hypothesis == "Бена любит Анна."


def test_a_whole_premise_finds_its_hypothesis_and_its_parts():
    pytest.importorskip("spacy")
    found = ("is the boss of", "Ann", "Ben")
    pair = Row(premise="Ann is the boss of Ben.", label="contradiction").pair()
    assert pair == Pair("Ann is the boss of Ben.", "Ben is the boss of Ann.", pair.label, *found)
    assert rows_of_pairs([pair]) == [BOSS]
    given = Row(premise="Ann is the boss of Ben", hypothesis="ben is the boss of Ann.").pair()
    assert given == Pair("Ann is the boss of Ben", "ben is the boss of Ann.", None, *found)
    other = Row(premise="Ann is the boss of Ben.", hypothesis="Ben works for Ann.").pair()
    assert (other.relation, other.head, other.tail) == (None, None, None)
    apart = Row(premise="Ann's mother is Carla.").pair()
    assert (apart.relation, apart.hypothesis) == ("[X]'s mother is [Y].", "Carla's mother is Ann.")


def test_given_parts_of_whole_sentences_are_kept():
    pair = Pair("Ann leads Ben.", "Ben is led by Ann.", "entailment", "P25", "Ann", "Ben")
    (row,) = rows_of_pairs([pair])
    assert row == Row("Ann", "P25", "Ben", pair.premise, pair.hypothesis, "entailment")
    assert row.pair() == pair


def test_without_the_parser_only_what_needs_it_fails(monkeypatch):
    def missing(sentence):
        raise ModelError("The English parser is not installed.")

    monkeypatch.setattr(rows_module, "swap", missing)
    rows_module._find_swap.cache_clear()
    row = Row(premise="Q likes R.", hypothesis="R likes Q.", label="neutral")
    assert row.pair() == Pair("Q likes R.", "R likes Q.", "neutral")
    with pytest.raises(ModelError, match="not installed"):
        Row(premise="Q likes R.").pair()
    report = check_rows([row, Row(premise="Q likes R.", label="x")])
    assert [p.message for p in report.problems if p.kind == "unreadable"] == [
        "Row 2: The English parser is not installed."
    ]
    monkeypatch.undo()
    pytest.importorskip("spacy")
    assert Row(premise="Q likes R.").pair().hypothesis == "R likes Q."  # it was not remembered


@given(st.lists(ROWS, max_size=8))
def test_rows_become_pairs_and_rows_again(rows):
    assert rows_of_pairs(pairs_of_rows(rows)) == rows
    assert [Row.from_json(json.loads(json.dumps(row.to_json()))) for row in rows] == rows


def test_every_pair_comes_back_from_its_row(pairs):
    pairs = [*pairs, pairs[0].reversed(), Pair("a b c", "c b a", "x", None, "a", "c")]
    back = pairs_of_rows(rows_of_pairs(pairs))
    assert [(p.premise, p.hypothesis, p.label, p.head, p.tail) for p in back] == [
        (p.premise, p.hypothesis, p.label, p.head, p.tail) for p in pairs
    ]
    assert [p.relation for p in back[:-1]] == [p.relation for p in pairs[:-1]]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (Row(), "There are no words; give subject, relation and object, or a premise."),
        (Row(label="x"), "There are no words; give subject, relation and object, or a premise."),
        (
            Row(hypothesis="Ben likes Ann."),
            "There is a hypothesis but no premise; give the premise too.",
        ),
        (Row("Ann", "", "Ben"), "The relation is empty: give at least one word."),
        (
            Row("Ann", "is [X]", "Ben"),
            "The relation 'is [X]' names [X] 1 times and [Y] 0 times: give each once, or neither.",
        ),
        (
            Row("Ann", "likes", "ann"),
            "Premise and hypothesis are the same sentence, “Ann likes ann.”; the hypothesis should "
            "have subject and object swapped.",
        ),
        (
            Row("=1+1", "is", "b"),
            "The subject is “=1+1”, which is for a spreadsheet; plain words are expected.",
        ),
        (Row("a", "b", "#REF!"), "The object is “#REF!”, which is for a spreadsheet; plain words"),
        (Row("a", "@SUM(A1)", "b"), "The relation is “@SUM(A1)”, which is for a spreadsheet"),
        (Row("a", "b", "+cmd|' /C x'!A0"), "The object is “+cmd|' /C x'!A0”, which is for"),
        (
            Row("A\x00b", "is", "c"),
            "The subject contains the control character U+0000; plain text is expected.",
        ),
        (Row("A", "\ud800", "c"), "The relation contains the control character U+D800"),
        (Row("x" * 2001, "is", "c"), "The subject has 2,001 characters; at most 2,000 are read."),
        (Row(7, "is", "c"), "The subject is int; text is expected."),
        (Row("a", "is", None), "The object is NoneType; text is expected."),
        (Row(premise="Ann"), "The premise is “Ann”; a sentence of at least two words is expected."),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(row, says):
    message = refusal(row.pair)
    assert message.startswith(says)
    assert len(message) < 200
    if not row.is_blank:
        labelled = Row(**{name: getattr(row, name) for name in FIELDS} | {"label": "x"})
        assert refusal(pairs_of_rows, [BOSS, Row(), labelled]) == f"Row 3: {message}"


def test_words_that_look_like_formulas_pass():
    assert Row("-5 °C", "is colder than", "+3 °C").pair().premise == "-5 °C is colder than +3 °C."
    assert Row("@ann", "follows", "#1").pair().head == "@ann"


def test_a_sentence_without_subject_and_object_is_refused():
    pytest.importorskip("spacy")
    message = refusal(Row(premise="Ann, Ben").pair)
    assert message.startswith("No subject and object were found in 'Ann, Ben'")
    assert refusal(Row(premise="Ann, Ben").pair) == message


def test_pairs_of_rows_pass_over_blank_rows_and_need_labels():
    assert pairs_of_rows([Row(), BOSS, Row(" ", "\n")]) == [BOSS.pair()]
    assert refusal(pairs_of_rows, [BOSS, Row("Ann", "likes", "Ben")]) == (
        "Row 2: The label of “Ann likes Ben.” is empty; entailment, contradiction, neutral or a "
        "name of your own is expected."
    )


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([], "A row is list; an object of cells is expected."),
        (None, "A row is NoneType; an object of cells is expected."),
        (
            {"subject": "a", "colour": "b"},
            "A row has the field “colour”; expected: subject, relation, object, premise, "
            "hypothesis, label.",
        ),
        ({3: "a"}, "A row has the field “3”; expected"),
        ({"label": 3}, "The label of a row is int; text is expected."),
        ({"object": None}, "The object of a row is NoneType; text is expected."),
        ({"premise": ["a"]}, "The premise of a row is list; text is expected."),
    ],
)
def test_foreign_json_is_refused(values, says):
    assert refusal(Row.from_json, values).startswith(says)


def test_json_leaves_out_empty_cells():
    assert BOSS.to_json() == {
        "subject": "Ann", "relation": "is the boss of", "object": "Ben", "label": "contradiction",
    }  # fmt: skip
    assert Row.from_json({}) == Row()


def test_label_words():
    for label, words in {
        "entailment": "yes YES Holds symmetric true Entailment entails “yes” yes.",
        "contradiction": "no No contradicts antisymmetric FALSE contradiction",
        "neutral": "unknown maybe neither open Neutral Maybe.",
    }.items():
        assert {read_label(word) for word in words.split()} == {label}
    assert read_label("  It  Depends ") == "It Depends"


# Pasted lines


@pytest.mark.parametrize("mark", ["\t", "|", " | ", ";", ", ", ","])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_each_separator_and_number_of_columns(mark, newline):
    lines = [
        ["Ann", "is the boss of", "Ben", "No"],
        ["Ann met Ben.", "Ben met Ann.", "yes"],
        [],
        ["Ann likes Ben.", "maybe"],
    ]
    rows, problems = read_lines("\ufeff" + newline.join(mark.join(line) for line in lines))
    assert problems == []
    assert rows == [
        BOSS,
        Row(premise="Ann met Ben.", hypothesis="Ben met Ann.", label="entailment"),
        Row(premise="Ann likes Ben.", label="neutral"),
    ]


@given(st.lists(ROWS, min_size=1, max_size=6), st.sampled_from("\t|;,"), st.booleans())
def test_pasted_rows_are_read_back(rows, mark, header):
    lines = [[row.subject, row.relation, row.object, row.label] for row in rows]
    if header:
        lines.insert(0, ["Subject", "relation", "OBJECT", "Label"])
    assert read_lines("\n".join(mark.join(line) for line in lines)) == (rows, [])


@given(st.text(max_size=300), st.sampled_from(["", "\t", ",", '"', "|", ";yes\n"]))
def test_any_pasted_text_gives_rows_or_problems(text, more):
    text = text + more + text
    rows, problems = read_lines(text)
    assert len(rows) + len(problems) <= len(text.splitlines()) + 1
    for problem in problems:
        assert problem.message.startswith(f"Line {problem.number}: ")
        assert "\n" not in problem.message
        assert len(problem.message) < 400
        assert problem.text.isprintable()
        assert len(problem.text) <= 60
    for row in rows:
        assert row.label == read_label(row.label)
        assert check_rows([row]).problems or row.pair()


def test_quoted_cells_and_separators_inside_cells():
    text = '"Ann, the boss",leads,"Ben ""B"" Di",no\nCy,leads,Di,no'
    assert read_lines(text)[0][0].pair().premise == 'Ann, the boss leads Ben "B" Di.'
    rows, problems = read_lines("Ann, the boss; leads; Ben, Jr.; no\nEve; leads; Cy; no")
    assert [row.subject for row in rows] == ["Ann, the boss", "Eve"]
    assert not problems
    assert read_lines("Ann, Ben and Cy met Di; yes")[0][0].premise == "Ann, Ben and Cy met Di"
    assert read_lines("salt; common, dissolves in, water, no")[0][0].subject == "salt; common"
    headed = "label;object;subject;relation;note\nno;Ben, Jr.;Ann;leads;x"
    assert read_lines(headed)[0] == [Row("Ann", "leads", "Ben, Jr.", label="contradiction")]
    assert read_lines("a,b,c,yes,,\n")[0] == [Row("a", "b", "c", label="entailment")]


def test_headers_name_the_columns_in_any_order():
    expected = [Row("Ann", "leads", "Ben", label="contradiction")]
    for text in (
        "label;tail;head;relation;note\nno;Ben;Ann;leads;seen\n",
        "Label,Object,Subject,Predicate\nfalse,Ben,Ann,leads",
        "| Subject | Relation | Object | Label |\n|---|:--|--|---:|\n| Ann | leads | Ben | no |",
    ):
        assert read_lines(text) == (expected, [])
    assert read_lines("Sentence\tGold label\nAnn leads Ben.\tno") == (
        [Row(premise="Ann leads Ben.", label="contradiction")],
        [],
    )
    assert read_lines("subject,relation,object,label\n") == ([], [])
    assert read_lines("head,contains,tail,yes")[0][0].subject == "head"


def test_one_spelling_of_a_new_label():
    rows, _ = read_lines("a,b,c,Depends\nd,b,e,DEPENDS\nf,b,g,depends \n")
    assert {row.label for row in rows} == {"Depends"}


GOOD = "Cy,knows,Di,yes"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "a b c",
            "There is 1 column; subject, relation, object and label are expected, or one or two "
            "sentences and a label.",
        ),
        ("a,b,c,d,e", "There are 5 columns; subject, relation"),
        ('"Ann, knows, Ben, no', 'A quotation mark " is not closed; close it or leave it out.'),
        ("Ann,knows,Ben,", "The label is empty; yes, no, maybe or your own name is expected."),
        ("Ann,,Ben,no", "The relation is empty; a few words are expected."),
        (",knows,,no", "The subject and the object are empty; a few words are expected."),
        (" , , ,no", "The premise is empty; a few words are expected."),
        ("=HYPERLINK(1),is,b,no", "The subject is “=HYPERLINK(1)”, which is for a spreadsheet"),
        ("A\x07,is,b,no", "The subject contains the control character U+0007"),
        ("A" * 301 + ",is,b,no", "The subject “AAAAAAAAAAAAAAAAAAAAAAAAAAAAA…” has 301 characters"),
        ("a,is,b," + "d" * 41, "The label “ddddddddddddddddddddddddddddd…” has 41 characters"),
        (
            "the cat,is bigger than,the dog",
            "“the cat” and “is bigger than” share no word; two sentences and a label are expected, "
            "or subject, relation, object and label.",
        ),
        ("Ann beats Ben, Cy and Di, no", "“Ann beats Ben” and “Cy and Di” share no word"),
        (
            "Ann likes Ben.,Ben likes Ann.",
            "“Ben likes Ann.” stands where a label is expected, such as yes or no.",
        ),
    ],
)
def test_a_bad_line_is_set_aside(line, says):
    rows, (problem,) = read_lines(f"{GOOD}\n\n{line}\n{GOOD}")
    assert rows == [Row("Cy", "knows", "Di", label="entailment")] * 2
    assert problem.number == 3
    assert problem.message.startswith(f"Line 3: {says}" if not says.endswith(".") else "Line 3: ")
    if says.endswith("."):
        assert problem.message == f"Line 3: {says}"
    assert problem.text[:3] == line.strip().replace("\x07", "�")[:3]
    assert "�" in problem.text or "\x07" not in line


def test_nothing_and_too_much_and_no_text():
    for text in ("", "\n \r\n\t\n", ",,,\n;;"):
        assert read_lines(text) == ([], [])
    assert refusal(read_lines, None) == "The pasted text is NoneType; lines of text are expected."
    assert refusal(read_lines, "a" * 2_000_001) == (
        "The pasted text has 2,000,001 characters; at most 2,000,000 are read at once."
    )
    assert len(read_lines(f"{GOOD}\n" * 3, Limits(rows=3))[0]) == 3
    message = refusal(read_lines, f"{GOOD}\n" * 4, Limits(rows=3))
    assert message == "There are 4 rows; at most 3 are kept."
    assert len(read_lines("a,b,c,d\n" * 3, Limits(rows=3, characters=1))[0]) == 3


# Files

CSV = "who,does,whom,verdict,note\nAnn,is the boss of,Ben,no,x\n\nCy,knows,Di,Maybe,\n"
EXPECTED = [BOSS, Row("Cy", "knows", "Di", label="neutral")]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", CSV),
        ("t.CSV", "\ufeff" + CSV.replace("\n", "\r\n")),
        ("t.csv", "\n" + CSV.replace(",", ";")),
        ("t.tsv", CSV.replace(",", "\t")),
        (
            "t.jsonl",
            "\n".join(json.dumps(row) for row in csv.DictReader(CSV.splitlines())) + "\n\n",
        ),
    ],
)
def test_files_are_read_by_their_mapping(write, name, content):
    path = write(name, content)
    assert columns_of(path) == ["who", "does", "whom", "verdict", "note"]
    assert read_file(path, MAPPING) == (EXPECTED, [])


def test_mappings_are_guessed():
    assert guess_mapping(["Head", "Relation", "TAIL", "gold_label", "id"]) == {
        "subject": "Head", "relation": "Relation", "object": "TAIL", "label": "gold_label",
    }  # fmt: skip
    assert guess_mapping(["sentence1", "sentence2", "label"]) == {
        "premise": "sentence1", "hypothesis": "sentence2", "label": "label",
    }  # fmt: skip
    assert guess_mapping(["premise", "sentence", "text"]) == {"premise": "premise"}
    assert guess_mapping(["colour", ""]) == {}


def test_saved_pairs_are_read_as_rows(write, pairs):
    from symdemo.pairs import save_pairs

    path = write("pairs.jsonl", "")
    save_pairs(pairs, path)
    rows, problems = read_file(path, guess_mapping(columns_of(path)))
    assert problems == []
    assert pairs_of_rows(rows) == list(pairs)


def test_bad_records_are_set_aside(write):
    good = json.dumps({"premise": "A is b", "hypothesis": "B is a", "label": True})
    lines = [good, "[1]", "{", good.replace('"A is b"', "3"), good.replace("true", "null"), "[" * 9]
    lines += [good.replace("true", "2.5"), good.replace('"B is a"', "null")]
    rows, problems = read_file(write("t.jsonl", "\n".join(lines)), WHOLE)
    assert rows == [
        Row(premise="A is b", hypothesis="B is a", label="entailment"),
        Row(premise="A is b", label="entailment"),
    ]
    assert [problem.message for problem in problems] == [
        "Line 2: This is a JSON list; one object of cells a line is expected.",
        "Line 3: This is not a JSON object; one object of cells a line is expected.",
        "Line 4: The premise is int; text is expected.",
        "Line 5: The label is empty; yes, no, maybe or your own name is expected.",
        "Line 6: This is not a JSON object; one object of cells a line is expected.",
        "Line 7: The label is float; text is expected.",
    ]
    path = write("t.csv", CSV + "Eve,knows,Flo,no,1,2\nGil,knows\n=A1,knows,Di,no\n")
    rows, problems = read_file(path, MAPPING)
    assert rows == EXPECTED
    assert [problem.message for problem in problems] == [
        "Line 5: There are 6 columns, but the header has 5.",
        "Line 6: The label is empty; yes, no, maybe or your own name is expected.",
        "Line 7: The subject is “=A1”, which is for a spreadsheet; plain words are expected.",
    ]
    assert problems[0].text == "Eve,knows,Flo,no,1,2"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.xlsx", "PK", "t.xlsx ends in “.xlsx”; .csv, .tsv or .jsonl is expected."),
        ("t.csv", "", "t.csv is empty; a table with the names of its columns is meant."),
        ("t.jsonl", "[]\n", "t.jsonl is empty; a table with the names of its columns is meant."),
        ("t.csv", "a,b,a\n", "t.csv has two columns “a”; each needs its own name."),
        ("t.csv", ",".join(map(str, range(101))), "t.csv has 101 columns; at most 100 are read."),
        (
            "t.csv",
            "a" * 101,
            f"t.csv has the column “{'a' * 29}…” of 101 characters; a name of at most 100 is "
            "expected in its first line.",
        ),
        ("t.csv", b"a,\xff", "t.csv is not UTF-8 text; save it as “CSV UTF-8” and try again."),
        (
            "t.csv",
            f"a,{'b' * 140_000}",
            "t.csv is not a readable CSV file: field larger than field limit (131072).",
        ),
        (
            "t.csv",
            b" " * (MAX_FILE_BYTES + 1),
            "t.csv has 32.0 MiB; at most 32.0 MiB are read.",
        ),
    ],
)
def test_bad_files_are_refused_in_one_sentence(write, name, content, says):
    path = write(name, content)
    assert refusal(columns_of, path) == says
    assert refusal(read_file, path, MAPPING) == says


def test_missing_files_bad_mappings_and_too_many_rows(write, tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        assert refusal(columns_of, path).startswith(f"There is no file {path.name}; a CSV, TSV")
    path = write("t.csv", CSV)
    seen = "seen: who, does, whom, verdict, note."
    assert refusal(read_file, path, MAPPING | {"label": "x"}) == f"There is no column “x”; {seen}"
    assert refusal(read_file, path, MAPPING | {"size": "who"}).startswith(
        "A row has no field “size”; expected: subject, relation"
    )
    needs = (
        "Columns for subject, relation, object and label are needed, or for premise and label; "
        + seen
    )
    assert refusal(read_file, path, {"subject": "who", "label": "verdict"}) == needs
    assert refusal(read_file, path, {"premise": "who"}) == needs
    message = refusal(read_file, write("u.csv", CSV * 3), MAPPING, Limits(rows=7))
    assert message == "There are 8 rows; at most 7 are kept."
    late = write("late.csv", CSV.encode() + b"a,b,\xfe,no,\n")
    assert refusal(read_file, late, MAPPING).startswith("late.csv is not UTF-8 text")


# The check


def test_a_good_table_is_ready():
    table = [
        Row("Ann", "leads", "Ben", label="contradiction"),
        Row("Cy", "leads", "Di", label="contradiction"),
        Row(),
        Row("Ann", "knows", "Cy", label="entailment"),
        Row("Cy", "knows", "Ann", label="entailment"),
        Row("Ben", "knows", "Di", label="entailment"),
    ]
    report = check_rows(table)
    assert report.ready
    assert report.problems == ()
    assert report.pairs == tuple(pairs_of_rows(table))
    assert report.counts_by_label == {"contradiction": 2, "entailment": 3}
    assert report.counts_by_relation == {"leads": 2, "knows": 3}


def test_every_kind_of_problem_has_its_sentence():
    table = [
        Row("Ann", "leads", "Ben", label="contradiction"),  # 1
        Row("ann", "leads", "ben", label="contradiction"),  # 2, as 1
        Row("Ann", "leads", "", label="x"),  # 3, unreadable
        Row("Cy", "knows", "Di", label="entailment"),  # 4
        Row("Cy", "knows", "Di", label="neutral"),  # 5, against 4
        Row("Di", "knows", "Cy", label="contradiction"),  # 6, against 4 in turn
        Row("Ann", "leads", "Ben", label="contradiction"),  # 7, as 1
    ]
    report = check_rows(table)
    assert not report.ready
    assert [(p.kind, p.rows, p.message) for p in report.problems] == [
        ("unreadable", (3,), "Row 3: The object is empty: give at least one word."),
        (
            "conflict",
            (4, 5),
            "Rows 4 and 5 say the same with other labels, “entailment”, “neutral”; keep one.",
        ),
        (
            "conflict",
            (4, 6),
            "Rows 4 and 6 are the same two sentences in turn, once entailment and once "
            "contradiction; keep one.",
        ),
        ("duplicate", (1, 2, 7), "Rows 2 and 7 repeat row 1; they count only once."),
        *(
            (
                "small_class",
                numbers,
                f"The {name} has only one pair of names; give it two or more, so that what was "
                "learnt can be tried out.",
            )
            for name, numbers in (
                ("relation “leads”", (1,)),
                ("label “entailment”", (4,)),
                ("relation “knows”", (4, 5, 6)),
                ("label “neutral”", (5,)),
            )
        ),
    ]
    assert len(report.pairs) == 4


def test_advice_does_not_block():
    report = check_rows([BOSS, BOSS, Row()])
    assert report.ready
    assert [problem.kind for problem in report.problems] == [
        "one_label", "duplicate", "small_class", "small_class",
    ]  # fmt: skip
    assert report.problems[0].message == (
        "Every row has the label “contradiction”; add rows with another one, so that there is "
        "something to tell apart."
    )
    assert report.problems[1].message == "Row 2 repeats row 1; it counts only once."


def test_one_way_and_new_labels_do_not_conflict_in_turn():
    table = [Row("A", "b", "c", label="entailment"), Row("c", "b", "A", label="neutral")]
    assert check_rows(table).ready
    assert not check_rows([table[0], Row("c", "b", "A", label="contradiction")]).ready


def test_empty_and_hostile_tables():
    for table in ([], [Row(), Row(" ")]):
        report = check_rows(table)
        assert (report.ready, report.pairs, report.problems) == (False, (), ())
    report = check_rows([Row("a", "b", None, label=3), Row("=1", "b", "c", label="x"), BOSS])
    assert [(p.rows, p.message) for p in report.problems[:2]] == [
        ((1,), "Row 1: The object is NoneType; text is expected."),
        (
            (2,),
            "Row 2: The subject is “=1”, which is for a spreadsheet; plain words are expected.",
        ),
    ]
    many = {problem.kind: problem.message for problem in check_rows([BOSS] * 9).problems}
    assert many["duplicate"] == "Rows 2, 3, 4, 5 and 4 more repeat row 1; they count only once."


def test_limits_are_kept():
    table = [Row(f"A{n}", f"r{n}", f"B{n}", label=f"l{n}") for n in range(4)]
    messages = [p.message for p in check_rows(table, Limits(rows=3)).problems if not p.rows]
    assert messages == ["There are 4 rows; at most 3 are kept."]
    report = check_rows(table, Limits(labels=3, relations=2))
    assert [p.message for p in report.problems if p.kind == "too_many"] == [
        "There are 4 different labels; at most 3 can be taught.",
        "There are 4 different relations; at most 2 can be taught.",
    ]
    assert not report.ready
    assert check_rows(table, Limits(labels=4, relations=4, rows=4)).ready
    long = check_rows([Row("a" * 9, "b", "c", label="d" * 9)], Limits(characters=8))
    assert long.problems[0].message.startswith("Row 1: The subject “aaaaaaaaa” has 9 characters")
    long = check_rows([Row("a", "b", "c", label="d" * 9)], Limits(label_characters=8))
    assert long.problems[0].message.startswith("Row 1: The label “ddddddddd” has 9 characters")


def test_the_model_may_refuse_a_pair():
    from symdemo.pairs import check_script

    def latin(pair):
        check_script(pair.premise, "premise")
        return pair

    table = [BOSS, Row("Анна", "любит", "Бена", label="x")]
    assert check_rows(table).ready
    report = check_rows(table, check=latin)
    assert report.problems[0].message.startswith(
        "Row 2: The premise is written in Cyrillic letters"
    )
    assert len(report.pairs) == 1


def test_sentences_without_known_parts_are_counted():
    row = Row(premise="Ann leads Ben.", hypothesis="Ben follows Ann's lead.", label="entailment")
    report = check_rows([row])
    assert report.counts_by_relation == {NO_RELATION: 1}
    assert [p.message[:26] for p in report.problems if p.kind == "small_class"] == [
        "The label “entailment” has"
    ]


@given(st.lists(ROWS, max_size=8))
def test_the_report_adds_up(rows):
    report = check_rows(rows)
    assert report == check_rows([*rows, Row()])
    assert sum(report.counts_by_label.values()) == len(report.pairs)
    assert sum(report.counts_by_relation.values()) == len(report.pairs)
    repeated = sum(len(p.rows) - 1 for p in report.problems if p.kind == "duplicate")
    assert len(report.pairs) + repeated == len(rows)


# Proposals

KINDS = {  # relation → the kinds of its two sides, and its label
    "is the boss of": ("person", "person", "contradiction"),
    "is a friend of": ("person", "person", "entailment"),
    "lives in": ("person", "town", "contradiction"),
    "is twinned with": ("town", "town", "entailment"),
    "is made of": ("thing", "stuff", "contradiction"),
    "goes with": ("stuff", "stuff", "depends"),
}
FACTS = st.sampled_from(sorted(KINDS)).flatmap(
    lambda relation: st.builds(
        lambda a, b: Row(
            f"{KINDS[relation][0].title()}{a}",
            relation,
            f"{KINDS[relation][1].title()}{b}",
            label=KINDS[relation][2],
        ),
        st.integers(0, 5),
        st.integers(0, 5),
    )
)
TABLES = st.lists(FACTS.filter(lambda row: row.subject != row.object), max_size=14)


def _meaning(row):
    return row.relation, frozenset((row.subject.casefold(), row.object.casefold()))


@given(TABLES, st.integers(0, 40), st.integers(0, 5))
def test_proposals_are_new_and_never_mix_kinds(rows, limit, seed):
    found = propose(rows, limit, seed)
    assert len(found) <= limit
    assert propose(rows, limit, seed) == found
    meanings = [_meaning(row) for row in found]
    assert len(set(meanings)) == len(meanings)
    assert not {_meaning(row) for row in rows} & set(meanings)
    names = {name for row in rows for name in (row.subject, row.object)}
    for row in found:
        first, second, label = KINDS[row.relation]
        assert row.label == label
        assert row.relation in {own.relation for own in rows}
        assert (row.subject.rstrip("012345"), row.object.rstrip("012345")) == (
            first.title(),
            second.title(),
        )
        assert {row.subject, row.object} <= names
        assert row.pair().label == label


def _proposed(*rows, limit=99):
    return {(row.subject, row.relation, row.object) for row in propose(rows, limit)}


def test_places_that_share_no_name_stay_apart():
    one = (Row("Ann", "owns", "Rex", label="no"), Row("Cy", "owns", "Tom", label="no"))
    assert _proposed(*one) == {("Ann", "owns", "Tom"), ("Cy", "owns", "Rex")}
    both = (
        Row("Ann", "met", "Ben", label="entailment"),
        Row("Cy", "met", "Di", label="entailment"),
    )
    assert {frozenset(row[::2]) for row in _proposed(*both)} == {
        frozenset(pair) for pair in (("Ann", "Cy"), ("Ann", "Di"), ("Ben", "Cy"), ("Ben", "Di"))
    }
    chain = (Row("Ann", "leads", "Ben", label="no"), Row("Ben", "leads", "Cy", label="no"))
    assert {frozenset(row[::2]) for row in _proposed(*chain)} == {frozenset(("Ann", "Cy"))}


def test_names_pass_between_relations_that_share_one():
    rows = (
        Row("Ann", "leads", "Ben", label="no"),
        Row("Ann", "lives in", "Rome", label="x"),
        Row("Cy", "lives in", "Oslo", label="x"),
        Row("Ivy", "eats", "rice", label="x"),
    )
    assert _proposed(*rows) == {
        ("Ann", "lives in", "Oslo"),
        ("Cy", "lives in", "Rome"),
        ("Cy", "leads", "Ben"),
    }


def test_own_names_come_first_and_relations_take_turns():
    rows = [Row(f"M{n}", "is the aunt of", f"C{n}", label="no") for n in range(3)]
    rows += [Row(f"M{n}", "knows", f"C{n}", label="entailment") for n in range(3)]
    found = propose(rows, 12, seed=3)
    assert [row.relation for row in found[:4]] == ["is the aunt of", "knows"] * 2
    aunts = [row for row in found if row.relation == "is the aunt of"]
    assert len(aunts) == 6
    assert all(row.subject[0] + row.object[0] == "MC" for row in aunts)


def test_what_gives_no_proposals():
    assert propose([]) == []
    assert propose([BOSS], 0) == []
    assert refusal(propose, [BOSS], -1) == "-1 proposals were asked for; 0 or more are expected."
    two = (BOSS, Row("Cy", "is the boss of", "Di", label="entailment"))
    assert _proposed(*two) == set()  # which label would follow is not known
    he = (Row("He", "likes", "Ann", label="no"), Row("Cy", "likes", "Di", label="no"))
    assert _proposed(*he) == set()
    bad = (BOSS, Row("=1", "is the boss of", "Di", label="contradiction"), Row("Cy", "is", ""))
    assert _proposed(*bad) == set()
    assert _proposed(BOSS, Row("Cy", "is the boss of", "Di")) == set()
    named = [Pair(f"A{n} x.", f"x A{n}.", "no", "P1", f"A{n}", f"x{n}") for n in range(3)]
    assert propose(rows_of_pairs(named)) == []


def test_whole_sentences_give_proposals_in_parts():
    pytest.importorskip("spacy")
    rows = [
        Row(premise="Ann's mother is Carla.", label="contradiction"),
        Row(premise="Ben's mother is Dora.", label="contradiction"),
        Row("Eve", "[X]'s mother is [Y].", "Fay", label="contradiction"),
    ]
    found = propose(rows, 99)
    assert len(found) == 6
    assert Row("Ann", "[X]'s mother is [Y].", "Dora", label="contradiction") in found
    assert "Ann's mother is Dora." in {row.pair().premise for row in found}


def test_large_tables_are_drawn_from():
    rows = [Row(f"A{n}", "met", f"B{n}", label="entailment") for n in range(150)]
    found = propose(rows, 50)
    assert len({_meaning(row) for row in [*found, *rows]}) == 200


# Examples


def test_the_examples():
    assert [example.id for example in EXAMPLES] == ["family", "company", "chemistry"]
    for example in EXAMPLES:
        rows = example.rows()
        report = check_rows(rows)
        assert report.problems == ()
        assert list(report.counts_by_relation.values()) == [4] * 5
        assert {"entailment", "contradiction"} <= report.counts_by_label.keys()
        assert len({(pair.relation, pair.entity_pair) for pair in report.pairs}) == 20
        assert len({(row.relation, row.label) for row in rows}) == 5
        assert len(propose(rows)) == 24
        assert example.about.endswith(".")
        rows.clear()
        assert len(example.rows()) == 20
    assert "depends" in {row.label for row in EXAMPLES[2].rows()}


def test_no_example_is_a_relation_of_the_shipped_models():
    from symdemo.relations import RELATIONS

    known = {relation.template for relation in RELATIONS}
    for example in EXAMPLES:
        for row in example.rows():
            assert not {f"[X] {row.relation} [Y].", f"[Y] {row.relation} [X]."} & known
