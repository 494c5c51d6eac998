"""Suggestions: all together, wrongly taught relations, errors of groups and labels, duplicates."""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import each_case
from job_fakes import Reports
from scipy.stats import fisher_exact

from symdemo.analysis.suggestions import (
    KINDS,
    Answered,
    error_groups,
    label_errors,
    near_duplicates,
    suggest,
    wrongly_taught_relations,
)
from symdemo.analysis.suggestions.error_groups import make_groups, mask, worse_than_elsewhere
from symdemo.analysis.suggestions.label_errors import neighbour_guess, own_guess, relation_guess
from symdemo.analysis.suggestions.near_duplicates import find_groups
from symdemo.classifier.prediction import NOT_JUDGED

LABELS = E, C, N = ("entailment", "contradiction", "neutral")
RELATIONS = 30
PER_RELATION = 12
COLUMNS = (
    "premise", "hypothesis", "label", "relation", "head", "tail", "construction", "verdict",
    "familiar", "right", "probability",
)  # fmt: skip


def make_answered(labels, premises=None, hypotheses=None, verdicts=None, **known):
    """Return answered pairs in which only what is given is known; by default no two are alike."""
    premises = premises or [f"Sentence{row} {'word' * row}." for row in range(len(labels))]
    verdicts = verdicts or list(labels)
    columns = {
        "premise": premises,
        "hypothesis": hypotheses or [f"Then {premise}" for premise in premises],
        "label": labels,
        "verdict": verdicts,
        "right": [
            None if label is None else label == verdict
            for label, verdict in zip(labels, verdicts, strict=True)
        ],
    }
    columns |= {name: known.pop(name) for name in COLUMNS if name in known}
    rows = pd.DataFrame(columns, dtype=object).reindex(columns=list(COLUMNS))
    rows = rows.astype(object).where(rows.notna(), None).astype({"probability": float})
    if "probabilities" in known:
        rows["probability"] = known["probabilities"].max(axis=1)
    return Answered(rows, known.pop("swaps", np.ones(len(rows), bool)), **known)


def shares_for(labels, sure=0.9):
    """Return (n, 3) probabilities: `sure` for each label, the rest shared by the others."""
    shares = np.full((len(labels), len(LABELS)), (1 - sure) / 2)
    shares[np.arange(len(labels)), [LABELS.index(label) for label in labels]] = sure
    return shares


@pytest.fixture
def clean():
    """360 pairs of 30 relations: true labels, relations, and embeddings near their relation's."""
    rng = np.random.default_rng(0)
    labels = [LABELS[r % 3] for r in range(RELATIONS) for _ in range(PER_RELATION)]
    relations = [f"relation {r}" for r in range(RELATIONS) for _ in range(PER_RELATION)]
    centres = rng.standard_normal((RELATIONS, 16))
    vectors = np.repeat(centres, PER_RELATION, axis=0) + 0.2 * rng.standard_normal((360, 16))
    return labels, relations, vectors.astype(np.float16)


@pytest.fixture
def planted(clean):
    """Wrong labels at 7 and 90, relation 4 labelled wrongly, and rows 360 and 0 the same."""
    labels, relations, vectors = clean
    verdicts = [*labels, labels[0]]
    labels = [*labels, "neutral"]
    labels[7] = labels[90] = "neutral"
    labels[48:60] = ["neutral"] * 12  # the model says contradiction
    premises = [f"Sentence{row} {'word ' * row}." for row in range(361)]
    premises[360] = premises[0].upper()
    return make_answered(
        labels,
        premises,
        verdicts=verdicts,
        relation=[*relations, "relation 0"],
        embeddings=np.vstack([vectors, vectors[:1]]),
        probabilities=shares_for(verdicts),
        label_names=LABELS,
    )


def test_all_that_was_planted_comes_out_once(planted):
    found = {suggestion.kind: suggestion for suggestion in suggest(planted)}
    assert list(found) == [kind for kind in KINDS if kind in found]
    assert set(found["label_errors"].rows.tolist()) == {7, 90, 360}
    assert set(found["near_duplicates"].rows.tolist()) == {0, 360}
    assert found["wrongly_taught_relations"].rows.tolist() == list(range(48, 60))
    assert "error_groups" not in found  # the relation explains its errors, and is told once


def test_what_was_found_before_the_stop_is_returned(planted):
    told = []
    found = suggest(planted, Reports(lambda *step: told.append(step), lambda: told[-1][0] >= 1))
    assert told == [(0, 4), (1, 4)]
    assert [suggestion.kind for suggestion in found] == ["wrongly_taught_relations"]
    told.clear()
    suggest(planted, Reports(lambda *step: told.append(step)))
    assert told == [(n, 4) for n in range(5)]


def many_relations(**changed):
    """20 relations of 5 entailments each; `changed` gives verdicts of some by name."""
    relations = [f"r{n}" for n in range(20) for _ in range(5)]
    verdicts = [E] * 100
    for name, own in changed.items():
        start = relations.index(name)
        verdicts[start : start + 5] = own
    shares = shares_for(verdicts) * np.linspace(0.9, 1, 100)[:, None]
    known = {"relation": relations, "probabilities": shares, "label_names": LABELS}
    return make_answered([E] * 100, verdicts=verdicts, **known)


def test_a_relation_whose_verdicts_all_contradict_its_label_is_named():
    (found,) = wrongly_taught_relations(many_relations(r3=[C, C, E, C, C]))
    said = "The relation “r3” is labelled entailment, and the model says contradiction."
    assert found.title == said
    assert "4 of its 5 pairs" in found.why
    assert found.rows.tolist() == [19, 18, 16, 15]  # the surest first


def test_only_swaps_have_a_label_by_their_relation():
    known = many_relations(r3=[C, C, C, C, C])
    assert wrongly_taught_relations(known)
    for any_pair in (False, True):
        others = replace(known, swaps=np.zeros(100, bool), any_pair=any_pair)
        assert wrongly_taught_relations(others) == []


def test_scattered_few_or_inconsistent_errors_name_no_relation():
    assert wrongly_taught_relations(many_relations(r3=[C, C, E, E, E], r7=[C, E, E, E, E])) == []
    assert wrongly_taught_relations(many_relations(r3=[C, C, N, N, E])) == []
    assert wrongly_taught_relations(make_answered([E] * 9, verdicts=[C] * 9)) == []
    # Where everything is wrong, one relation is no worse than the others.
    everything = {f"r{n}": [C] * 5 for n in range(20)}
    assert wrongly_taught_relations(many_relations(**everything)) == []


def answered_of(premises, wrong, **columns):
    verdicts = [N if bad else E for bad in wrong]
    return make_answered([E] * len(premises), premises, verdicts=verdicts, **columns)


@pytest.fixture
def sentences():
    """400 sentences of six words drawn from 20; every 25th is wrong."""
    rng = np.random.default_rng(0)
    words = [f"w{chr(97 + n)}" for n in range(20)]
    premises = [" ".join(rng.choice(words, 6)) for _ in range(400)]
    return premises, [row % 25 == 0 for row in range(400)]


def test_a_phrase_that_errors_follow_is_named_once(sentences):
    premises, wrong = sentences
    for row in range(0, 60):
        premises[row] += " each other"
        wrong[row] = row % 2 == 0
    found = error_groups(answered_of(premises, wrong))
    assert len(found) == 1  # “each”, “other” and “each other” are the same rows
    assert "“each other”" in found[0].title
    bad = [row for row in range(60) if wrong[row]]
    assert sorted(found[0].rows.tolist()) == bad
    elsewhere = sum(wrong) - len(bad)
    said = f"{len(bad)} of these 60 pairs are wrong (50%), {elsewhere / 340:.0%} of all others"
    assert said in found[0].why


def test_nothing_is_named_where_errors_are_chance(sentences):
    premises, wrong = sentences
    for own in (wrong, [False] * 400, [True] * 400):
        assert error_groups(answered_of(premises, own)) == []


def test_constructions_and_relations_are_groups_and_the_larger_comes_first(sentences):
    premises, wrong = sentences
    constructions = ["question" if row < 80 else None for row in range(400)]
    relations = ["knows" if row >= 360 else "other" for row in range(400)]
    wrong = [bad or row < 60 or row >= 375 for row, bad in enumerate(wrong)]
    answered = answered_of(premises, wrong, construction=constructions, relation=relations)
    titles = [
        "The construction “question” is answered wrongly more often.",
        "The relation “knows” is answered wrongly more often.",
    ]
    assert [one.title for one in error_groups(answered)] == titles
    assert [one.title for one in error_groups(answered, np.arange(80))] == titles[1:]


def test_entities_are_masked_and_no_group_is_made_of_masks_alone():
    said = mask("Ann told Ann-Marie that Anna saw Bo.", "Ann", "Bo")
    assert said == "[X] told [X]-Marie that Anna saw [Y]."
    assert mask("The nurse met the night nurse.", "the nurse", "the night nurse") == (
        "[X] met [Y]."
    )
    premises = [f"Ann{chr(97 + n)} meets Bo." for n in range(20)]
    heads = [premise.split()[0] for premise in premises]
    answered = make_answered([E] * 20, premises, head=heads, tail=["Bo"] * 20)
    groups = make_groups(answered.rows[:15])
    assert groups.names == []  # “[X] meets [Y]” holds all rows and tells nothing apart


def test_p_values_are_those_of_fishers_exact_test():
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 60, 30)
    errors = rng.binomial(sizes, 0.3)
    expected = [
        fisher_exact([[e, s - e], [50 - e, 200 - 50 - (s - e)]], alternative="greater").pvalue
        for e, s in zip(errors, sizes, strict=True)
        if e <= 50
    ]
    assert np.allclose(worse_than_elsewhere(errors, sizes, 50, 200), expected)


def spoil(labels):
    rng = np.random.default_rng(1)
    changed = rng.choice(len(labels), round(0.05 * len(labels)), replace=False)
    spoilt = list(labels)
    for row in changed:
        spoilt[row] = LABELS[(LABELS.index(labels[row]) + 1) % 3]
    return spoilt, set(changed.tolist())


def suggested(labels, **known):
    """The rows that are suspected, and the suggestion; no rows and None if there is none."""
    (found,) = label_errors(make_answered(labels, **known)) or [None]
    return (set(found.rows.tolist()) if found else set()), found


@pytest.mark.parametrize("given", ["probabilities", "embeddings", "relations", "all"])
def test_changed_labels_are_found_by_whatever_is_known(clean, given):
    labels, relations, vectors = clean
    spoilt, changed = spoil(labels)
    columns = {
        "probabilities": {"probabilities": shares_for(labels), "label_names": LABELS},
        "embeddings": {"embeddings": vectors},
        "relations": {"relation": relations},
    }
    chosen = columns.values() if given == "all" else [columns[given]]
    rows, _ = suggested(spoilt, **{k: v for own in chosen for k, v in own.items()})
    assert len(changed & rows) >= 0.8 * len(changed)
    assert len(changed & rows) >= 0.5 * len(rows)


def test_a_model_that_knows_nothing_or_all_of_these_rows_is_not_believed(clean):
    labels, relations, vectors = clean
    spoilt, changed = spoil(labels)
    chance = np.random.default_rng(3).integers(3, size=len(labels))  # right one time in three
    blind = {"probabilities": shares_for([LABELS[n] for n in chance]), "label_names": LABELS}
    assert suggested(spoilt, **blind)[1] is None  # two thirds of the rows contradict it
    assert suggested(spoilt, **blind, relation=relations)[0] == changed
    taught = blind | {"probabilities": shares_for(spoilt, 0.99)}
    rows, found = suggested(spoilt, **taught, relation=relations, embeddings=vectors)
    assert "the model" not in found.why.split(" speak")[0]
    assert len(changed & rows) >= 0.8 * len(changed)


def test_nothing_is_said_of_clean_few_or_unlabelled_rows(clean):
    labels, relations, vectors = clean
    known = {"relation": relations, "embeddings": vectors}
    assert not suggested(labels, **known)[0]
    assert not suggested([None] * 360, **known, verdicts=labels)[0]
    assert not suggested(["neutral", *["entailment"] * 10], relation=["a"] * 11)[0]
    assert not suggested(["entailment"] * 30, relation=["a"] * 30)[0]


def test_only_pairs_that_the_model_judges_are_suspected(clean):
    labels, relations, vectors = clean
    spoilt, changed = spoil(labels)
    swaps = np.arange(len(labels)) % 2 == 0
    known = {"relation": relations, "embeddings": vectors, "swaps": swaps}
    own, _ = suggested(spoilt, **known)
    assert own & changed
    assert all(swaps[row] for row in own)
    assert not all(swaps[row] for row in suggested(spoilt, any_pair=True, **known)[0])
    said = [NOT_JUDGED if row in changed else label for row, label in enumerate(labels)]
    assert not suggested(spoilt, any_pair=True, verdicts=said, **known)[0] & changed


def test_guesses_by_hand():
    labels = np.array([0, 0, 1, 0])
    # Each row asks the three others; the prior 3/4, 1/4 counts as one row more.
    assert relation_guess(np.array(["r", "r", "r", ""], object), labels, 2).tolist() == [
        [(1 + 0.75) / 3, (1 + 0.25) / 3],
        [(1 + 0.75) / 3, (1 + 0.25) / 3],
        [(2 + 0.75) / 3, 0.25 / 3],
        [0.75, 0.25],
    ]
    vectors = np.ones((4, 2), np.float32) / np.sqrt(2)  # all at one place, the row itself is not
    assert np.allclose(
        neighbour_guess(vectors, labels, 2),
        np.array([[2.75, 1.25], [2.75, 1.25], [3.75, 0.25], [2.75, 1.25]]) / 4,
    )
    shares = np.array([[0.2, 0.5, 0.3], [0, 0, 0]])
    assert own_guess(shares, list(LABELS), ["neutral", "entailment"]).tolist() == [
        pytest.approx([0.6, 0.4]),
        [0.5, 0.5],
    ]


def test_rows_left_out_and_rows_without_a_label_are_not_suggested(clean):
    labels, relations, _ = clean
    spoilt, changed = spoil(labels)
    out, unlabelled, *_ = sorted(changed)
    spoilt[unlabelled] = None
    (found,) = label_errors(make_answered(spoilt, relation=relations), leave_out=np.array([out]))
    assert set(found.rows.tolist()) == changed - {out, unlabelled}


def test_the_least_probable_label_comes_first(clean, monkeypatch):
    module = sys.modules[neighbour_guess.__module__]  # the package gives its name to a function
    monkeypatch.setattr(module, "trusted", lambda labels, _: np.linspace(0.1, 0, len(labels)))
    (found,) = label_errors(make_answered(clean[0], relation=clean[1]))
    assert found.rows.tolist() == list(range(360))[::-1]


def test_neighbours_of_many_rows_are_nearly_those_of_an_exact_search(monkeypatch):
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((40, 8)).repeat(100, axis=0)
    vectors = (centres + 0.1 * rng.standard_normal((4_000, 8))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    labels = rng.integers(3, size=4_000)
    exact = neighbour_guess(vectors, labels, 3)
    module = sys.modules[neighbour_guess.__module__]  # the package gives its name to a function
    monkeypatch.setattr(module, "_EXACT", 1_000)
    assert np.abs(neighbour_guess(vectors, labels, 3) - exact).mean() < 0.02


# Names stand inside of a sentence somewhere, so that they are known to be names.
BESIDE = [
    ("Today Ann Eve Maria Mario met Bob.", "Today Bob met Ann Eve Maria Mario."),
    ("The kennel lies beside the stable.", "The stable lies beside the kennel."),
]


def duplicates(*pairs, labels=None, **columns):
    """The groups among pairs, whose labels alternate, and `BESIDE`."""
    labels = [*(labels or [(E, C)[n % 2] for n in range(len(pairs))])]
    labels += [E] * len(BESIDE)
    columns = {name: [*own, *[None] * len(BESIDE)] for name, own in columns.items()}
    premises, hypotheses = zip(*pairs, *BESIDE, strict=True)
    return find_groups(make_answered(labels, list(premises), list(hypotheses), **columns))


SAYING = ("Ann is Bob's mother.", "Bob is Ann's mother.")


@each_case(__file__, "near_duplicates.csv")
def test_sentences_nearly_the_same_as_a_saying_with_another_label_are_a_group(row):
    other = row["premise"], row["hypothesis"]
    expected = [[0, 1]] if row["nearly_the_same"] == "yes" else []
    assert duplicates(SAYING, other) == duplicates(other, SAYING) == expected
    assert duplicates(SAYING, other, labels=[E] * 2) == []


def test_what_rows_are_known_to_be_about():
    longer = ("Ann is Bob's step mother.", "Bob is Ann's step mother.")
    same, other = ["mother", "mother"], ["mother", "step mother"]
    assert duplicates(SAYING, longer, relation=same) == [[0, 1]]
    assert duplicates(SAYING, longer, relation=other) == []
    assert duplicates(SAYING, ("ANN is Bobs mother", SAYING[1]), relation=other) == [[0, 1]]
    nurse = ("The nurse met Bob.", "Bob met the nurse.")
    night = ("The night nurse met Bob.", "Bob met the night nurse.")
    assert duplicates(nurse, night) == [[0, 1]]
    assert duplicates(nurse, night, head=["the nurse", "the night nurse"]) == []


def test_a_group_holds_those_that_agree_too_and_the_odd_one_comes_first():
    variants = [
        SAYING,
        ("ANN is Bob's mother", SAYING[1]),
        ("Ann is surely Bob's mother.", "Bob is surely Ann's mother."),
        ("Ann is Bob's mo-ther.", "Bob is Ann's mo-ther."),
    ]
    labels = [E] * 3 + [C]
    premises, hypotheses = zip(*variants, *BESIDE, strict=True)
    answered = make_answered([*labels, None, E], list(premises), list(hypotheses))
    (found,) = near_duplicates(answered)
    assert found.rows.tolist() == [3, 0, 1, 2]
    assert "4 pairs" in found.title
