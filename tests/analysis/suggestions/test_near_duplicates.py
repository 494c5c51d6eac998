import pytest
from suggestion_columns import make_answered

from symdemo.analysis.suggestions import near_duplicates
from symdemo.analysis.suggestions.near_duplicates import find_groups

ENTAILMENT, CONTRADICTION = "entailment", "contradiction"
# Names stand inside of a sentence somewhere, so that they are known to be names.
OTHERS = [
    ("Today Ann Eve Maria Mario met Bob.", "Today Bob met Ann Eve Maria Mario."),
    ("The kennel lies beside the stable.", "The stable lies beside the kennel."),
]


def groups(*pairs, labels=None, **columns):
    """The groups among pairs, whose labels alternate, and `OTHERS`."""
    labels = [*(labels or [(ENTAILMENT, CONTRADICTION)[n % 2] for n in range(len(pairs))])]
    labels += [ENTAILMENT] * len(OTHERS)
    columns = {name: [*own, *[None] * len(OTHERS)] for name, own in columns.items()}
    premises, hypotheses = zip(*pairs, *OTHERS, strict=True)
    return find_groups(make_answered(labels, list(premises), list(hypotheses), **columns))


SAYING = ("Ann is Bob's mother.", "Bob is Ann's mother.")


SAME = (
    SAYING,
    ("ann is bobs MOTHER", "BOB is Ann’s mother!!"),
    ("Ann is really Bob's mother.", "Bob is really Ann's mother."),
    ("Ann is Bob's mother indeed.", "Bob is Ann's mother."),
    ("Ann is Bob's mo-ther.", "Bob is Ann's mo-ther."),
)
OTHER = (
    ("Eve is Bob's mother.", "Bob is Eve's mother."),
    ("Maria is Bob's mother.", "Bob is Maria's mother."),
    ("Ann Eve is Bob's mother.", "Bob is Ann Eve's mother."),
    ("Ann is not Bob's mother.", "Bob is not Ann's mother."),
    ("Ann is Bob's father.", "Bob is Ann's father."),
    ("Ann is Bob's 2nd mother.", "Bob is Ann's 2nd mother."),
    ("Bob is Ann's mother.", "Ann is Bob's mother."),
    ("Ann is Bob's old mother indeed.", "Bob is Ann's old mother indeed."),
    ("Ann is Bob's mother.", "Bob is Eve's mother."),
)


@pytest.mark.parametrize("other", [*SAME, *OTHER])
def test_nearly_the_same_sentences_with_different_labels_are_a_group(other):
    expected = [[0, 1]] if other in SAME else []
    assert groups(SAYING, other) == groups(other, SAYING) == expected
    assert groups(SAYING, other, labels=[ENTAILMENT] * 2) == []


def test_what_rows_are_known_to_be_about():
    longer = ("Ann is Bob's step mother.", "Bob is Ann's step mother.")
    same, other = ["mother", "mother"], ["mother", "step mother"]
    assert groups(SAYING, longer, relation=same) == [[0, 1]]
    assert groups(SAYING, longer, relation=other) == []
    assert groups(SAYING, ("ANN is Bobs mother", SAYING[1]), relation=other) == [[0, 1]]
    nurse = ("The nurse met Bob.", "Bob met the nurse.")
    night = ("The night nurse met Bob.", "Bob met the night nurse.")
    assert groups(nurse, night) == [[0, 1]]
    assert groups(nurse, night, head=["the nurse", "the night nurse"]) == []


def test_a_group_holds_those_that_agree_too_and_the_odd_one_comes_first():
    variants = [
        SAYING,
        ("ANN is Bob's mother", SAYING[1]),
        ("Ann is surely Bob's mother.", "Bob is surely Ann's mother."),
        ("Ann is Bob's mo-ther.", "Bob is Ann's mo-ther."),
    ]
    labels = [ENTAILMENT] * 3 + [CONTRADICTION]
    premises, hypotheses = zip(*variants, *OTHERS, strict=True)
    answered = make_answered([*labels, None, ENTAILMENT], list(premises), list(hypotheses))
    (found,) = near_duplicates(answered)
    assert found.rows.tolist() == [3, 0, 1, 2]
    assert "4 pairs" in found.title
