import csv
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdemo.data.bank import (
    BEINGS,
    BankRelation,
    RelationBank,
    load_bank,
    shipped_bank,
    split_relations,
)
from symdemo.data.bank_check import check, main, same_sentence
from symdemo.data.bank_phrasings import capitalise, fill, finish, kinds_of
from symdemo.data.relations import LABEL_OF_PATTERN
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS

BANK = shipped_bank()
PHRASING_OF = {p: r for r in BANK.relations for p in r.phrasings}
KEY_OF = {phrasing: same_sentence(phrasing) for phrasing in PHRASING_OF}
SEEDS = st.integers(0, 10_000)


def relation(name: str = "near", pattern: str = "symmetric", **fields: object) -> BankRelation:
    phrasings = tuple(f"[X] {name} number {n} [Y]." for n in "abcd")
    start = BankRelation(name, pattern, ("thing",), ("thing",), phrasings, group=name)
    return replace(start, **fields)


def bank(*relations: BankRelation, **fields: object) -> RelationBank:
    things = tuple(f"thing {n}" for n in range(40))
    start = RelationBank(relations or (relation(),), {"thing": things}, {"adverb": ("clearly",)})
    return replace(start, **fields)


def with_phrasing(phrasing: str) -> BankRelation:
    return relation(phrasings=(*relation().phrasings, phrasing))


OPPOSED = relation("far", "antisymmetric", group="near")
FAULTY = {
    "2 relations have this id": bank(relation(), relation()),
    "stands in near, too": bank(relation(), relation("far", phrasings=relation().phrasings)),
    "stands there twice": bank(with_phrasing("[Y] near number a [X].")),
    "is antisymmetric here and symmetric in near": bank(
        relation(),
        relation("far", "antisymmetric", phrasings=("[Y] near number a [X].",)),
    ),
    "must hold [X] once": bank(with_phrasing("[X] is alone.")),
    "and [Y] once": bank(with_phrasing("[X] is between [Y] and [Y].")),
    "no other place": bank(with_phrasing("[X] gave [Y] to [Z].")),
    "does not end in a full stop": bank(with_phrasing("[X] is near [Y]")),
    "begins with a small letter": bank(with_phrasing("in town, [X] is near [Y].")),
    "unknown pattern “reflexive”": bank(relation(pattern="reflexive")),
    "unknown type “star” for the head": bank(relation(head=("star",))),
    "no type for the tail": bank(relation(tail=())),
    "3 phrasings; at least 4": bank(relation(phrasings=relation().phrasings[:3])),
    "unknown lookalike “farr”": bank(relation(lookalike="farr")),
    "its own lookalike": bank(relation(lookalike="near")),
    "contradictory patterns without a note": bank(relation(), OPPOSED),
    "unknown group “places”": bank(relation(group="places")),
    "39 entities; at least 40": bank(entities={"thing": tuple(f"t {n}" for n in range(39))}),
    "“t 1” stands 2 times": bank(entities={"thing": (*(f"t {n}" for n in range(40)), "T 1")}),
    "unknown kind of modifier": bank(modifiers={"mood": ("gladly",)}),
}


@pytest.mark.parametrize("says", FAULTY)
def test_each_kind_of_fault_is_found(says: str) -> None:
    assert check(bank()).ok
    assert any(says in fault for fault in check(FAULTY[says]).faults), check(FAULTY[says]).faults


def test_a_note_on_every_side_excuses_two_patterns_in_a_group() -> None:
    assert check(bank(relation(note="why"), replace(OPPOSED, note="why not"))).ok


def test_the_shipped_bank_is_sound_and_large(capsys: pytest.CaptureFixture[str]) -> None:
    report = check(BANK)
    assert report.faults == ()
    assert report.relations >= 300
    assert dict(report.by_pattern).keys() == LABEL_OF_PATTERN.keys()
    assert min(dict(report.by_pattern).values()) >= 100
    assert main([]) == 0
    assert f"{report.relations} relations" in capsys.readouterr().out


RELATION = """
[[relation]]
id = "near"
pattern = "symmetric"
head = ["thing"]
tail = ["thing"]
phrasings = ["[X] is near [Y]."]
"""
ENTITIES = '[types]\nthing = ["a", "b"]\n[modifiers]\nadverb = ["clearly"]\n'


def test_the_command_line_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--folder", str(tmp_path)]) == 2
    assert "entities.toml" in capsys.readouterr().err
    (tmp_path / "entities.toml").write_text(ENTITIES)
    (tmp_path / "places.toml").write_text(RELATION)
    assert main(["--folder", str(tmp_path)]) == 1
    assert "1 phrasings; at least 4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("places.toml", "", "holds no relations"),
        ("places.toml", "[[relation", "cannot be read as TOML"),
        ("places.toml", "relation = 3", "\\[\\[relation\\]\\]"),
        ("places.toml", RELATION.replace("tail", "tale"), "places.toml, relation 1: .*tale, tail"),
        ("places.toml", RELATION.replace('["thing"]', '"thing"'), "a list of texts is expected"),
        ("places.toml", RELATION.replace('"near"', "3"), "text is expected"),
        ("entities.toml", "types = 3", "a table is expected"),
        ("entities.toml", "[types]\nthing = [1]", "a list of texts is expected"),
    ],
)
def test_a_broken_bank_is_refused(tmp_path: Path, file: str, text: str, says: str) -> None:
    (tmp_path / "entities.toml").write_text(ENTITIES)
    (tmp_path / "places.toml").write_text(RELATION)
    assert load_bank(tmp_path).relations[0].group == "near"
    (tmp_path / file).write_text(text)
    with pytest.raises(InputError, match=says):
        load_bank(tmp_path)


@pytest.mark.parametrize(
    ("phrasing", "sentence"),
    [
        ("[X] is [Y]'s aunt.", "The miners is Jonas' aunt."),
        ("[Y] is [X]'s aunt.", "Jonas is the miners' aunt."),
        ("At home, [X] saw [Y].", "At home, the miners saw Jonas."),
    ],
)
def test_places_are_filled_with_the_right_case_and_possessive(phrasing: str, sentence: str) -> None:
    assert finish(fill(phrasing, "the miners", "Jonas")) == sentence


def test_a_place_in_an_entity_is_text() -> None:
    assert fill("[X] met [Y].", "[Y]", "[X]") == "[Y] met [X]."


@pytest.mark.parametrize(
    ("start", "shown"),
    [("a spy", "A spy"), ("n + 1", "n + 1"), ("x", "x"), ("“moon” is", "“moon” is"), ("", "")],
)
def test_variables_and_quoted_words_keep_their_small_letter(start: str, shown: str) -> None:
    assert capitalise(start) == shown


@pytest.mark.parametrize(
    ("phrasing", "kinds"),
    [
        ("[X] adopted [Y].", ("frame", "adverb", "date", "place")),
        ("[X] is near [Y].", ("frame", "adverb")),
        ("[X] married [Y] in 1987.", ("frame", "adverb")),
        ("At home, [X] saw [Y].", ()),
        ("[X], a tailor, saw [Y].", ("frame",)),
    ],
)
def test_modifiers_only_go_where_they_suit(phrasing: str, kinds: tuple[str, ...]) -> None:
    assert kinds_of(phrasing) == kinds


@given(seed=SEEDS)
def test_pairs_are_phrasings_with_places_exchanged(seed: int) -> None:
    some = {relation.id: relation for relation in BANK.relations[seed % 50 :: 50]}
    for pair in BANK.pairs([*some.values()], seed=seed):
        own = some[pair.relation]
        forward = {finish(fill(p, pair.head, pair.tail)): p for p in own.phrasings}
        phrasing = forward[pair.premise]
        assert pair.hypothesis == finish(fill(phrasing, pair.tail, pair.head))
        assert pair.premise.casefold() != pair.hypothesis.casefold()
        assert pair.label == own.label == LABEL_OF_PATTERN[own.pattern]
        head_types = {t for t in own.head if pair.head in BANK.entities[t]}
        tail_types = {t for t in own.tail if pair.tail in BANK.entities[t]}
        assert head_types
        assert tail_types
        if own.head == own.tail:
            assert head_types & tail_types or (head_types & BEINGS and tail_types & BEINGS)


@given(seed=SEEDS, modified=st.floats(0, 1), per_phrasing=st.integers(1, 3))
def test_pairs_are_deterministic_and_do_not_depend_on_the_others(
    seed: int, modified: float, per_phrasing: int
) -> None:
    some = BANK.relations[seed % 120 :: 120]
    pairs = BANK.pairs(some, per_phrasing, seed, modified)
    assert pairs == BANK.pairs(some, per_phrasing, seed, modified)
    assert pairs != BANK.pairs(some, per_phrasing, seed + 1, modified)
    assert pairs == [p for r in some for p in BANK.pairs([r], per_phrasing, seed, modified)]
    assert len(pairs) == per_phrasing * sum(len(r.phrasings) for r in some)
    assert len({(p.relation, p.premise) for p in pairs}) == len(pairs)


def _places_of(modifier: str) -> tuple[str, ...]:
    if modifier in BANK.modifiers["frame"]:
        return (f"{capitalise(modifier)} {{}}.",)
    return f"{capitalise(modifier)}, {{}}.", f"{{}}, {modifier}.", f"{{}} {modifier}."


@pytest.mark.slow
@given(seed=SEEDS)
def test_a_modifier_stands_in_both_sentences_alike(seed: int) -> None:
    some = BANK.relations[seed % 400 :: 400]
    modifiers = sorted(m for kind in BANK.modifiers.values() for m in kind)
    plain, changed = (BANK.pairs(some, seed=seed, modified=share) for share in (0, 1))
    for before, after in zip(plain, changed, strict=True):
        assert (before.head, before.tail, before.label) == (after.head, after.tail, after.label)
        added = [
            [
                m
                for m in modifiers
                for at in _places_of(m)
                if at.format(one[:-1]).casefold() == two.casefold()
            ]
            for one, two in ((before.premise, after.premise), (before.hypothesis, after.hypothesis))
        ]
        assert added[0] == added[1]
        assert added[0] or before == after
    assert sum(a != b for a, b in zip(plain, changed, strict=True)) > len(plain) / 4


def test_pools_that_are_too_small_are_named() -> None:
    few = bank(entities={"thing": ("the lamp", "the red lamp")})
    with pytest.raises(InputError, match="near hold too few"):
        few.pairs()
    with pytest.raises(InputError, match=r"2 pairs .* gave 1"):
        bank(entities={"thing": ("the lamp", "the rope")}).pairs(per_phrasing=2)
    with pytest.raises(InputError, match="type thing, which has no entities"):
        bank(entities={}).pairs()
    with pytest.raises(InputError, match="1 is the least"):
        bank().pairs(per_phrasing=0)
    with pytest.raises(InputError, match="0 to 1 is expected"):
        bank().pairs(modified=2)


@pytest.mark.slow
@given(seed=SEEDS, folds=st.integers(2, 10))
def test_folds_share_no_group_and_no_phrasing_and_keep_the_patterns(seed: int, folds: int) -> None:
    dealt = split_relations(BANK, folds, seed)
    assert dealt == split_relations(BANK, folds, seed)
    assert sorted(r.id for fold in dealt for r in fold) == sorted(r.id for r in BANK.relations)
    for of in (lambda r: [r.group], lambda r: [KEY_OF[p] for p in r.phrasings]):
        kept = [{name for r in fold for name in of(r)} for fold in dealt]
        assert sum(map(len, kept)) == len(set().union(*kept))
    for pattern in LABEL_OF_PATTERN:
        counts = [Counter(r.pattern for r in fold)[pattern] for fold in dealt]
        assert max(counts) - min(counts) <= max(4, max(counts) // 5)


def test_a_split_needs_two_folds_and_enough_groups() -> None:
    assert split_relations(BANK, seed=1) != split_relations(BANK, seed=2)
    for folds in (1, 5):
        with pytest.raises(InputError, match=f"{folds} folds were asked for"):
            split_relations(bank(relation(), OPPOSED), folds)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["free_sentences.csv", "blind_sentences.csv"])
def test_no_sentence_held_out_for_measuring_is_in_the_bank(name: str) -> None:
    with (ASSETS / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 150
    known = set(KEY_OF.values())
    assert [row["pattern"] for row in rows if same_sentence(row["pattern"]) in known] == []
    names = {name.casefold() for pool in BANK.entities.values() for name in pool}
    sentences = [row[side] for row in rows for side in ("premise", "hypothesis")]
    folded = {sentence: sentence.casefold() for sentence in sentences}
    for phrasing in PHRASING_OF:
        filled = re.sub(r"\\\[[XY]\\\]", "(.+)", re.escape(phrasing))
        fixed = max(re.split(r"\[[XY]\]", phrasing.casefold()), key=len)  # quicker to look for
        likely = [sentence for sentence in sentences if fixed in folded[sentence]]
        matches = (re.fullmatch(filled, sentence, re.IGNORECASE) for sentence in likely)
        for match in filter(None, matches):
            assert not {name.casefold() for name in match.groups()} <= names, match[0]
