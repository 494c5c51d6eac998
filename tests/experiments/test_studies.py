"""The smaller studies: teaching, swaps, questions, sentence encoders, NLI."""

import json
import re

import pytest

from experiments import nli, questions, sentences, swaps, teach
from experiments.nli import NliRows
from experiments.runner import Ledger
from symdemo.data.bank import load_kinds, part_of, shipped_bank
from symdemo.data.relations import RELATIONS
from symdemo.errors import InputError
from symdemo.evaluation.nli import NliData
from symdemo.evaluation.results import SentenceReport
from symdemo.files.paths import MODELS, RESULTS
from symdemo.pairs import LABELS, Pair

# Teaching


def entities(pairs):
    return {end for pair in pairs for end in (pair.head, pair.tail)}


@pytest.mark.parametrize("name", sorted(path.stem for path in teach.SETS.glob("*.csv")))
def test_a_set_is_tested_on_other_entities_and_in_other_words(name):
    written, dealt = teach.read_set(name), teach.read_set(name, 1)
    assert teach.read_set(name, 1) == dealt
    for before, after in zip(written, dealt, strict=True):
        assert [(p.relation, p.label) for p in before] == [(p.relation, p.label) for p in after]
    assert entities(dealt[0]) | entities(dealt[1]) == entities(written[0]) | entities(written[1])
    assert not entities(dealt[0]) & entities(dealt[1])
    asked = teach.reword(dealt[1], name)
    assert len(asked) == 3 * len(dealt[1])
    labels = {pair.relation: pair.label for pair in dealt[0]}
    for pair in asked:
        assert labels[pair.relation] == pair.label
        assert f" {pair.relation} " not in pair.premise


def test_no_relation_is_in_two_sets_or_in_the_bank_or_among_the_14():
    def bare(phrasing):
        text = re.sub(r"\[[XY]\](?:'s)?", " ", phrasing).casefold()
        return " ".join(re.findall(r"[\w'-]+", text))

    sets = [teach.read_set(path.stem)[0] for path in teach.SETS.glob("*.csv")]
    ours = [str(name) for pairs in sets for name in {pair.relation for pair in pairs}]
    known = {bare(relation.template) for relation in RELATIONS}
    known |= {bare(text) for relation in shipped_bank().relations for text in relation.phrasings}
    assert {"reacts with", "is a sibling of"} <= known
    assert len(set(ours)) == len(ours) == 50
    assert not set(map(bare, ours)) & known


def test_the_most_similar_taught_sentence_is_looked_up():
    taught = [
        Pair("Ann co-fires with Ben.", "Ben co-fires with Ann.", "entailment", "", "Ann", "Ben"),
        Pair("Cy pugs for Di.", "Di pugs for Cy.", "contradiction", "", "Cy", "Di"),
    ]
    asked = Pair("Cy co-fired with Di.", "…", "entailment", "", "Cy", "Di")
    assert teach.looked_up(taught, [asked]) == 1.0
    assert teach.looked_up(taught[1:], [asked]) == 0.0


def test_withheld_relations_were_never_taught():
    asked, other = teach.questions(0), teach.questions(1)
    kinds = load_kinds(bank=shipped_bank())
    held = {r.id for kind in kinds for r in kind.bank.relations if part_of(r) == "held out"}
    assert {pair.relation for pair in asked["withheld"]} <= held
    taught = MODELS / "general" / "taught.jsonl"
    if taught.exists():
        known = {json.loads(line)["relation"] for line in taught.read_text("utf-8").splitlines()}
        assert not held & known
        assert {pair.relation for pair in asked["bank"]} <= known
    for name, pairs in asked.items():
        assert [p.relation for p in other[name]] == [p.relation for p in pairs]
        assert set(LABELS) == {pair.label for pair in pairs}


def test_the_cost_is_what_turned_wrong_less_what_turned_right():
    own = [Pair(f"a {n} b", f"b {n} a", "entailment", f"r{n // 2}") for n in range(10)]
    one = {"right_before": 8, "changed": 3, "turned_wrong": [0, 1], "turned_right": [9]}
    two = {"right_before": 6, "changed": 1, "turned_wrong": [0], "turned_right": []}
    found = teach.lost([one, two], own)
    assert (found["n"], found["least"], found["most"]) == (10, 10, 10)
    assert found["before"] == pytest.approx(0.7)
    assert found["changed"] == pytest.approx(0.2)
    assert found["lost"] == pytest.approx(10)
    low, high = found["interval"]
    assert low <= 0  # five groups: one lost 75 of its 100 points, one won 25
    assert 10 < high <= 75


# Swaps and questions


def test_a_half_counts_right_swaps_and_wrong_ones_shown_as_sure():
    right = swaps.Sentence("The dog chased a cat.", ("A cat chased the dog.",), "plain")
    wrong = right._replace(right=("So.",))
    none = swaps.Sentence("It rained.", (), "plain")
    found = swaps.natural([right, right, wrong, none])
    assert (found["all"]["exact"]["count"], found["all"]["exact"]["of"]) == (2, 3)
    assert found["all"]["wrong and sure"]["share"] == 0.25
    assert found["baseline"]["share"] == round(2 / 3, 4)


def test_a_sample_of_edits_is_told_from_swaps():
    rows = swaps.HERE / "edited_pairs.csv"
    found = swaps.measure({"file": rows.stem, "split": "dev"})
    assert found["edits"]["recognised"]["share"] >= 0.95
    assert found["swaps"]["refused"]["share"] <= 0.1


def test_questions_have_a_verdict_and_a_swap():
    for split in ("dev", "test"):
        for one in questions.load(split):
            assert one.verdict in LABELS
            assert one.swaps
            assert one.sentence not in one.swaps
    dev = questions.load("dev")
    constant = questions.measure({"split": "dev", "model": questions.CONSTANT})
    assert constant["label"] == max(LABELS, key=[q.verdict for q in dev].count)


# Sentence encoders


def test_the_published_report_of_sentences_is_that_of_its_ledger():
    found = sentences.summarise(Ledger(RESULTS / sentences.LEDGER))
    assert json.loads(json.dumps(found)) == SentenceReport.find(RESULTS).summary


def test_a_gain_is_the_mean_difference_by_seed():
    ours = [{"seed": 0, "spearman": 60.0}, {"seed": 1, "spearman": 64.0}]
    theirs = [{"seed": 1, "spearman": 60.0}, {"seed": 0, "spearman": 58.0}]
    gain = sentences._gain(ours, theirs)
    assert (gain["value"], gain["n"]) == (3.0, 2)
    assert gain["high"] - 3.0 == pytest.approx(12.706, abs=1e-3)  # t of 1 degree, times 1
    assert sentences._gain(ours[:1], theirs) is None


@pytest.mark.parametrize(
    ("parts", "tasks", "says"), [(("all",), (), "part “all”"), ((), ("STS",), "task “STS”")]
)
def test_unknown_parts_and_tasks_are_refused(parts, tasks, says):
    with pytest.raises(InputError, match=says):
        sentences.Study(("all-MiniLM-L6-v2",), parts, tasks)


# NLI


def test_all_rows_at_hand_are_used_and_none_is_in_both_parts(tmp_path, monkeypatch):
    pairs = [Pair(f"Ann saw {name}.", f"{name} saw Ann.", LABELS[0]) for name in "abcdef"]
    first = NliData(tuple(pairs[:3]), tuple(pairs[3:5]), "SNLI (dev to learn, test to test)")
    monkeypatch.setattr(nli, "load_nli", lambda *sizes: first)
    keys = ("premise", "hypothesis", "label")
    rows = [{key: getattr(pair, key) for key in keys} for pair in (pairs[3], pairs[5])]
    rows.append({"premise": "Goodbye!", "hypothesis": "Ann left.", "label": LABELS[0]})
    path = tmp_path / "xnli_dev_en.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(nli, "measuring_data", lambda name: path if "xnli" in name else None)
    found = nli.all_nli()
    assert found.train == (*pairs[:3], pairs[5])
    assert found.tests == {"SNLI": tuple(pairs[3:5])}
    assert found.source.endswith(", xnli_dev_en to learn")


def test_the_words_of_the_hypothesis_can_say_everything():
    def rows(n):
        return tuple(
            Pair(f"Ann {i}.", f"{word} {i}", label)
            for i in range(n)
            for word, label in zip(("yes", "no", "maybe"), LABELS, strict=True)
        )

    found = nli.without_premise(NliRows(rows(10), {"own": rows(4)}, "made up"))
    assert found["hypothesis"]["all"] == 1
    assert found["majority"]["all"] == pytest.approx(1 / 3)
