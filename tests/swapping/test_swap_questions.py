"""Questions: those that yes or no would answer are read as statements, and the swap says so."""

import pytest

pytest.importorskip("spacy", reason="free sentences need the parser")

from symdemo.errors import InputError
from symdemo.swapping import swap
from symdemo.swapping.words import past


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
def test_a_yes_or_no_question_is_read_as_its_statement(question, statement, swapped) -> None:
    got = swap(question)
    assert (got.premise, got.hypothesis) == (statement, swapped)
    assert got.note == f"The question is read as the statement “{statement}”"


def test_a_question_with_not_is_doubted() -> None:
    got = swap("Isn't Ann married to Bob?")
    assert got.hypothesis == "Bob isn't married to Ann."
    assert any("opposite" in doubt for doubt in got.doubts)


def test_a_request_is_doubted() -> None:
    assert any("request" in doubt for doubt in swap("Could you mix milk with flour?").doubts)


@pytest.mark.parametrize(
    "question",
    [
        "Who married Ann?",
        "What's the gap between jam and jelly?",
        "What does Ann owe Bob?",
        "To whom did Ann write?",
    ],
)
def test_a_question_for_something_is_refused(question: str) -> None:
    with pytest.raises(InputError, match="asks for something that is not named"):
        swap(question)


@pytest.mark.parametrize(
    ("base", "form"),
    [
        ("beat", "beat"),
        ("marry", "married"),
        ("play", "played"),
        ("stop", "stopped"),
        ("love", "loved"),
        ("border", "bordered"),
        ("go", "went"),
    ],
)
def test_past(base: str, form: str) -> None:
    assert past(base) == form
