"""Pairs, the checks on sentences, and the files that pairs are read from."""

import json

import pytest

from symdemo.errors import InputError
from symdemo.pairs import (
    MAX_CHARACTERS,
    Pair,
    check_pair,
    check_script,
    check_sentence,
    hash_pairs,
    load_pairs,
    save_pairs,
)
from symdemo.text import shorten

AB = Pair("Ann likes Ben.", "Ben likes Ann.", "entailment", "likes", "Ann", "Ben")
HEADER = "premise,hypothesis,label,relation,head,tail"


def test_the_entity_pair_has_no_order():
    assert AB.entity_pair == AB.reversed().entity_pair == ("ann", "ben")
    assert Pair("x y", "y x", head="BEN", tail="ann").entity_pair == AB.entity_pair
    bare = Pair("Ann likes Ben.", "Ben likes Ann.")
    assert bare.entity_pair == bare.reversed().entity_pair
    assert bare.entity_pair != Pair("Ann likes Cy.", "Cy likes Ann.").entity_pair


def test_reversed_twice_is_the_same_pair():
    back = AB.reversed()
    assert (back.premise, back.hypothesis) == (AB.hypothesis, AB.premise)
    assert (back.head, back.tail, back.label, back.relation) == ("Ben", "Ann", AB.label, "likes")
    assert back.reversed() == AB


@pytest.mark.parametrize(
    ("text", "tidy"),
    [
        ("Ann likes Ben.", "Ann likes Ben."),
        ("  Ann \t likes\r\n Ben. ", "Ann likes Ben."),
        ("Zoë’s café — naïve", "Zoë’s café — naïve"),
        ("A 1", "A 1"),
        ("肯尼亚 乌干达", "肯尼亚 乌干达"),
    ],
)
def test_sentences_are_tidied(text, tidy):
    assert check_sentence(text) == tidy


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        (" \n\t ", "is empty"),
        ("Kenya", "“Kenya”; a sentence of at least two words"),
        ("12 34", "“12 34”; a sentence"),
        ("?! ...", "a sentence of at least two words"),
        ("Ann \x00 Ben", "U+0000"),
        ("Ann\x1b[31m likes Ben", "U+001B"),
        ("Ann \ud800 Ben", "U+D800"),
        ("a b " * 2500, "10,000 characters; at most 2,000"),
        ("x" * 300_000, "300,000 characters"),
        (None, "is NoneType; a sentence as text"),
        (7, "is int"),
        (b"Ann likes Ben", "is bytes"),
        (["Ann likes Ben"], "is list"),
        (float("nan"), "is float"),
    ],
)
def test_what_is_not_a_sentence_is_refused(text, says):
    with pytest.raises(InputError, match=r"^The premise ") as error:
        check_sentence(text, "premise")
    assert says in str(error.value)
    assert len(str(error.value)) < 200


def test_the_longest_sentence_is_read():
    longest = ("a b " * MAX_CHARACTERS)[: MAX_CHARACTERS - 1] + "c"
    assert check_sentence(longest) == longest


def test_other_scripts_are_refused():
    check_script("Ann likes Zoë and Łukasz.")
    check_script("The letter α comes before β.")
    check_script("12 + 34")
    with pytest.raises(InputError, match=r"premise is written in Cyrillic letters.*Latin letters"):
        check_script("Анна любит Бена", "premise")
    with pytest.raises(InputError, match="Cjk letters"):
        check_script("肯尼亚 borders 乌干达和坦桑尼亚埃塞俄比亚")
    with pytest.raises(InputError, match=r"Latin letters; .* Greek letters"):
        check_script("Ann", script="GREEK")


def test_check_pair():
    pair = check_pair(Pair(" Ann  likes Ben.", "Ben likes\nAnn.", "x", "likes", "Ann", "Ben"))
    assert pair == Pair("Ann likes Ben.", "Ben likes Ann.", "x", "likes", "Ann", "Ben")
    with pytest.raises(InputError, match=r"same sentence, “Ann likes Ben.”"):
        check_pair(Pair("Ann likes Ben.", " ann LIKES ben. "))
    with pytest.raises(InputError, match=r"^The hypothesis is empty"):
        check_pair(Pair("Ann likes Ben.", ""))
    with pytest.raises(InputError, match=r"^The premise is “Ann”"):
        check_pair(Pair("Ann", "Ben likes Ann."))


def test_shorten():
    assert shorten("x" * 60) == "x" * 60
    assert shorten("x" * 61) == "x" * 59 + "…"


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
        ("p.csv", "", "p.csv: no column premise and hypothesis and label; seen: none"),
        ("p.csv", SHORT_HEADER + "\n", "p.csv has no rows"),
        ("p.csv", f"premise,label\n{GOOD}\n", "no column hypothesis; seen: premise, label; exp"),
        ("p.csv", f"{SHORT_HEADER}\n{GOOD}\nAnn likes Ben.,x\n", "p.csv, line 3: 2 fields, but"),
        ("p.csv", f"{SHORT_HEADER}\n{GOOD},a,b\n", "p.csv, line 2: 5 fields, but the header has 3"),
        (
            "p.csv",
            f"{SHORT_HEADER}\n{GOOD}s\n",
            "line 2: the label is “entailments”; expected: ent",
        ),
        ("p.csv", f"{SHORT_HEADER}\n{GOOD}\nA b,b A,\n", "line 3: the label is ''; a name"),
        ("p.csv", f"{SHORT_HEADER}\nAnn,Ben likes Ann.,neutral\n", "line 2: The premise is “Ann”"),
        ("p.csv", f"{SHORT_HEADER}\nA b,,neutral\n", "line 2: The hypothesis is empty"),
        ("p.csv", f"{SHORT_HEADER}\nA b,{'x' * 140_000},neutral\n", "not a readable CSV file"),
        ("p.csv", f"{SHORT_HEADER}\nJürgen b,b c,neutral\n".encode("latin-1"), "not UTF-8 text"),
        ("p.csv", b"PK\x03\x04\xff\xfe\x00\x00", "not UTF-8 text (byte 4)"),
        ("p.tsv", f"{SHORT_HEADER}\n{GOOD}\n", "no column premise and"),
        ("p.jsonl", "", "p.jsonl has no rows"),
        ("p.jsonl", f"{JSON}\n{{'premise': 1}}\n", "line 2: not a JSON object: “{'premise': 1}”"),
        ("p.jsonl", f"{JSON}\n{JSON[:-5]}\n", "p.jsonl, line 2: not a JSON object"),
        ("p.jsonl", "[1, 2]\n", "line 1: a JSON object is expected, not a list"),
        ("p.jsonl", "[" * 100_000 + "\n", "line 1: not a JSON object"),
        ("p.jsonl", '{"premise": "A b"}\n', "line 1: no column hypothesis and label; seen: prem"),
        ("p.jsonl", JSON.replace('"neutral"', "3"), "line 1: the label is 3; a name"),
        ("p.jsonl", JSON.replace('"neutral"', "null"), "line 1: the label is None"),
        ("p.jsonl", JSON.replace('"Ann likes Ben."', "3.5"), "line 1: The premise is float"),
        ("p.jsonl", JSON.replace('"Ben likes Ann."', "null"), "The hypothesis is NoneType"),
        ("p.jsonl", JSON[:-1] + ', "head": 5, "tail": 6}', "line 1: the head is 5"),
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


def test_the_hash_names_sentences_labels_and_order():
    other = Pair("Cy likes Di.", "Di likes Cy.", "neutral")
    assert hash_pairs([AB]) == "8a4de0699bfd52ed293da3c98835b2604ed1e511564ae2212dab47461eb3aa30"
    assert hash_pairs([AB, other]) == hash_pairs(iter([AB, other]))
    changed = [[other, AB], [AB], [], [AB, other.reversed()], [AB, Pair("Cy likes Di.", "Di", "x")]]
    assert len({hash_pairs(pairs) for pairs in [[AB, other], *changed]}) == 6
