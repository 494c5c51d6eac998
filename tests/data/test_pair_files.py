"""The files that labelled pairs are read from and written to."""

import json

import pytest

from symdemo.data.pair_files import load_pairs, save_pairs
from symdemo.errors import InputError
from symdemo.pairs import Pair

AB = Pair("Ann likes Ben.", "Ben likes Ann.", "entailment", "likes", "Ann", "Ben")
HEADER = "premise,hypothesis,label,relation,head,tail"
ROWS = [
    ["Ann likes Ben.", "Ben likes Ann.", "entailment", "likes", "Ann", "Ben"],
    ["Ann, 5, is tall.", "Tall is “Ann”.", "contradiction", "is", "Ann, 5", "tall"],
]


@pytest.mark.parametrize(("ending", "mark"), [("csv", ","), ("tsv", "\t"), ("CSV", ",")])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_csv_and_tsv(write, ending, mark, newline):
    quoted = [mark.join(f'"{field}"' for field in row) for row in ROWS]
    path = write(f"pairs.{ending}", newline.join([HEADER.replace(",", mark), *quoted]) + newline)
    assert load_pairs(path) == [Pair(*row) for row in ROWS]


def test_jsonl_with_pid_blank_lines_and_other_columns(write):
    row = {"premise": "A  b", "hypothesis": "b A", "label": "neutral", "relation": "is b", "n": 3}
    text = "\n".join([json.dumps(row), "", "  ", json.dumps(row | {"pid": "P31"})])
    path = write("pairs.jsonl", "\ufeff" + text)
    assert load_pairs(path) == [
        Pair("A b", "b A", "neutral", "is b"),
        Pair("A b", "b A", "neutral", "P31"),
    ]


def test_the_sample_of_the_published_data_is_read(shared_data):
    pairs = load_pairs(shared_data / "asymmetricity_sample.jsonl")
    assert len(pairs) > 100
    assert {pair.label for pair in pairs} == {"entailment", "contradiction"}
    assert all(pair.relation.startswith("P") and pair.head and pair.tail for pair in pairs)


def test_equal_sentences_in_a_file_are_let_pass(write):
    path = write("pairs.csv", "premise,hypothesis,label\nPaul is Paul.,Paul is Paul.,neutral\n")
    assert len(load_pairs(path)) == 1


GOOD = "Ann likes Ben.,Ben likes Ann.,entailment"
SHORT_HEADER = "premise,hypothesis,label"
JSON = '{"premise": "Ann likes Ben.", "hypothesis": "Ben likes Ann.", "label": "neutral"}'


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("p.csv", "", "p.csv has no rows"),
        ("p.csv", SHORT_HEADER + "\n", "p.csv has no rows"),
        (
            "p.csv",
            "premise,label\nAnn likes Ben.,neutral\n",
            "line 2: There is no hypothesis; seen",
        ),
        ("p.csv", f"premise,label\n{GOOD}\n", "line 2: There are 3 columns, but the header has 2"),
        (
            "p.csv",
            f"{SHORT_HEADER}\n{GOOD}\nAnn likes Ben.,x\n",
            "p.csv, line 3: There is no label",
        ),
        (
            "p.csv",
            f"{SHORT_HEADER}\n{GOOD},a,b\n",
            "line 2: There are 5 columns, but the",
        ),
        (
            "p.csv",
            f"{SHORT_HEADER}\n{GOOD}s\n",
            "line 2: The label is “entailments”; expected: ent",
        ),
        ("p.csv", f"{SHORT_HEADER}\n{GOOD}\nA b,b A,\n", "line 3: The label is ''; a name"),
        ("p.csv", f"{SHORT_HEADER}\nAnn,Ben likes Ann.,neutral\n", "line 2: The premise is “Ann”"),
        ("p.csv", f"{SHORT_HEADER}\nA b,,neutral\n", "line 2: The hypothesis is empty"),
        ("p.csv", f"{SHORT_HEADER}\nA b,{'x' * 140_000},neutral\n", "not a readable CSV file"),
        ("p.csv", f"{SHORT_HEADER}\nJürgen b,b c,neutral\n".encode("latin-1"), "not UTF-8 text"),
        ("p.csv", b"PK\x03\x04\xff\xfe\x00\x00", "not UTF-8 text"),
        ("p.tsv", f"{SHORT_HEADER}\n{GOOD}\n", "There is no premise and no hyp"),
        ("p.jsonl", "", "p.jsonl has no rows"),
        ("p.jsonl", f"{JSON}\n{{'premise': 1}}\n", "p.jsonl, line 2: This is not a JSON object"),
        ("p.jsonl", f"{JSON}\n{JSON[:-5]}\n", "line 2: This is not a JSON object"),
        ("p.jsonl", "[1, 2]\n", "line 1: This is a JSON list"),
        ("p.jsonl", "[" * 100_000 + "\n", "line 1: This is not a JSON object"),
        ("p.jsonl", '{"premise": "A b"}\n', "line 1: There is no hypothesis and no label; seen"),
        ("p.jsonl", JSON.replace('"neutral"', "3"), "line 1: The label is 3; a name"),
        ("p.jsonl", JSON.replace('"neutral"', "null"), "line 1: The label is None"),
        ("p.jsonl", JSON.replace('"Ann likes Ben."', "3.5"), "line 1: The premise is float"),
        ("p.jsonl", JSON.replace('"Ben likes Ann."', "null"), "The hypothesis is NoneType"),
        ("p.jsonl", JSON[:-1] + ', "head": 5, "tail": 6}', "line 1: The head is 5"),
        ("p.txt", JSON, "p.txt ends in “.txt”; .csv, .tsv or .jsonl is expected"),
        ("pairs", JSON, "pairs ends in “”"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(write, name, content, says):
    path = write(name, content)
    with pytest.raises(InputError) as error:
        load_pairs(path)
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(InputError, match="There is no file"):
            load_pairs(path)


def test_labels_can_be_limited_or_free(write):
    path = write("p.csv", f"{SHORT_HEADER}\nA b,b A,fraternal\n")
    with pytest.raises(InputError, match="“fraternal”; expected: entailment, contradiction, neu"):
        load_pairs(path)
    assert load_pairs(path, labels=("fraternal",))[0].label == "fraternal"
    assert load_pairs(path, labels=None)[0].label == "fraternal"


def test_labels_are_tidied_before_they_are_compared(write):
    path = write("p.csv", f"{SHORT_HEADER}\nA b,b A, neutral \n")
    assert load_pairs(path)[0].label == "neutral"


def test_save_and_load(tmp_path):
    pairs = [
        AB,
        Pair("Zoë \u2028 “x”, \\ y", "小 大", "own label"),
        Pair('He said "no".', "No, he said.", "neutral", "said"),
    ]
    save_pairs(pairs, tmp_path / "p.jsonl")
    assert len((tmp_path / "p.jsonl").read_bytes().split(b"\n")) == 4
    expected = [pairs[0], Pair("Zoë “x”, \\ y", "小 大", "own label"), pairs[2]]
    assert load_pairs(tmp_path / "p.jsonl", labels=None) == expected
