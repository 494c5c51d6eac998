"""The swap of subject and object: free sentences, known wordings, bad input and the three boxes."""

import csv
import itertools
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from symdemo.data.bank import shipped_bank
from symdemo.errors import InputError
from symdemo.swapping import join, readings, swap
from symdemo.swapping.readings import MOST_VERBS

pytest.importorskip("spacy")

SENTENCES = Path(__file__).with_name("swap_sentences.csv")
# The share right that each split must keep. The rules were mended against dev and dev2 (plain
# everyday sentences) only; test and test2 tell how they do on sentences they were not mended for.
FLOORS = {"dev": 0.95, "dev2": 0.95, "test": 0.90, "test2": 0.90}

QUOTED = [
    (
        "Marie Curie was married to Pierre Curie in 1895.",
        "Pierre Curie was married to Marie Curie in 1895.",
    ),
    ("The cat chased the dog.", "The dog chased the cat."),
    ("Kenya and Uganda share a border.", "Uganda and Kenya share a border."),
    ("Ann is Bob's mother.", "Bob is Ann's mother."),
    ("Ann's mother is Carla.", "Carla's mother is Ann."),
    ("My brother's wife admires Peter.", "Peter admires my brother's wife."),
    ("He loves her.", "She loves him."),
    ("The dogs chase the cat.", "The cat chases the dogs."),
    (
        "Both France and Spain signed the treaty with Italy.",
        "Italy signed the treaty with both France and Spain.",
    ),
    ("The letter was written by Anna.", "Anna was written by the letter."),
    ("In 1999, Acme acquired Initech.", "In 1999, Initech acquired Acme."),
    ("Tom is taller than Sue.", "Sue is taller than Tom."),
    ("The museum lies north of the station.", "The station lies north of the museum."),
    ("Paris is the capital of France.", "France is the capital of Paris."),
    ("Water consists of hydrogen", "Hydrogen consists of water"),
    ("Q7024230 is part of Q2231347.", "Q2231347 is part of Q7024230."),
    (
        "west nile disease caused by west nile virus",
        "west nile virus caused by west nile disease",
    ),
    (
        "bridget (first name) possibly the same as brigitte (first name)",
        "brigitte (first name) possibly the same as bridget (first name)",
    ),
    (
        "Paul is an equivalent name of Paula for other gender.",
        "Paula is an equivalent name of Paul for other gender.",
    ),
    (
        "Don Bosco Technical College, Mandaluyong is located in City of Mandaluyong.",
        "City of Mandaluyong is located in Don Bosco Technical College, Mandaluyong.",
    ),
    ("Ann gave Bob a book.", "Bob gave Ann a book."),
    ("Ann told the story to Bob.", "Bob told the story to Ann."),
    ("There is a road between Oslo and Bergen.", "There is a road between Bergen and Oslo."),
    ("Oslo is close to Bergen", "Bergen is close to Oslo"),
    ("the distance between A and B", "the distance between B and A"),
    (
        "Lake Chad borders Chad, Niger and Cameroon",
        "Chad, Niger and Cameroon border Lake Chad",
    ),
    (
        "The storm led to the flood that caused the fire.",
        "The flood that caused the fire led to the storm.",
    ),
]

MENDED = [
    ("A loves B.", "B loves A."),
    ("Ann  loves   Bob .", "Bob  loves   Ann ."),
    ('"The cat chased the dog."', '"The dog chased the cat."'),
    ("The Alps border Italy.", "Italy borders the Alps."),
    ("The US is an ally of the UK.", "The UK is an ally of the US."),
    ("They are my parents.", "I am their parents."),
    ("My mother is Carla.", "Carla's mother is me."),
    ("The lungs are part of the body.", "The body is part of the lungs."),
    ("The heart is part of the lungs.", "The lungs are part of the heart."),
    ("Ann, Bob and Carl are friends.", "Carl, Bob and Ann are friends."),
    ("Ann fell in love with Bob.", "Bob fell in love with Ann."),
    ("The red house is in front of the church.", "The church is in front of the red house."),
    ("Everyone knows that Ann loves Bob.", "Everyone knows that Bob loves Ann."),
    ("Ann wants to marry Bob.", "Bob wants to marry Ann."),
    ("Ann isn't related to Bob.", "Bob isn't related to Ann."),
    ("O'Brien married D'Arcy.", "D'Arcy married O'Brien."),
    ("Insulin regulates glucose.", "Glucose regulates insulin."),
    (
        "The cat, which was hungry, chased the dog.",
        "The dog chased the cat, which was hungry.",
    ),
    ("The Beatles influenced Oasis.", "Oasis influenced the Beatles."),
    ("iPhone is produced by Apple.", "Apple is produced by iPhone."),
    ("Raj hugged Emma in Paris.", "Emma hugged Raj in Paris."),
    ("My lion beat Ahmed.", "Ahmed beat my lion."),
    ("Rose forgave the king.", "The king forgave Rose."),
    ("Ann went to school with Bob.", "Bob went to school with Ann."),
    ("Ann takes care of Bob.", "Bob takes care of Ann."),
    ("Bob was given a book by Ann.", "Ann was given a book by Bob."),
    ("The farmer showed the wolf a book.", "The wolf showed the farmer a book."),
    ("Today's meeting delayed the dinner.", "The dinner delayed today's meeting."),
    ("The shop sells cat food.", "Cat food sells the shop."),
    ("They elected Ann president.", "Ann elected them president."),
    ("Wolves eat sheep.", "Sheep eat wolves."),
    ("Everyone loves Raymond.", "Raymond loves everyone."),
    ("The river Thames flows through London.", "London flows through the river Thames."),
    ("Maria is engaged to Elena.", "Elena is engaged to Maria."),
    ("Seven is not equal to five.", "Five is not equal to seven."),
    ("Ann drank Bob's coffee.", "Bob drank Ann's coffee."),
    ("The cleaner drank Bob's coffee.", "Bob drank the cleaner's coffee."),
    ("Ann gets on Bob's nerves.", "Bob gets on Ann's nerves."),
    ("Ann wrote a song about Bob.", "Bob wrote a song about Ann."),
    ("Ann kept a promise made to Bob.", "Bob kept a promise made to Ann."),
    ("Ann finished the race before Bob did.", "Bob finished the race before Ann did."),
    ("Ann giggled before Bob did.", "Bob giggled before Ann did."),
    ("Ann is one of Bob's pupils.", "Bob is one of Ann's pupils."),
    ("Ann and Bob have a friend in common.", "Bob and Ann have a friend in common."),
    ("Anger gives rise to shame.", "Shame gives rise to anger."),
    ("The jury hailed Ann as a hero.", "Ann hailed the jury as a hero."),
    ("Ann e-mailed Bob.", "Bob e-mailed Ann."),
    ("“Yesterday” is older than “Help”.", "“Help” is older than “Yesterday”."),
    ('The film "Jaws" inspired the film "Alien".', 'The film "Alien" inspired the film "Jaws".'),
]


def _right(split: str) -> tuple[int, list[str]]:
    with SENTENCES.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["split"] == split]
    wrong = []
    for row in rows:
        try:
            got = swap(row["sentence"]).hypothesis
        except InputError as error:
            got = str(error)
        if got != row["swapped"]:
            wrong.append(f"{row['kind']}: {row['sentence']} -> {got}")
    return len(rows), wrong


@pytest.mark.parametrize("split", sorted(FLOORS))
def test_share_of_free_sentences(split, capsys, record_property):
    total, wrong = _right(split)
    share = 1 - len(wrong) / total
    record_property("share_right", share)
    with capsys.disabled():
        print(f"\n{split}: {total - len(wrong)} of {total} right ({share:.3f})")  # noqa: T201
        print("".join(f"  {line}\n" for line in wrong), end="")  # noqa: T201
    assert share >= FLOORS[split]


def test_share_of_the_bank(capsys):
    """The first phrasing of every fortieth relation, about entities drawn for it."""
    bank = shipped_bank()
    some = [replace(r, phrasings=r.phrasings[:1]) for r in bank.relations[::40]]
    pairs = bank.pairs(some, seed=0)
    right = 0
    for pair in pairs:
        with suppress(InputError):
            right += swap(pair.premise).hypothesis == pair.hypothesis
    with capsys.disabled():
        print(f"\nbank: {right} of {len(pairs)} right ({right / len(pairs):.3f})")  # noqa: T201
    assert right / len(pairs) >= 0.75


def test_sentences_are_many_and_split_by_half_or_third():
    with SENTENCES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    splits = Counter(row["split"] for row in rows)
    assert set(splits) == set(FLOORS)
    assert splits["dev"] + splits["test"] >= 110
    assert splits["dev2"] + splits["test2"] >= 120
    assert len({row["sentence"] for row in rows}) == len(rows)
    assert abs(splits["dev"] - splits["test"]) <= 2
    assert abs(splits["dev2"] - 2 * splits["test2"]) <= 4


@pytest.mark.parametrize(("sentence", "expected"), QUOTED + MENDED)
def test_swap(sentence, expected):
    assert swap(sentence).hypothesis == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm taller than Bob.",
        "She's smarter than him.",
        "Bob's a friend of Ann.",
        "Ann’s taller than Bob.",
    ],
)
def test_short_verbs_swap_and_swap_back(sentence):
    assert swap(swap(sentence).hypothesis).hypothesis == sentence


@pytest.mark.parametrize("sentence", ["Ann met Bob.", "My neighbour's dog ate my lunch."])
def test_parts_are_the_words_of_the_sentence(sentence):
    got = swap(sentence)
    assert join(got.subject, got.relation, got.object) == sentence


def test_a_sentence_without_a_pair_takes_a_few_parses(monkeypatch):
    parses = []
    real = readings.parse_with_stand_ins
    monkeypatch.setattr(
        readings, "parse_with_stand_ins", lambda *args: parses.append(args) or real(*args)
    )
    with suppress(InputError):
        swap(" ".join(["Ann", "bit", "met", "plays", "bites"] * 20) + ".")
    assert 0 < len(parses) <= 2 * (2 * MOST_VERBS + 2)  # two parsers


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        (" \n\t ", "is empty"),
        ("\x00\x07\u200b", "is empty"),
        ("word", "only one word"),
        ("12 345 !", "no letters"),
        ("The cat sleeps.", "No subject and object"),
        ("Give Bob the book.", "No subject and object"),
        ("The two leaders shook hands.", "No subject and object"),
        ("Who knows Bob?", "asks for something that is not named"),
        ("In which town does Ann live?", "asks for something that is not named"),
        ("a b " * 501, "2,003 characters"),
        ("Москва — столица России.", "type the swapped sentence yourself"),
        ("東京は日本の首都です。", "type the swapped sentence yourself"),
        ("القاهرة عاصمة مصر", "type the swapped sentence yourself"),
    ],
)
def test_bad_input_is_told_in_one_sentence(text, said):
    with pytest.raises(InputError, match=said) as caught:
        swap(text)
    message = str(caught.value)
    assert message.endswith((".", "'."))
    assert "\n" not in message


def test_control_characters_are_taken_out():
    got = swap("The cat\x00 chased\tthe\u200b dog.\r\n")
    assert got.premise == "The cat chased the dog."
    assert got.hypothesis == "The dog chased the cat."


def test_odd_text_never_ends_in_another_error():
    bits = ["'s", "and", "Ann", "of", "(", ")", ",", "is", "between", "than", "I", ".", '"', "[X]"]
    bits += ["her", "loves", "which", "-", "…", "theirs", "let's", "as", "bit", "Raj", "that"]
    for words in itertools.islice(itertools.permutations(bits, 4), 0, 200_000, 1_000):
        try:
            got = swap(" ".join(words))
        except InputError:
            continue
        assert got.hypothesis
