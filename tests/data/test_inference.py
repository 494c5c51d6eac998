"""What follows from what in the bank, against truth tables and by its own rules."""

from itertools import product

from cases import each_case

from symdemo.data.bank import BankRelation, shipped_bank
from symdemo.data.inference import BankStatement, Inference, Meaning, load_inference
from symdemo.pairs import CONTRADICTION as C
from symdemo.pairs import ENTAILMENT as E
from symdemo.pairs import NEUTRAL as N


def relation(pattern: str, name: str = "one", group: str = "one") -> BankRelation:
    return BankRelation(name, pattern, ("person",), ("person",), ("[X] a [Y].",), group=group)


LABELS = {"E": E, "C": C, "N": N, "-": None}


@each_case(__file__, "inference.csv")
def test_labels_of_two_statements_of_a_relation(row):
    """By pattern, the label as they are and with the arguments exchanged; - where none is known."""
    for pattern in ("symmetric", "antisymmetric", "neither"):
        own, both = relation(pattern), []
        for number, name in enumerate(("premise", "hypothesis")):
            given = dict(part.split("=") for part in row[name].split())
            given = {key: int(value) if value == "1" else value for key, value in given.items()}
            both.append(BankStatement(own, row[name], **{"number": number} | given))
        found = [Inference({}).label(*both, exchanged) for exchanged in (False, True)]
        assert found == [LABELS[letter] for letter in row[pattern].split()]


def test_labels_agree_with_models_of_the_sentences():
    """Entailment and contradiction hold in every world, neutral in some and not in others.

    A world says for both orders of the arguments whether a relation holds; its pattern rules out
    some. Phrasings of one relation that say the same share its truth.
    """
    worlds = {
        "symmetric": [(True, True), (False, False)],
        "antisymmetric": [(True, False), (False, True), (False, False)],
        "neither": list(product((True, False), repeat=2)),
    }
    for pattern, possible in worlds.items():
        own = relation(pattern)
        forms = [
            BankStatement(own, f"{n} {no}", n, negated=no) for n in (0, 1) for no in (True, False)
        ]
        for one, two, exchanged in product(forms, forms, (False, True)):
            truths = {
                world[exchanged] != two.negated for world in possible if world[0] != one.negated
            }
            expected = N if len(truths) == 2 else E if truths == {True} else C
            assert Inference({}).label(one, two, exchanged) == expected, (one, two, exchanged)


GRAPH = Inference(
    {
        "mother": Meaning("=", implies=("parent",)),
        "parent": Meaning("=", implies=("child^",), excludes=("stranger",)),
        "child": Meaning("=", implies=("parent^",)),
        "stranger": Meaning("="),
        "other": Meaning("="),
    }
)
"""Mother implies parent, which implies child exchanged; parent excludes stranger."""


@each_case(__file__, "two_relations.csv")
def test_labels_of_two_relations_follow_the_graph(row):
    patterns = {"stranger": "symmetric", "other": "neither"}

    def statement(name):
        bare = name.removeprefix("not ")
        own = relation(patterns.get(bare, "antisymmetric"), bare, bare)
        return BankStatement(own, name, 0, negated=name != bare)

    both = statement(row["premise"]), statement(row["hypothesis"])
    assert GRAPH.label(*both, False) == LABELS[row["as_they_are"]]
    assert GRAPH.label(*both, True) == LABELS[row["exchanged"]]


KNOWN, MEANINGS = {one.id: one for one in shipped_bank().relations}, load_inference().meanings


def test_the_shipped_meanings_cover_the_bank():
    for name, own in KNOWN.items():
        meaning = MEANINGS[name]
        assert len(meaning.phrasings) == len(own.phrasings), name
        assert meaning.phrasings[0] == "=", name
        assert set(meaning.phrasings) <= set("=<>~"), name
        assert {(f.count("[X]"), f.count("[Y]")) for _, f in meaning.more} <= {(1, 1)}, name
        linked = {other.removesuffix("^") for other in (*meaning.implies, *meaning.excludes)}
        assert linked <= KNOWN.keys(), name


def test_no_shipped_relation_implies_what_it_or_another_that_it_implies_excludes():
    def turn(name, exchanged):
        bare = name.removesuffix("^")
        return bare, KNOWN[bare].pattern != "symmetric" and exchanged != name.endswith("^")

    for start in KNOWN:
        implied, waiting = set(), [(start, False)]
        while waiting:
            one, exchanged = waiting.pop()
            if (one, exchanged) not in implied:
                implied.add((one, exchanged))
                waiting += [turn(other, exchanged) for other in MEANINGS[one].implies]
        for one, exchanged in implied:
            excluded = {turn(other, exchanged) for other in MEANINGS[one].excludes}
            assert not excluded & implied, (start, one)


def test_relations_of_a_group_without_a_link_are_not_known():
    one, two = (BankStatement(relation("neither", name, "near"), name, 0) for name in ("a", "b"))
    assert Inference({}).label(one, two, False) is None
