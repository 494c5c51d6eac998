"""Sentences that introduce a statement: "Experts agree that …"."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from symdemo import swap
from symdemo.data.bank import shipped_bank
from symdemo.data.bank_phrasings import capitalise, fill, finish
from symdemo.data.pair_files import load_pairs
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.swapping import join
from symdemo.swapping.candidates import split_frame

pytest.importorskip("spacy", reason="free sentences need the parser")

FRAMES = (
    *shipped_bank().modifiers["frame"],
    "I heard on the radio that",
    "few people remember that",
    "the mayor is convinced that",
)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("statement", "swapped"),
    [
        ("Kenya borders Uganda.", "Uganda borders Kenya."),
        ("the nurse hired my neighbour in 1895.", "my neighbour hired the nurse in 1895."),
        ("Ann is Bob's mother.", "Bob is Ann's mother."),
        ("he is older than Ann.", "Ann is older than him."),
    ],
)
def test_an_introduction_stays_where_it_is(frame: str, statement: str, swapped: str) -> None:
    found = swap(f"{capitalise(frame)} {statement}")
    assert found.hypothesis == f"{capitalise(frame)} {swapped}"
    assert join(found.subject, found.relation, found.object) == found.premise


@pytest.mark.parametrize(
    ("phrase", "sentence", "swapped"),
    [
        ("At the airport", "Yusuf met Hana.", "Hana met Yusuf."),
        ("For nine weeks", "the dockers fought the owners.", "the owners fought the dockers."),
        ("In April", "Anders wrote to Luis.", "Luis wrote to Anders."),
        ("At the end of the season", "Rosenborg beat Brann.", "Brann beat Rosenborg."),
        ("Last year", "the nurse hired my neighbour.", "my neighbour hired the nurse."),
        ("Last year", "the drought led to the famine.", "the famine led to the drought."),
    ],
)
def test_a_time_or_place_without_its_comma_stays_in_front(phrase, sentence, swapped) -> None:
    assert swap(f"{phrase} {sentence}").hypothesis == f"{phrase} {swapped}"


@pytest.mark.parametrize(
    ("sentence", "swapped"),
    [
        (
            "The town is connected to the coast by a road.",
            "The coast is connected to the town by a road.",
        ),
        ("Ann bumped into Bob by chance.", "Bob bumped into Ann by chance."),
        (
            "The lake lies to the north of the village.",
            "The village lies to the north of the lake.",
        ),
        ("The bank distanced itself from the firm.", "The firm distanced itself from the bank."),
        (
            "Ann argued with the judge about the rules.",
            "The judge argued with Ann about the rules.",
        ),
        (
            "The nurse helped the coach during the war.",
            "The coach helped the nurse during the war.",
        ),
    ],
)
def test_what_is_neither_party_stays_where_it_is(sentence: str, swapped: str) -> None:
    assert swap(sentence).hypothesis == swapped


@pytest.mark.parametrize(
    "sentence",
    [
        "In April, Anders wrote to Luis.",
        "For Whom the Bell Tolls is part of the collection.",
        "The dog that bit Ann belongs to Bob.",
        "Kenya borders Uganda.",
        "As he said, that man is Bob's brother.",
        "The friend that Ann met likes Bob.",
    ],
)
def test_no_introduction_is_seen_where_there_is_none(sentence: str) -> None:
    assert split_frame(sentence) is None


def test_that_may_point() -> None:
    assert swap("Ann knows that dog.").hypothesis == "That dog knows Ann."


def _share(pairs: Iterable[Pair]) -> float:
    """Of the pairs, those whose hypothesis is what the swap makes of the premise."""
    right = []
    for pair in pairs:
        right.append(False)
        with suppress(InputError):
            right[-1] = swap(pair.premise).hypothesis == pair.hypothesis
    return sum(right) / len(right)


def test_share_of_the_bank_behind_introductions(capsys) -> None:
    """Plain phrasings that are swapped rightly by themselves, each behind one introduction."""
    bank, behind = shipped_bank(), []
    for relation, frame in zip(bank.relations[::50], cycle(FRAMES), strict=False):
        phrasing = relation.phrasings[0]
        (pair,) = bank.pairs([replace(relation, phrasings=(phrasing,))], seed=0)
        if phrasing.startswith("[") and _share([pair]):
            ends = ((pair.head, pair.tail), (pair.tail, pair.head))
            before = f"{capitalise(frame)} "
            behind.append(Pair(*(finish(fill(phrasing, *own), before) for own in ends)))
    share = _share(behind)
    with capsys.disabled():
        print(f"\nbehind introductions: {share:.3f} of {len(behind)}")  # noqa: T201
    assert share >= 0.95


@pytest.mark.slow
def test_share_of_the_free_sentences(capsys) -> None:
    """Swapped as their author did; many hold two clauses, or mean a thing and not its owner."""
    file = Path(__file__).resolve().parents[2] / "assets" / "free_sentences.csv"
    pairs = load_pairs(file)
    share = _share(pairs)
    with capsys.disabled():
        print(f"\nfree sentences: {share:.3f} of {len(pairs)}")  # noqa: T201
    assert share >= 0.7
