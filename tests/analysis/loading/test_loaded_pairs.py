"""Loaded pairs as they are kept: whole or refused, and by a key that tells sets apart."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_samples import refusal

from symdemo.analysis.loading import LoadedPairs, RefusedRow
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
)
FIELDS = (
    "name", "source", "pairs", "constructions", "systems", "swapped", "refused", "reasons",
    "built_in", "doubtful", "key",
)  # fmt: skip


def test_what_is_saved_comes_back(tmp_path):
    for loaded in (LOADED, replace(LOADED, systems={}, built_in="bank")):
        loaded.save(tmp_path / "kept")
        again = LoadedPairs.load(tmp_path / "kept")
        assert {f: getattr(again, f) for f in FIELDS} == {f: getattr(loaded, f) for f in FIELDS}
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


@given(st.lists(st.tuples(*[TEXTS] * 7), max_size=5))
def test_any_texts_come_back(tmp_path_factory, rows):
    pairs = tuple(Pair(row[0] or "", row[1] or "", *row[2:6]) for row in rows)
    loaded = replace(LOADED, pairs=pairs, constructions=tuple(row[6] for row in rows), systems={})
    folder = tmp_path_factory.mktemp("any") / "kept"
    loaded.save(folder)
    again = LoadedPairs.load(folder)
    assert (again.pairs, again.constructions) == (loaded.pairs, loaded.constructions)


def test_the_key_tells_sets_apart_and_forgets_what_does_not_matter():
    same = [replace(LOADED, name="x", source="y", refused=(), reasons={}, swapped=0), LOADED]
    assert len({loaded.key for loaded in same}) == 1
    changed = [replace(PAIRS[0], **{name: "z"}) for name in Pair.__dataclass_fields__]
    others = [replace(LOADED, pairs=(pair, PAIRS[1])) for pair in changed]
    others += [
        replace(LOADED, pairs=PAIRS[::-1]),
        replace(LOADED, constructions=(None, "plain")),
        replace(LOADED, systems={"b": (None, None), "premise": ("neutral", None)}),
        replace(LOADED, systems={"premise": (None, "neutral"), "b": (None, None)}),
        replace(LOADED, pairs=(replace(PAIRS[0], head="Ann\tBen", tail=""), PAIRS[1])),
        replace(LOADED, pairs=(replace(PAIRS[0], head="Ann", tail="Ben\t"), PAIRS[1])),
        LOADED,
    ]
    assert len({loaded.key for loaded in others}) == len(others)
    assert len(LOADED.key) == 64


def damage_pairs(folder):
    path = folder / "pairs.parquet"
    path.write_bytes(path.read_bytes()[:-9])


def change_pairs(folder):
    path = folder / "pairs.parquet"
    table = pq.read_table(path)
    pq.write_table(table.take([1, 0]), path)


def drop_column(folder):
    path = folder / "pairs.parquet"
    pq.write_table(pq.read_table(path).drop(["head"]), path)


def rest(**changes):
    def change(folder):
        path = folder / "loaded.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


@pytest.mark.parametrize(
    "damage",
    [
        damage_pairs,
        change_pairs,
        drop_column,
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
    folder = tmp_path / "kept"
    LOADED.save(folder)
    damage(folder)
    message = refusal(LoadedPairs.load, folder)
    assert "damaged; load them anew" in message or message.startswith(
        ("The file loaded.json", "loaded.json is not of the format symdemo.loaded.1")
    )


def test_a_save_that_was_killed_between_its_renames_is_put_back(tmp_path):
    LOADED.save(tmp_path / "kept")
    (tmp_path / "kept").rename(tmp_path / ".kept.previous")
    assert LoadedPairs.load(tmp_path / "kept").key == LOADED.key
