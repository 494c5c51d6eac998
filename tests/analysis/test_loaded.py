"""Saved pairs come back complete or are refused; the key identifies a set; what was taught."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from symdemo.analysis.loaded import LoadedPairs, RefusedRow, taught_part
from symdemo.errors import InputError
from symdemo.pairs import Pair

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
