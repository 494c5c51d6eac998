"""Wikidata5m's files → facts: appendix A, and what is dropped."""

import gzip

import pytest
from wikidata_labels import LABELS

from symdemo.data import wikidata
from symdemo.data.dataset_folder import PARTS, build_dataset, pairs_file
from symdemo.data.pair_files import load_pairs
from symdemo.data.wikidata import check_relations, read_facts
from symdemo.errors import InputError
from symdemo.pairs import Pair


def test_a_triple_becomes_the_pairs_of_appendix_a(files, tmp_path):
    paths = files("Q1 P25 Q2", "Q1 P3373 Q3", "Q2 P25 Q4", "Q2 P3373 Q3")
    build_dataset(*paths, tmp_path / "out", test_share=0.5)
    rows = {
        delexicalized: {
            pair
            for part in PARTS
            for pair in load_pairs(tmp_path / "out" / pairs_file(part, delexicalized))
        }
        for delexicalized in (False, True)
    }
    assert {len(pairs) for pairs in rows.values()} == {8}
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
        (["Q1 P25 Q2", "Q1 P22 Q6"], ["Q1 Q2", "Q1 Q6"], {}),
    ],
)
def test_what_is_dropped_is_counted_under_its_reason(files, triples, kept, reasons):
    extract = read_facts(*files(*triples))
    assert sorted(f"{fact.head.id} {fact.tail.id}" for fact in extract.facts) == sorted(kept)
    dropped = extract.dropped_by_reason()
    assert {reason: n for reason, n in dropped.items() if n} == reasons
    assert len(extract.facts) + sum(dropped.values()) == sum(extract.stated.values())
    assert extract.lines == len(triples)


def test_labels_are_tidied_and_the_first_line_of_an_entity_holds(files):
    labels = LABELS + "Q1\tsomebody else\n"
    (fact,) = read_facts(*files("Q1 P25 Q10", labels=labels)).facts
    assert (fact.head.label, fact.tail.label) == ("Ann", "Eve Fox")


def test_only_the_wanted_relations_are_read(files):
    paths = files("Q1 P25 Q2", "Q1 P22 Q3", "Q1 P40 Q4")
    extract = read_facts(*paths, relations=["P40", " P22", "P40"])
    assert [fact.relation.id for fact in extract.facts] == ["P40", "P22"]
    assert extract.stated == {"P40": 1, "P22": 1}


def test_gzipped_files_windows_line_ends_and_empty_lines_are_read(files):
    plain = files("Q1 P25 Q2", "Q1 P22 Q3")
    packed = [path.with_suffix(".txt.gz") for path in plain]
    for path, target in zip(plain, packed, strict=True):
        target.write_bytes(gzip.compress(path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n"))
    assert read_facts(*packed) == read_facts(*plain)
    packed[0].write_bytes(packed[0].read_bytes()[:-9])
    with pytest.raises(InputError, match="cannot be read"):
        read_facts(*packed)


@pytest.mark.parametrize(
    ("triples", "labels", "message"),
    [
        (["Q1 P25 Q2", "Q1 P25"], LABELS, "triples.txt, line 2: “Q1 ⇥ P25”; expected entity,"),
        (["Q1 P25 Q2 Q3"], LABELS, "line 1: “Q1 ⇥ P25 ⇥ Q2 ⇥ Q3”; expected"),
        (["Q1 P25 Ben"], LABELS, "line 1: “Q1 ⇥ P25 ⇥ Ben”; expected entities as Q and a number"),
        (["Q0 P25 Q2"], LABELS, "“Q0 ⇥ P25 ⇥ Q2”"),
        (["Q1 P25 Q2"], "Q1\tAnn\nBen\n", "entities.txt, line 2: “Ben”; expected an entity"),
        (["Q1 P25 Q2"], "", "No usable triple among 1 in triples.txt: 1 entity without a label"),
        (["Q1 P31 Q2"], LABELS, "no triple of P40, .* among its 1 lines"),
        ([], LABELS, "among its 0 lines"),
    ],
)
def test_files_of_another_shape_get_one_sentence(files, triples, labels, message):
    with pytest.raises(InputError, match=message):
        read_facts(*files(*triples, labels=labels))


def test_labels_that_are_not_utf8_name_their_line(files):
    triples, entities = files("Q1 P25 Q2")
    entities.write_bytes(b"Q1\tAnn\nQ2\tB\xffn\n")
    with pytest.raises(InputError, match=r"line 2: “Q2 ⇥ B�n”; expected UTF-8 text"):
        read_facts(triples, entities)


def test_both_files_are_looked_for_before_either_is_read(files, tmp_path):
    triples, entities = files("broken")
    for paths in ((tmp_path / "none", entities), (triples, tmp_path / "none")):
        with pytest.raises(InputError, match=r"There is no file .*none"):
            read_facts(*paths)


def test_unknown_relations_are_refused():
    assert check_relations(["P22", "P40"]) == ("P40", "P22")
    with pytest.raises(InputError, match="The relation “P31” is unknown; expected some of P40"):
        check_relations(["P22", "P31"])
    with pytest.raises(InputError, match="No relation is named"):
        check_relations([" "])
