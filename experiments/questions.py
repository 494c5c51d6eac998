"""Sentences as visitors type them: is the swap the one that was meant, and is the verdict right?

    python experiments/questions.py [--split dev|test] [--file CSV] [--models general wikidata14]

Each sentence goes the way that the page takes (`symdemo.classifier.asking`). It is right where the
swap is one of those written down for it, and the verdict is the label written there;
capitals and full stops aside. `wrong_and_sure` counts what the page would show as certain, with a
share of at least 80% and without a doubt, and is wrong. Beside it stand the commonest label for
every sentence, a word model that was taught the same, and the verdicts on the swaps that were
written down. Writes experiments/results/questions.json.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.recipes.general import training_pairs
from experiments.recipes.general_kinds import shown_kinds
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.asking import Answer, ask, of_swap, read
from symdemo.data.bank import REPLACED, load_bank, load_kinds
from symdemo.errors import InputError
from symdemo.evaluation.baselines.ngrams import fit_ngrams
from symdemo.evaluation.intervals import wilson
from symdemo.files.provenance import provenance
from symdemo.pairs import LABELS, Pair
from symdemo.swapping import Swap, swap

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "questions.json"
QUESTIONS = HERE / "questions.csv"


@dataclass(frozen=True)
class Asked:
    """A sentence with the swaps and the label that were written for it."""

    sentence: str
    swaps: tuple[str, ...]
    verdict: str
    kind: str
    split: str


@dataclass(frozen=True)
class Outcome:
    """What became of a sentence, in the page's way."""

    sentence: str
    kind: str
    swapped: str | None
    swap_right: bool
    label: str | None
    verdict_right: bool
    share: float
    sure: bool

    @property
    def right(self) -> bool:
        """Whether both swap and verdict are."""
        return self.swap_right and self.verdict_right


def main() -> None:
    """Ask every model everything, print a line for each, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--split", choices=("dev", "test"), nargs="+", default=("dev", "test"))
    parser.add_argument("--file", type=Path, default=QUESTIONS)
    parser.add_argument("--models", nargs="+", default=["general", "wikidata14"])
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--show", action="store_true", help="print what is wrong")
    arguments = parser.parse_args()
    rows, taught = [], taught_pairs()
    for split in arguments.split:
        questions = [q for q in load(arguments.file) if q.split in ("", split)]
        rivals = [majority(questions), word_counts(taught, questions)]
        rows += [rival | {"split": split} for rival in rivals]
        for name in arguments.models:
            model = SymmetryClassifier.from_pretrained(name)
            outcomes = [judge(model, question) for question in questions]
            rows.append({"model": name, "split": split} | summary(model, questions, outcomes))
            if arguments.show:
                show(outcomes)
        for row in rows[-len(rivals) - len(arguments.models) :]:
            print(
                {key: value for key, value in row.items() if key not in {"by_kind", "wrong"}},
                flush=True,
            )
    report = {"made_by": provenance(), "rows": rows}
    arguments.results.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def taught_pairs(seed: int = 0) -> list[Pair]:
    """What `general` is shown of the bank and the kinds; the facts of the 14 relations are not."""
    bank = load_bank()
    relations = [relation for relation in bank.relations if relation.id not in REPLACED]
    return [*training_pairs(bank, relations, seed), *shown_kinds(load_kinds(bank=bank), seed)]


def taught_groups() -> dict[str, str]:
    """Relation → group, of the bank and the kinds."""
    bank = load_bank()
    kinds = load_kinds(bank=bank)
    relations = [*bank.relations, *(r for kind in kinds for r in kind.bank.relations)]
    return {relation.id: relation.group or relation.id for relation in relations}


def load(path: Path) -> list[Asked]:
    """The sentences of a CSV file: sentence, swapped, also, verdict, kind[, split]."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Asked(
                row["sentence"],
                tuple(filter(None, [row["swapped"], *row["also"].split(" | ")])),
                row["verdict"],
                row["kind"],
                row.get("split", ""),
            )
            for row in csv.DictReader(file)
        ]


def judge(model: SymmetryClassifier, question: Asked) -> Outcome:
    """One sentence, the way the page takes."""
    try:
        answer = ask(model, [read(question.sentence)])[0]
    except InputError:
        return Outcome(question.sentence, question.kind, None, False, None, False, 0.0, False)
    swapped = answer.prediction.pair.hypothesis
    return Outcome(
        question.sentence,
        question.kind,
        swapped,
        plain(swapped) in map(plain, question.swaps),
        answer.prediction.label,
        answer.prediction.label == question.verdict,
        round(answer.share, 3),
        answer.sure,
    )


def plain(sentence: str) -> str:
    """A sentence without what chat leaves out: capitals and the full stop."""
    return sentence.casefold().replace("’", "'").rstrip(".?! ")


def on_given_swaps(model: SymmetryClassifier, questions: Sequence[Asked]) -> list[Answer]:
    """The verdicts on the swaps that were written, so that the swapper has no part in them."""
    asked = [
        of_swap(q.sentence, Swap(q.sentence, q.swaps[0], "", "", ""))
        for q in questions
        if not q.sentence.endswith("?")
    ]
    return ask(model, asked)


def summary(
    model: SymmetryClassifier, questions: Sequence[Asked], outcomes: Sequence[Outcome]
) -> dict:
    """Counts with their intervals, and the share that is right by kind."""
    kinds = defaultdict(list)
    for outcome in outcomes:
        kinds[outcome.kind].append(outcome.right)
    given = {answer.question.sentence: answer for answer in on_given_swaps(model, questions)}
    right_given = [
        given[q.sentence].prediction.label == q.verdict for q in questions if q.sentence in given
    ]
    return {
        "n": len(outcomes),
        "right": counted([o.right for o in outcomes]),
        "swap_right": counted([o.swap_right for o in outcomes]),
        "verdict_right": counted([o.verdict_right for o in outcomes]),
        "verdict_right_on_the_given_swap": counted(right_given),
        "refused": counted([o.label is None for o in outcomes]),
        "shown_as_sure": counted([o.sure for o in outcomes]),
        "wrong_and_sure": counted([o.sure and not o.right for o in outcomes]),
        "by_kind": {kind: [sum(own), len(own)] for kind, own in sorted(kinds.items())},
        "wrong": [asdict(o) for o in outcomes if not o.right],
    }


def counted(hits: Sequence[bool]) -> dict:
    """Share in percent, with the Wilson interval of 95%."""
    low, high = wilson(sum(hits), len(hits))
    return {
        "share": round(100 * sum(hits) / max(len(hits), 1), 1),
        "interval": [round(100 * low, 1), round(100 * high, 1)],
    }


def majority(questions: Sequence[Asked]) -> dict:
    """The commonest label for every sentence: what knowing nothing scores."""
    label, count = Counter(q.verdict for q in questions).most_common(1)[0]
    hits = [True] * count + [False] * (len(questions) - count)
    return {"model": f"always {label}", "n": len(questions), "verdict_right": counted(hits)}


def word_counts(taught: Sequence[Pair], questions: Sequence[Asked]) -> dict:
    """Logistic regression over words, pairs and triples of words, taught what `general` is.

    Names only hide from it what is said of them, so it is told where subject and object stand.
    """
    groups = taught_groups()
    rival = fit_ngrams(taught, [groups[str(pair.relation)] for pair in taught])
    best = rival.shares_of_phrasings([_phrasing(q.sentence) for q in questions]).argmax(axis=1)
    hits = [LABELS[n] == q.verdict for n, q in zip(best, questions, strict=True)]
    return {"model": "word 1-to-3-grams", "n": len(hits), "verdict_right": counted(hits)}


def _phrasing(sentence: str) -> str:
    """The sentence with places for subject and object, or as it is where they are not found."""
    try:
        return swap(sentence).relation
    except InputError:
        return sentence


def show(outcomes: Sequence[Outcome]) -> None:
    """Print what is wrong, the surest first."""
    for o in sorted(outcomes, key=lambda o: -o.share * o.sure):
        if not o.right:
            print(
                f"{'SURE ' if o.sure else ''}{o.share:.0%} {o.label} "
                f"{'' if o.swap_right else 'SWAP '}{o.kind}: {o.sentence} -> {o.swapped}"
            )


if __name__ == "__main__":
    main()
