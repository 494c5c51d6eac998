"""Free sentences, known wordings, introductions, questions and names, each with its swap."""

import csv
from contextlib import suppress
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

pytest.importorskip("spacy", reason="free sentences need the parser")

from symdemo.data.bank import shipped_bank
from symdemo.data.bank_phrasings import capitalise, fill, finish
from symdemo.data.pair_files import load_pairs
from symdemo.data.relations import RELATIONS
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.swapping import join, swap
from symdemo.swapping.candidates import split_frame
from symdemo.swapping.words import is_often_name, is_usually_name

HERE = Path(__file__).parent
# Share right that each split must keep. The rules were tuned on dev and dev2 only.
FLOORS = {"dev": 0.95, "dev2": 0.95, "test": 0.90, "test2": 0.90}
WORDINGS = [relation.template for relation in RELATIONS]
FRAMES = (
    *shipped_bank().modifiers["frame"],
    "I heard on the radio that",
    "few people remember that",
    "the mayor is convinced that",
)


def rows_of(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def share(pairs) -> float:
    """Share of the pairs whose hypothesis is the swap of the premise."""
    right = 0
    for premise, hypothesis in pairs:
        with suppress(InputError):
            right += swap(premise).hypothesis == hypothesis
    return right / len(pairs)


@pytest.mark.parametrize(
    ("kind", "sentence", "swapped"),
    [
        pytest.param(*row.values(), id=f"{row['kind']}: {row['sentence']}")
        for row in rows_of("exact_swaps.csv")
    ],
)
def test_a_sentence_is_swapped_as_a_person_would(kind, sentence, swapped):
    got = swap(sentence)
    assert got.hypothesis == swapped
    if kind != "visitors":  # who also type questions and chat
        assert (got.premise, got.note) == (sentence, "")


@pytest.mark.parametrize("split", sorted(FLOORS))
def test_share_of_free_sentences(split, record_property):
    rows = [row for row in rows_of("swap_sentences.csv") if row["split"] == split]
    right = share([(row["sentence"], row["swapped"]) for row in rows])
    record_property("share_right", right)
    assert right >= FLOORS[split]


def test_share_of_the_bank():
    """The first phrasing of every fortieth relation, about entities drawn for it."""
    bank = shipped_bank()
    some = [replace(r, phrasings=r.phrasings[:1]) for r in bank.relations[::40]]
    assert share([(pair.premise, pair.hypothesis) for pair in bank.pairs(some, seed=0)]) >= 0.75


def test_share_of_the_bank_behind_introductions():
    """Plain phrasings that are swapped correctly by themselves, each behind one introduction."""
    bank, behind = shipped_bank(), []
    for relation, frame in zip(bank.relations[::50], cycle(FRAMES), strict=False):
        phrasing = relation.phrasings[0]
        (pair,) = bank.pairs([replace(relation, phrasings=(phrasing,))], seed=0)
        if phrasing.startswith("[") and share([(pair.premise, pair.hypothesis)]):
            ends = ((pair.head, pair.tail), (pair.tail, pair.head))
            before = f"{capitalise(frame)} "
            behind.append(Pair(*(finish(fill(phrasing, *own), before) for own in ends)))
    assert share([(pair.premise, pair.hypothesis) for pair in behind]) >= 0.95


@pytest.mark.slow
def test_share_of_the_shipped_free_sentences():
    """Swapped as their author did; many have two clauses, or mean a thing and not its owner."""
    pairs = load_pairs(HERE.parents[1] / "assets" / "free_sentences.csv")
    assert share([(pair.premise, pair.hypothesis) for pair in pairs]) >= 0.7


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
def test_an_introduction_stays_where_it_is(frame, statement, swapped):
    found = swap(f"{capitalise(frame)} {statement}")
    assert found.hypothesis == f"{capitalise(frame)} {swapped}"
    assert join(found.subject, found.relation, found.object) == found.premise


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
def test_sentences_without_an_introduction(sentence):
    assert split_frame(sentence) is None


@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize(
    "pair",
    [
        ("Oslo", "Bergen"),
        ("Q7024230", "Q2231347"),
        ("the cat", "the old dog"),
        ("Don Bosco Technical College, Mandaluyong", "City of Mandaluyong"),
        ("insulin", "glucose metabolism"),
        ("ice cream (dessert)", "frozen food"),
        ("Trinidad and Tobago", "Lesser Antilles"),
        ("Ministry of Health and Welfare", "Cabinet of Japan"),
        ("World War I", "the Treaty of Versailles"),
        ("2010 Haiti earthquake", "5-HT receptor"),
        ("São Tomé", "Željko Đurđević"),
        ("Mary, Queen of Scots", "James VI and I"),
    ],
)
@pytest.mark.parametrize("capital", [True, False])
def test_known_wordings_swap_and_swap_back(wording, pair, capital):
    sentence = wording.replace("[X]", pair[0]).replace("[Y]", pair[1])
    # Without a capital only where the other phrase has none: it would become the first word.
    if capital or any(side[0].isupper() for side in pair):
        sentence = sentence[0].upper() + sentence[1:]
    once = swap(sentence)
    assert once.hypothesis != sentence
    assert swap(once.hypothesis).hypothesis == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        *(
            wording.rstrip(".")
            .replace("[X]", "bridget (first name)")
            .replace("[Y]", "brigitte (name)")
            for wording in WORDINGS
        ),
        "Bob is the father of Ann, Carl and Dora.",
        "I'm taller than Bob.",
        "She's smarter than him.",
        "Bob's a friend of Ann.",
        "Ann’s taller than Bob.",
    ],
)
def test_lower_case_number_and_short_verbs_swap_back(sentence):
    assert swap(swap(sentence).hypothesis).hypothesis == sentence


@pytest.mark.parametrize(
    ("question", "statement", "swapped"),
    [
        ("Does Kenya border Uganda?", "Kenya borders Uganda.", "Uganda borders Kenya."),
        ("Is Ann Bob's mother?", "Ann is Bob's mother.", "Bob is Ann's mother."),
        ("Did Brazil beat Germany?", "Brazil beat Germany.", "Germany beat Brazil."),
        ("Do owls hunt bats at night?", "Owls hunt bats at night.", "Bats hunt owls at night."),
        ("Are cats older than dogs?", "Cats are older than dogs.", "Dogs are older than cats."),
        ("Has Ann met Bob?", "Ann has met Bob.", "Bob has met Ann."),
        (
            "Does the north wing adjoin the chapel?",
            "The north wing adjoins the chapel.",
            "The chapel adjoins the north wing.",
        ),
        (
            "Did Salieri really poison Mozart?",
            "Salieri really poisoned Mozart.",
            "Mozart really poisoned Salieri.",
        ),
        ("Ann is Bob's mother, isn't she?", "Ann is Bob's mother.", "Bob is Ann's mother."),
        ("Kenya borders Uganda?", "Kenya borders Uganda.", "Uganda borders Kenya."),
    ],
)
def test_a_yes_or_no_question_is_read_as_its_statement(question, statement, swapped):
    got = swap(question)
    assert (got.premise, got.hypothesis) == (statement, swapped)
    assert got.note == f"The question is read as the statement “{statement}”"


def test_the_list_of_names():
    assert all(map(is_usually_name, ("denmark", "galileo", "beethoven", "zambia")))
    assert all(map(is_often_name, ("ruby", "python", "oracle")))
    for word in ("water", "copper", "theology", "doctor", "target"):
        assert not is_usually_name(word), word
        assert not is_often_name(word), word
    assert not is_usually_name("king")
