"""Wikidata5m's files → facts → a data set folder, and what is dropped on the way."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from refusals import refusal
from teaching_tools import fail_with

from symdemo.data import wikidata
from symdemo.data.pair_files import load_pairs
from symdemo.data.wikidata import ABOVE_LIMIT, PARTS, build_dataset, pairs_file, read_facts
from symdemo.errors import InputError
from symdemo.pairs import Pair

LABELS = """\
Q1\tAnn\tAnna
Q2\tBen
Q3\tCarl
Q4\tDan
Q5\tANN\tanother Ann
Q6\tBen
Q7\tbad\x07label
Q8\t
Q9
Q10\t Eve \u2028 Fox
"""
"""Aliases, namesakes, blanks and stray characters, as Wikidata5m has them."""


@pytest.fixture
def files(write):
    """Write triples (one text each, blanks for tabs) and labels; their paths."""

    def write_both(*triples: str, labels: str | bytes = LABELS) -> tuple[Path, Path]:
        lines = "".join("\t".join(triple.split()) + "\n" for triple in triples)
        return write("triples.txt", lines), write("entities.txt", labels)

    return write_both


@pytest.fixture
def many(files):
    """A hundred mothers and a hundred siblings, all entities distinct."""
    labels = "".join(f"Q{number}\tperson {number}\n" for number in range(1, 401))
    triples = [
        f"Q{n} {'P25' if n < 200 else 'P3373'} Q{n + 1}" for n in range(1, 400, 2) if n != 200
    ]
    return files(*triples, labels=labels)


def test_a_triple_becomes_the_pairs_of_appendix_a(files, tmp_path):
    paths = files("Q1 P25 Q2", "Q1 P3373 Q3", "Q2 P25 Q4", "Q2 P3373 Q3")
    build_dataset(*paths, tmp_path / "out", test_share=0.5)
    rows = [
        {p for part in PARTS for p in load_pairs(tmp_path / "out" / pairs_file(part, with_ids))}
        for with_ids in (False, True)
    ]
    assert list(map(len, rows)) == [8, 8]
    mother = ("Ben is the mother of Ann.", "Ann is the mother of Ben.")
    assert Pair(*mother, "contradiction", "P25", "Ann", "Ben") in rows[False]
    assert Pair(*mother[::-1], "contradiction", "P25", "Ben", "Ann") in rows[False]
    sibling = ("Q1 is a sibling of Q3.", "Q3 is a sibling of Q1.")
    assert Pair(*sibling, "entailment", "P3373", "Q1", "Q3") in rows[True]
    assert Pair(*sibling[::-1], "entailment", "P3373", "Q3", "Q1") in rows[True]


@pytest.mark.parametrize(
    ("triples", "kept", "reasons"),
    [
        (["Q1 P25 Q2"], ["Q1 Q2"], {}),
        (["Q1 P25 Q2", "Q1 P31 Q2"], ["Q1 Q2"], {}),
        (["Q1 P25 Q2", "Q1 P25 Q2"], ["Q1 Q2"], {wikidata.STATED_TWICE: 1}),
        (["Q1 P25 Q1", "Q1 P25 Q2"], ["Q1 Q2"], {wikidata.SAME_ENTITY: 1}),
        (["Q2 P3373 Q1", "Q1 P3373 Q2"], ["Q2 Q1"], {wikidata.REVERSE_KEPT: 1}),
        (["Q2 P25 Q1", "Q1 P25 Q2", "Q1 P25 Q3"], ["Q1 Q3"], {wikidata.BOTH_WAYS: 2}),
        (["Q2 P25 Q1", "Q1 P22 Q2"], ["Q2 Q1", "Q1 Q2"], {}),  # two relations, each one way
        (["Q1 P25 Q99", "Q1 P25 Q8", "Q9 P25 Q1", "Q1 P25 Q2"], ["Q1 Q2"], {wikidata.NO_LABEL: 3}),
        (["Q1 P25 Q5", "Q1 P25 Q2"], ["Q1 Q2"], {wikidata.EQUAL_LABELS: 1}),
        (["Q1 P25 Q7", "Q1 P25 Q2"], ["Q1 Q2"], {wikidata.UNFIT_LABEL: 1}),
        (["Q1 P25 Q2", "Q5 P25 Q6", "Q6 P25 Q1"], ["Q1 Q2"], {wikidata.SAME_SENTENCE: 2}),
    ],
)
def test_what_is_dropped_is_counted_under_its_reason(files, triples, kept, reasons):
    extract = read_facts(*files(*triples))
    assert sorted(f"{fact.head.id} {fact.tail.id}" for fact in extract.facts) == sorted(kept)
    assert {reason: n for reason, n in extract.dropped.items() if n} == reasons
    assert len(extract.facts) + sum(extract.dropped.values()) == sum(extract.stated.values())
    assert extract.lines == len(triples)


def test_the_most_popular_relations_have_the_most_triples(files, tmp_path):
    paths = files("Q1 P25 Q2", "Q1 P40 Q4", "Q1 P40 Q3", "Q2 P22 Q3", "Q3 P22 Q4")
    assert read_facts(*paths, most_popular=2).stated == {"P40": 2, "P22": 2}
    content = build_dataset(*paths, tmp_path / "out", most_popular=1, test_share=0.5)
    assert (content["relations"], content["triples"], content["lines"]) == (["P40"], 2, 5)
    with pytest.raises(InputError, match="0 relations are wanted"):
        build_dataset(*paths, tmp_path / "none", most_popular=0)


def test_gzipped_files_windows_line_ends_and_empty_lines_are_read(files):
    plain = files("Q1 P25 Q2", "Q1 P22 Q3")
    packed = [path.with_suffix(".txt.gz") for path in plain]
    for path, target in zip(plain, packed, strict=True):
        target.write_bytes(gzip.compress(path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n"))
    assert read_facts(*packed) == read_facts(*plain)
    packed[0].write_bytes(packed[0].read_bytes()[:-9])
    assert "cannot be read" in refusal(read_facts, *packed)


@pytest.mark.parametrize(
    ("triples", "labels", "message"),
    [
        (["Q1 P25 Q2", "Q1 P25"], LABELS, "triples.txt, line 2: “Q1 ⇥ P25”; expected entity,"),
        (["Q1 P25 Ben"], LABELS, "line 1: “Q1 ⇥ P25 ⇥ Ben”; expected entities as Q and a number"),
        (["Q1 P25 Q2"], "Q1\tAnn\nBen\n", "entities.txt, line 2: “Ben”; expected an entity"),
        (["Q1 P25 Q2"], "", "No usable triple among 1 in triples.txt: 1 entity without a label"),
        (["Q1 P25 Q2"], b"Q1\tAnn\nQ2\tB\xffn\n", "line 2: “Q2 ⇥ B�n”; expected UTF-8 text"),
    ],
)
def test_files_of_another_shape_get_one_sentence(files, triples, labels, message):
    assert message in refusal(read_facts, *files(*triples, labels=labels))


def test_the_share_holds_in_each_relation_and_the_seed_decides(many, tmp_path):
    first, again, other = (
        build_dataset(*many, tmp_path / name, test_share=0.3, seed=seed)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == again
    for name in ("P25", "P3373"):
        counts = first["by_relation"][name]
        assert (counts["train_facts"], counts["test_facts"], counts["dropped"]) == (70, 30, 0)
    contents = [(tmp_path / name / "test.jsonl").read_bytes() for name in "abc"]
    assert contents[0] == contents[1] != contents[2]
    assert other["seed"] == 2


def test_dataset_json_says_what_the_folder_is_made_of(many, tmp_path):
    content = build_dataset(*many, tmp_path / "out", limit=10, relations=["P3373"], seed=5)
    assert json.loads((tmp_path / "out" / "dataset.json").read_text("utf-8")) == content
    assert content["inputs"]["triples"] == {
        "file": "triples.txt",
        "bytes": many[0].stat().st_size,
        "sha256": hashlib.sha256(many[0].read_bytes()).hexdigest(),
    }
    assert (content["lines"], content["triples"], content["facts"]) == (200, 100, 10)
    assert content["dropped"][ABOVE_LIMIT] == 90
    assert content["facts"] + sum(content["dropped"].values()) == content["triples"]
    assert content["pairs"] == {"train": 16, "test": 4}
    assert content["pairs_by_label"]["test"] == {"entailment": 4}
    assert (content["seed"], content["limit"], content["relations"]) == (5, 10, ["P3373"])


def test_an_existing_folder_is_kept_and_an_empty_one_used(many, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    build_dataset(*many, out)
    before = {path: path.read_bytes() for path in out.iterdir()}
    assert "exists and is not empty" in refusal(build_dataset, *many, out)
    assert "exists and is not empty" in refusal(build_dataset, *many, many[0])
    assert "cannot be written" in refusal(build_dataset, *many, many[0] / "below a file")
    assert {path: path.read_bytes() for path in out.iterdir()} == before
    assert len(before) == 5


def test_a_failure_while_writing_leaves_no_trace(many, tmp_path, monkeypatch):
    monkeypatch.setattr("symdemo.files.storage.os.fsync", fail_with(28))
    assert "cannot be written: [Errno 28] no." in refusal(build_dataset, *many, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"triples.txt", "entities.txt"}
