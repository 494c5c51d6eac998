"""The relation bank, its kinds and the facts: they are sound, drawn from, split and sampled."""

import csv
import re
import unicodedata
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.splits import REPLACED, split_relations
from symdemo.data.bank import BEINGS, bank_names, load_kinds, part_of, shipped_bank
from symdemo.data.bank_phrasings import fill, finish, same_sentence
from symdemo.data.inference import load_inference
from symdemo.data.relations import (
    LABEL_OF_PATTERN,
    RELATION_BY_ID,
    Entity,
    Fact,
    load_facts,
    pairs_of_facts,
    part_of_facts,
    sample_balanced,
    split_facts,
    taught_and_tested,
)
from symdemo.errors import InputError
from symdemo.files.paths import ASSETS

BANK = shipped_bank()
PHRASING_OF = {p: r for r in BANK.relations for p in r.phrasings}
KEY_OF = {phrasing: same_sentence(phrasing) for phrasing in PHRASING_OF}
SEEDS = st.integers(0, 10_000)
KINDS = load_kinds()


def test_places_are_filled_with_the_right_case_and_possessive() -> None:
    for phrasing, sentence in (
        ("[X] is [Y]'s aunt.", "The miners is Jonas' aunt."),
        ("[Y] is [X]'s aunt.", "Jonas is the miners' aunt."),
        ("At home, [X] saw [Y].", "At home, the miners saw Jonas."),
    ):
        assert finish(fill(phrasing, "the miners", "Jonas")) == sentence
    assert fill("[X] met [Y].", "[Y]", "[X]") == "[Y] met [X]."  # a place in an entity is text
    assert finish(fill("[X] exceeds [Y].", "n + 1", "n")) == "n + 1 exceeds n."  # variables stay


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


def measured():
    """Rows of sentences that are measured and were never taught."""
    for name in ("free_sentences.csv", "blind_sentences.csv"):
        with (ASSETS / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) > 150
        yield from rows


@pytest.mark.slow
def test_no_sentence_that_is_measured_is_a_phrasing_filled_in():
    names = {name.casefold() for pool in BANK.entities.values() for name in pool}
    sentences = [row[side] for row in measured() for side in ("premise", "hypothesis")]
    folded = {sentence: sentence.casefold() for sentence in sentences}
    for phrasing in PHRASING_OF:
        filled = re.sub(r"\\\[[XY]\\\]", "(.+)", re.escape(phrasing))
        fixed = max(re.split(r"\[[XY]\]", phrasing.casefold()), key=len)  # quicker to look for
        likely = [sentence for sentence in sentences if fixed in folded[sentence]]
        matches = (re.fullmatch(filled, sentence, re.IGNORECASE) for sentence in likely)
        for match in filter(None, matches):
            assert not {name.casefold() for name in match.groups()} <= names, match[0]


def test_the_part_is_by_group_and_for_ever():
    parts = defaultdict(set)
    for kind in KINDS:
        for relation in kind.relations():
            parts[relation.group].add(part_of(relation))
    assert all(len(part) == 1 for part in parts.values())
    known = {r.id: part_of(r) for kind in KINDS for r in kind.relations()}
    assert known["brother-of-a-woman"] == "development"
    assert known["boyfriend-of"] == "held out"
    assert known["ex-wife-of"] == "taught"


def test_no_sentence_that_is_measured_is_in_the_bank_the_kinds_or_the_meanings():
    banks = (BANK, *(kind.bank for kind in KINDS))
    shown = {pair.premise for bank in banks for seed in range(2) for pair in bank.pairs(seed=seed)}
    known = {same_sentence(p) for kind in KINDS for r in kind.relations() for p in r.phrasings}
    known |= set(KEY_OF.values())
    for meaning in load_inference().meanings.values():
        known |= {same_sentence(frame) for _, frame in meaning.more}
    assert [row["pattern"] for row in measured() if same_sentence(row["pattern"]) in known] == []
    assert not shown & {row["premise"] for row in measured()}


def repeated(values):
    return [value for value, n in Counter(values).items() if n > 1]


def check_phrasings(relations):
    for own in relations:
        assert own.pattern in LABEL_OF_PATTERN, own.id
        for phrasing in own.phrasings:
            assert sorted(re.findall(r"\[[^\]]*\]", phrasing)) == ["[X]", "[Y]"], phrasing
            assert re.search(r"[^.]\.$", phrasing), phrasing
            assert phrasing == " ".join(phrasing.split()), phrasing
            assert not phrasing[:1].islower(), phrasing


def test_the_shipped_bank_is_sound():
    patterns, groups = Counter(one.pattern for one in BANK.relations), defaultdict(list)
    assert patterns.keys() == LABEL_OF_PATTERN.keys()
    assert min(patterns.values()) >= 100
    check_phrasings(BANK.relations)
    ids = [own.id for own in BANK.relations]
    assert not repeated(ids)
    # also with [X] and [Y] exchanged
    assert not repeated(same_sentence(text) for own in BANK.relations for text in own.phrasings)
    for own in BANK.relations:
        groups[own.group or own.id].append(own)
        assert own.head, own.id
        assert own.tail, own.id
        assert {*own.head, *own.tail} <= BANK.entities.keys(), own.id
        assert own.lookalike is None or own.lookalike in {*ids} - {own.id}, own.id
        assert len(own.phrasings) >= 4, own.id
    for name, members in groups.items():  # patterns that contradict each other need a note
        assert len({one.pattern for one in members}) == 1 or all(one.note for one in members), name
        assert len(members) > 1 or members[0].id == name, name
    assert BANK.modifiers.keys() <= {"date", "place", "adverb", "frame"}
    for name, own in (*BANK.entities.items(), *BANK.modifiers.items()):
        assert not repeated(one.strip().casefold() for one in own), name
        assert len(own) >= 40 or name in BANK.modifiers, name


def test_the_shipped_kinds_are_sound():
    relations = [relation for kind in KINDS for relation in kind.relations()]
    assert len(relations) > 400
    check_phrasings(relations)
    ids = [relation.id for relation in (*BANK.relations, *relations)]
    assert not repeated(ids)
    assert set(ids) >= REPLACED
    for kind in KINDS:
        for name, pool in BANK.entities.items():
            assert kind.bank.entities[name] == pool  # a kind's own types have their own names
        for own in kind.relations():
            assert len(own.phrasings) >= 2, own.id
            assert all(len(kind.bank.entities[name]) >= 8 for name in (*own.head, *own.tail))


def test_the_facts_are_sound():
    with (ASSETS / "facts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    labels, pairs = defaultdict(set), Counter()
    for row in rows:
        ends = [(row["head_id"], row["head"]), (row["tail_id"], row["tail"])]
        for id, label in ends:
            assert label.strip(), row
            assert re.fullmatch(r"(Q[1-9][0-9]*)?", id), row
            labels[id].add(label)
        folded = (unicodedata.normalize("NFKC", label).casefold() for _, label in ends)
        keys = (id for id, _ in ends) if all(id for id, _ in ends) else folded
        pairs[frozenset(keys)] += 1
    assert all(len(pair) == 2 and n == 1 for pair, n in pairs.items())
    assert not {id: own for id, own in labels.items() if id and len(own) > 1}
    counts = Counter(row["relation"] for row in rows)
    assert counts.keys() == RELATION_BY_ID.keys()
    assert min(counts.values()) >= 25


@pytest.mark.parametrize("head", ["[Y]", "[X]", "A [Y] b", r"\1 \g<0>", "{head} %s"])
def test_names_are_never_read_as_places(head):
    relation = RELATION_BY_ID["P3373"]
    assert relation.sentence(head, "Ben") == f"{head} is a sibling of Ben."
    assert relation.sentence("Ben", head) == f"Ben is a sibling of {head}."


@settings(max_examples=40)
@given(SEEDS, st.sampled_from([0.2, 0.5, 0.8]))
def test_no_entity_pair_is_on_both_sides_of_a_split(seed, share):
    facts = load_facts()
    train, test = split_facts(facts, share, seed)
    assert Counter(train) + Counter(test) == Counter(facts)
    assert not {f.entity_pair for f in train} & {f.entity_pair for f in test}
    sides = [{p.entity_pair for p in pairs_of_facts(side)} for side in (train, test)]
    assert not sides[0] & sides[1]
    for side in (train, test):
        assert {fact.relation.id for fact in side} == set(RELATION_BY_ID)
    assert abs(len(test) / len(facts) - share) < 0.05


def test_a_split_follows_its_seed_and_not_the_order_of_the_facts():
    facts = load_facts()
    assert split_facts(facts, seed=3) == split_facts(facts, seed=3)
    assert split_facts(facts, seed=3) != split_facts(facts, seed=4)
    turned = split_facts(facts[::-1], seed=3)
    assert [set(side) for side in turned] == [set(side) for side in split_facts(facts, seed=3)]


def test_relations_that_share_an_entity_pair_stay_together():
    ann, ben = Entity("Ann"), Entity("Ben")
    shared = [
        Fact(RELATION_BY_ID["P25"], ann, ben),
        Fact(RELATION_BY_ID["P22"], ben, ann),
        Fact(RELATION_BY_ID["P40"], Entity("ANN"), Entity("ben")),
    ]
    others = [Fact(RELATION_BY_ID["P25"], ann, Entity(f"Cy {n}")) for n in range(9)]
    for seed in range(20):
        train, test = split_facts([*shared, *others], seed=seed)
        assert len({fact in test for fact in shared}) == 1
        assert train


@settings(max_examples=30)
@given(SEEDS, st.integers(1, 200))
def test_a_sample_is_distinct_and_balanced_over_relations(seed, n):
    pairs = pairs_of_facts(load_facts())
    drawn = sample_balanced(pairs, n, seed)
    assert len(drawn) == len(set(drawn)) == n
    assert set(drawn) <= set(pairs)
    counts = [Counter(p.relation for p in drawn)[relation] for relation in RELATION_BY_ID]
    assert max(counts) - min(counts) <= 1
    by_relation = defaultdict(list)  # ≤ 15 of the ≥ 25 entity pairs of each: none comes twice
    for pair in drawn:
        by_relation[pair.relation].append(pair.entity_pair)
    assert all(len(own) == len(set(own)) for own in by_relation.values())


@pytest.mark.parametrize("n", [0, -1, 49])
def test_impossible_sample_sizes_are_refused(pairs, n):
    with pytest.raises(InputError, match=f"^{n} samples were asked for; between 1 and 48"):
        sample_balanced([*pairs, *pairs], n)  # a pair that stands twice counts once


PARTS = ("choosing", "measuring")


def entities(facts):
    both = (entity for fact in facts for entity in (fact.head, fact.tail))
    return {name for e in both for name in (e.label.casefold(), e.id) if name}


def test_every_fact_is_in_one_part_and_no_entity_in_both():
    choosing, measuring = map(part_of_facts, PARTS)
    assert Counter([*choosing, *measuring]) == Counter(load_facts())
    assert not entities(choosing) & entities(measuring)
    assert 0.3 < len(choosing) / len(load_facts()) < 0.37


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("seed", range(5))
def test_no_entity_that_is_asked_was_taught(part, seed):
    taught, tested = taught_and_tested(part, seed)
    assert Counter([*taught, *tested]) == Counter(part_of_facts(part))
    assert not entities(taught) & entities(tested)
    least = 5 if part == "choosing" else 10
    for side in (taught, tested):
        counts = Counter(fact.relation.id for fact in side)
        assert counts.keys() == RELATION_BY_ID.keys()
        assert min(counts.values()) >= least
        assert {fact.relation.label for fact in side} == {"entailment", "contradiction"}


def test_no_name_that_recombination_adds_is_an_entity_of_a_fact():
    names = {name.casefold() for name in bank_names()}
    assert len(names) > 500
    assert not names & entities(load_facts())
