"""Many sentences swapped together: the same answers as one by one, and nothing left behind."""

from symdemo.data.bank import shipped_bank
from symdemo.errors import InputError
from symdemo.swapping import Swap, parsing, swap, swap_many

ODD = [
    "", "It rains.", "Is Ann Ben's boss?", "Ann  met\tBen.", "A loves B.", "im taller than u",
    "Oslo is located in Norway.", "x" * 2_500, "Ann met Ben. " * 150,
    "Ann met Ben.", "Ann met Ben.",
]  # fmt: skip


def one_by_one(sentence):
    try:
        return swap(sentence)
    except InputError as error:
        return error


def told(found):
    """What can be compared: an error is equal to itself alone."""
    return found if isinstance(found, Swap) else (type(found), str(found))


def test_the_answers_are_those_of_one_by_one():
    bank = shipped_bank()
    premises = [pair.premise for pair in bank.pairs(bank.relations[::900], seed=2)]
    asked = [*ODD, *premises]
    together = list(map(told, swap_many(asked)))
    parsing._parsed.clear()
    assert together == list(map(told, map(one_by_one, asked)))
    assert sum(isinstance(found, Swap) for found in together) > len(premises) / 2


def test_it_reads_no_further_than_it_is_asked_to():
    taken = []
    sentences = (taken.append(n) or f"Ann{n} met Ben." for n in range(10_000))
    assert next(swap_many(sentences)).hypothesis == "Ben met Ann0."
    assert len(taken) <= 64


def test_each_text_is_parsed_once_and_few_parses_are_kept(monkeypatch):
    parsing._parsed.clear()
    parsing.parse_ahead(["Eve met Flo."])
    doc = parsing.parse("Eve met Flo.")
    assert doc is parsing.parse("Eve  met\tFlo.", parsing.PIPELINE)
    assert doc is not parsing.parse("Eve met Flo.", parsing.SECOND)
    monkeypatch.setattr(parsing, "_MOST_KEPT", 3)
    parsing.parse_ahead(f"Eve{n} met Flo." for n in range(9))
    assert [text for text, _ in parsing._parsed] == [f"Eve{n} met Flo." for n in (6, 7, 8)]
    parsing.parse_ahead([])
