"""Sets, tables and pasted lines become pairs; these are kept; what was taught of them."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from job_fakes import Reports
from refusals import refusal

from symdemo.analysis import loading
from symdemo.analysis.built_in import built_in_sets, load_built_in
from symdemo.analysis.loaded import LoadedPairs, RefusedRow, taught_part
from symdemo.analysis.loading import (
    guess_construction,
    label_values,
    load_pasted,
    load_table,
    look_at_table,
)
from symdemo.data.bank import shipped_bank
from symdemo.data.bank_phrasings import KINDS_OF_PHRASING, phrasing_kind
from symdemo.errors import InputError
from symdemo.jobs.reporting import StoppedError
from symdemo.pairs import LABELS, Pair, check_pair

COLUMNS = {"premise": "premise", "hypothesis": "hypothesis", "label": "label"}
HEAD = "premise,hypothesis,label\n"


@pytest.mark.parametrize("known", built_in_sets(), ids=lambda known: known.id)
def test_built_in_sets_are_complete(known):
    loaded = load_built_in(known.id)
    assert (loaded.name, loaded.built_in) == (known.name, known.id)
    assert len(loaded) == len(loaded.constructions) > 150
    assert {pair.label for pair in loaded.pairs} <= set(LABELS)
    assert all(pair.relation for pair in loaded.pairs)
    assert all(check_pair(pair) == pair for pair in loaded.pairs[::25])
    if known.id == "kinds":
        assert loaded.constructions.count("arithmetic") > 20
    else:
        assert set(loaded.constructions) <= set(KINDS_OF_PHRASING)


def test_construction_is_that_of_the_phrasing_with_and_without_arguments():
    bank = shipped_bank()
    relations = bank.relations[7::97]
    kinds = [phrasing_kind(phrasing) for own in relations for phrasing in own.phrasings]
    pairs = bank.pairs(relations, seed=5)
    assert len(set(kinds)) == len(KINDS_OF_PHRASING)
    for own in (pairs, [replace(pair, head=None, tail=None) for pair in pairs]):
        right = [guess_construction(p) == k for p, k in zip(own, kinds, strict=True)]
        assert sum(right) >= 0.98 * len(right)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann met Ben.\nCy met Di.", [("Ann met Ben.", "Ben met Ann.", None),
                                       ("Cy met Di.", "Di met Cy.", None)]),
        ("If it rains, Ann meets Ben.", [("If it rains, Ann meets Ben.",
                                          "If it rains, Ben meets Ann.", None)]),
        ("Ann met Ben. | maybe", [("Ann met Ben.", "Ben met Ann.", "neutral")]),
        ("Ann met Ben.,Ben met Ann.,Odd", [("Ann met Ben.", "Ben met Ann.", "Odd")]),
        ("Ann,met,Ben,yes", [("Ann met Ben.", "Ben met Ann.", "entailment")]),
        ("label;premise\nno;Ann met Ben.", [("Ann met Ben.", "Ben met Ann.", "contradiction")]),
    ],
)  # fmt: skip
def test_pasted_lines_become_pairs(text, expected):
    loaded = load_pasted(text)
    assert [(p.premise, p.hypothesis, p.label) for p in loaded.pairs] == expected
    assert loaded.refused == ()
    assert refusal(load_pasted, "").startswith("The pasted text has no row that can be used;")


def test_a_table_with_labels_of_another_system(write):
    rows = (
        "sentence1,sentence2,gold,bert\nAnn met Ben.,Ben met Ann.,ja,no\n"
        "Ann bore Ben.,Ben bore Ann.,nein,no\nAnn is Ben's boss.,Ben is Ann's boss.,Maybe.,\n"
        "Ann and Ben met.,Ben and Ann met.,,Odd\n"
    )
    path = write("t.csv", rows)
    look = look_at_table(path)
    assert (look.headed, look.n_rows) == (True, 4)
    german = {"ja": "entailment", "nein": "contradiction"}
    loaded = load_table(path, look.guess, german, systems=["bert"])
    labels = ["entailment", "contradiction", "neutral", None]
    assert [pair.label for pair in loaded.pairs] == labels
    assert [(pair.premise, pair.hypothesis) for pair in loaded.pairs] == [
        tuple(row.split(",")[:2]) for row in rows.splitlines()[1:]
    ]
    assert loaded.systems == {"bert": ("contradiction", "contradiction", None, "Odd")}
    assert loaded.constructions == ("plain", "plain", "possessive", "joined")
    assert (loaded.name, loaded.swapped, loaded.refused, loaded.reasons) == ("t.csv", 0, (), {})


def test_rows_are_grouped_by_any_column(write):
    rows = "".join(f"a b,b a,{n % 3 or ''},{n / 10},t{n % 2}\n" for n in range(1, 101))
    path = write("t.csv", f"premise,hypothesis,year,score,label\n{rows}")
    found = load_table(path, look_at_table(path).guess, groups=["year", "score", "label"]).groups
    assert found["year"][:3] == ("1", "2", None)
    assert found["score"][::33] == (
        "0.099 to 2.575", "2.575 to 5.05", "5.05 to 7.525", "7.525 to 10",
    )  # fmt: skip
    assert set(found["label"]) == {"t0", "t1"}


def test_label_values_are_counted(write):
    texts = ["yes"] * 3 + ["no"] * 2 + ["", " "] + [f"own {n}" for n in range(40)]
    path = write("t.csv", "x,label\n" + "".join(f"a,{text}\n" for text in texts))
    found = label_values(path, "label")
    assert list(found) == ["yes", "no", *(f"own {n}" for n in range(28))]
    assert (found["yes"], found["no"], found["own 1"]) == ("entailment", "contradiction", "own 1")
    assert "There is no column “y”; seen: x, label." in refusal(label_values, path, "y")


def test_three_parts_make_the_sentences(write):
    text = "head,relation,tail,kind\nthe cat,chases,the dog,odd\n"
    path = write("t.csv", f"{text}Ann,[Y] is [X]'s boss,Ben,\nAnn,,Cy,\n")
    loaded = load_table(path, look_at_table(path).guess)
    cat, dog = "The cat chases the dog.", "The dog chases the cat."
    assert loaded.pairs == (
        Pair(cat, dog, None, "chases", "the cat", "the dog"),
        Pair("Ben is Ann's boss.", "Ann is Ben's boss.", None, "[Y] is [X]'s boss", "Ann", "Ben"),
    )
    assert loaded.constructions == ("odd", "possessive")
    (refused,) = loaded.refused
    assert (refused.number, refused.reason) == (4, "The relation is empty; a word is expected.")
    assert loaded.reasons == {"there is no premise": 1}


def test_missing_hypotheses_are_made_by_swapping(write):
    lines = "Kenya borders Uganda.,yes\nIt rains.,no\nIs Ann Ben's boss?,no\nKenya borders Uganda.,"
    path = write("t.csv", f"premise,label\n{lines}")
    reports = []
    mapping = {"premise": "premise", "label": "label"}
    loaded = load_table(path, mapping, reports=Reports(lambda *n: reports.append(n)))
    kenya = ("Kenya borders Uganda.", "Uganda borders Kenya.")
    assert loaded.pairs[0] == Pair(*kenya, "entailment", "borders", "Kenya", "Uganda")
    boss = ("Ann is Ben's boss.", "Ben is Ann's boss.", "contradiction", "[X] is [Y]'s boss.")
    assert loaded.pairs[1] == Pair(*boss, "Ann", "Ben")
    assert loaded.pairs[2].label is None
    assert loaded.constructions == ("plain", "possessive", "plain")
    assert (loaded.swapped, loaded.reasons) == (3, {"no swap was found": 1})
    assert (loaded.refused[0].number, loaded.refused[0].text) == (3, "It rains.")
    assert reports == [(4, 4)]
    loaded = load_pasted("Kenya bordrs Uganda in the bussiness of the river.\nAnn met Ben.")
    assert (loaded.swapped, loaded.doubtful) == (2, 1)


def test_bad_rows_are_refused_and_the_rest_is_text_as_it_stands(write):
    rows = [
        "Ann met Ben.,Ben met Ann.,yes",
        ",Ben met Ann.,yes",
        "Ann,Ben met Ann.,yes",
        "Ann met Ben.,ann MET ben.,yes",
        f"Ann met Ben.,Ben met Ann.,{'x' * 81}",
        f"{'Ann ' * 600},Ben met Ann.,yes",
        "Ann\x00 met Ben.,Ben met Ann.,no",
        "a,b,c,d",
        "\x1b[2JAnn met Ben.,Ben met Ann.,yes",
        "=HYPERLINK(1) met Ben.,Ben met =HYPERLINK(1).,<img src=x>",
        "\u202eAnn met Ben.,Ben met \u202eAnn.,",
    ]
    path = write("t.csv", HEAD + "\n".join(rows))
    loaded = load_table(path, look_at_table(path).guess)
    plain, spelt, formula, turned = loaded.pairs
    assert (plain.hypothesis, spelt.hypothesis) == ("Ben met Ann.", "ann MET ben.")
    assert (formula.premise, formula.label) == ("=HYPERLINK(1) met Ben.", "<img src=x>")
    assert turned.premise == "\u202eAnn met Ben."
    assert [row.number for row in loaded.refused] == [3, 4, 6, 7, 8, 9, 10]
    assert loaded.reasons == {
        "a sentence cannot be used": 4,
        "there is no premise": 1,
        "the label cannot be used": 1,
        "the line cannot be read": 1,
    }
    assert loaded.refused[0].reason == "The premise is empty; a sentence is expected."
    assert loaded.refused[4].text == "Ann� met Ben.,Ben met Ann.,no"
    assert "control character U+001B" in loaded.refused[6].reason
    assert all(len(row.text) <= 60 and "\x1b" not in row.text for row in loaded.refused)
    assert "t.csv has no row that can be used" in refusal(load_table, write("t.csv", HEAD), COLUMNS)


@pytest.mark.parametrize(
    ("more", "options", "message"),
    [
        ({"label": "id"}, {}, "more than 50 different labels in the column “id”, “n50” among them"),
        ({"construction": "id"}, {}, "There are more than 200 different constructions"),
        ({"label": "x"}, {}, "There is no column “x”"),
        ({"size": "id"}, {}, "A row has no field “size”"),
        ({}, {"systems": ["x"]}, "There is no column “x”"),
        ({}, {"groups": ["id"]}, "“id” has 300 different texts; at most 50 are expected"),
        ({}, {"label_names": {"a": "x" * 81}}, "at most 80"),
    ],
)
def test_columns_that_hold_something_else_are_refused(write, more, options, message):
    text = "premise,hypothesis,id\n" + "".join(f"a b,b a,n{n}\n" for n in range(300))
    mapping = {"premise": "premise", "hypothesis": "hypothesis"}
    assert message in refusal(load_table, write("t.csv", text), mapping | more, **options)


def test_too_many_rows_or_bytes_are_refused_with_their_number(write, monkeypatch):
    monkeypatch.setattr(loading, "MAX_PAIRS", 3)
    path = write("t.csv", "premise,hypothesis\n" + "a b,b a\n" * 4)
    message = refusal(load_table, path, look_at_table(path).guess)
    assert message == "t.csv has 4 rows; expected at most 3."
    path = write("t.csv", "premise,hypothesis\n" + "a b,b a\n" * 3 + "\n,\n")
    assert len(load_table(path, look_at_table(path).guess)) == 3
    monkeypatch.setattr(loading, "MAX_FILE_BYTES", 9)
    for ask in (look_at_table, lambda path: load_table(path, COLUMNS)):
        assert "at most 9 bytes" in refusal(ask, path)


def test_loading_stops_when_asked(write):
    path = write("t.csv", "premise,hypothesis\n" + "a b,b a\n" * 600)
    answers = iter([False, True])
    with pytest.raises(StoppedError):
        load_table(path, look_at_table(path).guess, reports=Reports(stopped=lambda: next(answers)))


PAIRS = (
    Pair("Ann met Ben.", "Ben met Ann.", "entailment", "met", "Ann", "Ben"),
    Pair("Zoë bore “Cy”.", "“Cy” bore Zoë."),
)
LOADED = LoadedPairs(
    name="mine.csv",
    source="the file mine.csv",
    pairs=PAIRS,
    constructions=("plain", None),
    systems={"premise": ("neutral", None), "b": (None, None)},
    swapped=1,
    refused=(RefusedRow(3, "a,b", "The premise is “a”."),),
    reasons={"a sentence cannot be used": 1},
    doubtful=1,
    groups={"genre": ("fiction", None)},
)


def test_saved_pairs_come_back(tmp_path):
    for loaded in (LOADED, replace(LOADED, systems={}, built_in="bank")):
        loaded.save(tmp_path / "kept")
        again = LoadedPairs.load(tmp_path / "kept")
        assert again.key == loaded.key
        again.__dict__.pop("key")
        assert again.__dict__ == {k: v for k, v in loaded.__dict__.items() if k != "key"}
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    (tmp_path / "kept").rename(tmp_path / ".kept.previous")  # killed between two renames
    assert LoadedPairs.load(tmp_path / "kept").key == loaded.key


def test_key_covers_what_matters_alone():
    same = replace(LOADED, name="x", source="y", refused=(), reasons={}, swapped=0)
    assert same.key == LOADED.key
    changed = [replace(PAIRS[0], **{name: "z"}) for name in Pair.__dataclass_fields__]
    others = [replace(LOADED, pairs=(pair, PAIRS[1])) for pair in changed]
    others += [
        LOADED,
        replace(LOADED, pairs=PAIRS[::-1]),
        replace(LOADED, constructions=(None, "plain")),
        replace(LOADED, systems={"b": (None, None), "premise": ("neutral", None)}),
        replace(LOADED, systems={"premise": (None, "neutral"), "b": (None, None)}),
        replace(LOADED, groups={}),
        replace(LOADED, groups={"genre": ("fiction", "fiction")}),
        replace(LOADED, pairs=(replace(PAIRS[0], head="Ann\tBen", tail=""), PAIRS[1])),
        replace(LOADED, pairs=(replace(PAIRS[0], head="Ann", tail="Ben\t"), PAIRS[1])),
    ]
    assert len({loaded.key for loaded in others}) == len(others)


def table(change):
    def damage(folder):
        path = folder / "pairs.parquet"
        pq.write_table(change(pq.read_table(path)), path)

    return damage


def rest(**changes):
    def damage(folder):
        path = folder / "loaded.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "pairs.parquet").write_bytes(b"PAR1 and no more"),
        table(lambda pairs: pairs.take([1, 0])),
        table(lambda pairs: pairs.drop(["head"])),
        lambda folder: (folder / "pairs.parquet").unlink(),
        lambda folder: (folder / "loaded.json").unlink(),
        lambda folder: (folder / "loaded.json").write_text("{"),
        lambda folder: (folder / "loaded.json").write_text("[]"),
        rest(format="other"),
        rest(refused=[{"number": 1}]),
        rest(reasons=[1]),
        rest(systems=["none"]),
        rest(systems=None),
        rest(swapped="many"),
        rest(key="0"),
    ],
)
def test_damage_is_noticed(tmp_path, damage):
    LOADED.save(tmp_path / "kept")
    damage(tmp_path / "kept")
    with pytest.raises(InputError, match=r"damaged|The file loaded|is not saved"):
        LoadedPairs.load(tmp_path / "kept")


def test_what_was_taught_of_each_pair():
    taught = [
        Pair("Ann met Ben.", "Ben met Ann.", "entailment", "meets"),
        Pair("Cy bore Di", "Di bore Cy", "contradiction"),
    ]
    pairs = [
        Pair("Ann met Ben.", "Ben met Ann.", None, "other"),
        Pair("Ben  met ann", "Ann met Ben"),
        Pair("Di bore Cy.", "Cy bore Di.", None, "bears"),
        Pair("Eve met Flo.", "Flo met Eve.", None, "Meets"),
        Pair("Eve saw Flo.", "Flo saw Eve.", None, "sees"),
        Pair("Eve met Flo.", "Flo met Eve."),
        Pair("Ann met Ben.", "Ben saw Ann."),
    ]
    expected = ("pair", "pair", "pair", "relation", "none", "unknown", "unknown")
    assert taught_part(pairs, taught) == expected
