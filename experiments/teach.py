"""Teaching sets of five relations with four entity pairs each: what it gives, and what it costs.

    python experiments/teach.py [--model general] [--sets NAME ...] [--seeds 3] [--instant-only]

Each set of `experiments/teach_sets` is taught at once and by retraining, with the settings that the
app has; accuracy is on its six further entity pairs of each relation, in the words of the lesson
and in others (`teach_reworded.py`). A seed deals the entities of a set out anew (the first leaves
them as they were written), draws the entities of all that is asked besides, and orders a
retraining. The two sets of DEVELOPMENT were looked at while the settings were chosen, and stay out
of the figures.

What teaching cost is asked where the model is not at its ceiling (`teach_questions.py`). Each
finished set, seed and way is a line in `teach_measurements.jsonl`, so that a stopped command goes
on; what was measured of another model or with other questions is measured again, and the page says
what was measured by other code.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import random
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.reproduction.ledger import Key, Ledger
from experiments.teach_questions import Questions
from experiments.teach_report import make_report, publish
from experiments.teach_reworded import looked_up, read_reworded, reword
from symdemo import join
from symdemo.classifier import SymmetryClassifier
from symdemo.evaluation.scores import evaluate
from symdemo.evaluation.sentences.sts import SimilarityData, sts_at_hand, sts_spearman
from symdemo.files.paths import RESULTS
from symdemo.files.provenance import provenance
from symdemo.pairs import Pair, hash_pairs
from symdemo.teaching.comparison import benchmark_accuracy
from symdemo.teaching.instant import teach_instantly
from symdemo.teaching.plan import RetrainingData, TeachSettings, estimate
from symdemo.teaching.retraining import retrain

SETS = Path(__file__).parent / "teach_sets"
LEDGER = "teach_measurements.jsonl"


def read_set(name: str, seed: int = 0) -> tuple[list[Pair], list[Pair]]:
    """The pairs to teach and the pairs to test on, the entities dealt out anew by a seed above 0.

    Labels belong to relations, so any entity may stand in the place of any other; those that are
    taught and those that are tested stay apart, since each place keeps its part.
    """
    with (SETS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = list(dict.fromkeys(row[end] for row in rows for end in ("subject", "object")))
    dealt = random.Random(seed).sample(names, len(names)) if seed else names
    now = dict(zip(names, dealt, strict=True))
    parts: dict[str, list[Pair]] = {"teach": [], "test": []}
    for row in rows:
        head, tail, relation = now[row["subject"]], now[row["object"]], row["relation"]
        sentences = join(head, relation, tail), join(tail, relation, head)
        parts[row["split"]].append(Pair(*sentences, row["label"], relation, head, tail))
    return parts["teach"], parts["test"]


@dataclass(frozen=True)
class Lesson:
    """A set to be taught to a model, one seed of it, and what is asked before and after."""

    base: SymmetryClassifier
    name: str
    seed: int
    questions: Questions
    sts: SimilarityData | None
    sts_before: float

    def key(self, way: str) -> Key:
        """What names the measurement of a way of teaching: all that its figures depend on."""
        teach, test = read_set(self.name, self.seed)
        return {
            "set": self.name,
            "way": way,
            "seed": self.seed,
            "model": model_hash(self.base),
            "data": hash_pairs([*teach, *test, *self.reworded()])[:16],
            "questions": hash_pairs(self.questions.pairs)[:16],
        }

    def reworded(self) -> list[Pair]:
        """The pairs to test on, in words that were not taught."""
        return reword(read_set(self.name, self.seed)[1], read_reworded(self.name))

    def instant(self) -> dict[str, Any]:
        """The figures of teaching at once."""
        teach, test = read_set(self.name, self.seed)
        began = time.perf_counter()
        model = self.base.teach(teach)
        seconds = time.perf_counter() - began
        began = time.perf_counter()
        _, compared = teach_instantly(self.base, teach)
        return self._figures(model, test, seconds) | {
            "seconds_with_comparison": time.perf_counter() - began,
            "leave_one_out": compared.own_after,
        }

    def retrained(self) -> dict[str, Any]:
        """The figures of retraining."""
        teach, test = read_set(self.name, self.seed)
        settings = TeachSettings(seed=self.seed)
        pairs = [self.base.check(pair) for pair in teach]
        expected = estimate(self.base, RetrainingData.of(self.base, pairs, settings))
        began = time.perf_counter()
        model, _, curve = retrain(self.base, teach, settings)
        figures = self._figures(model, test, time.perf_counter() - began)
        if self.sts:
            figures["sts_lost"] = self.sts_before - sts_spearman(model.encoder, self.sts)
        return figures | {"estimated": expected.seconds, "steps": len(curve)}

    def _figures(
        self, model: SymmetryClassifier, test: list[Pair], seconds: float
    ) -> dict[str, Any]:
        benchmark = [benchmark_accuracy(own) for own in (self.base, model)]
        taught, reworded = read_set(self.name, self.seed)[0], self.reworded()
        return {
            "labels": sorted({pair.label or "" for pair in test}),
            "before": evaluate(self.base, test).accuracy,
            "looked_up": looked_up(taught, test),
            "accuracy": evaluate(model, test).accuracy,
            "reworded_before": evaluate(self.base, reworded).accuracy,
            "reworded_looked_up": looked_up(taught, reworded),
            "reworded": evaluate(model, reworded).accuracy,
            "seconds": seconds,
            "benchmark_lost": 100 * ((benchmark[0] or 0) - (benchmark[1] or 0)),
            "asked": self.questions.compare(model),
        }


WAYS: Mapping[str, Callable[[Lesson], dict[str, Any]]] = {
    "instant": Lesson.instant,
    "retrained": Lesson.retrained,
}


def model_hash(model: SymmetryClassifier) -> str:
    """The first 16 signs of the SHA-256 of what a model remembers: encoder and pairs both show."""
    digest = hashlib.sha256(model.index.embeddings.tobytes())
    digest.update(hash_pairs(model.index.pairs).encode())
    return digest.hexdigest()[:16]


def main() -> None:
    """Measure what is missing and write the results."""
    names = sorted(path.stem for path in SETS.glob("*.csv"))
    arguments = _parser(names).parse_args()
    base = SymmetryClassifier.from_pretrained(arguments.model)
    base.predict([Pair("Kenya borders Uganda.", "Uganda borders Kenya.")])  # loads what it needs
    ledger = Ledger(arguments.out / LEDGER, provenance())
    ways = ("instant",) if arguments.instant_only else tuple(WAYS)
    wanted: list[Key] = []
    sts = sts_at_hand()
    before = sts_spearman(base.encoder, sts) if sts else 0.0
    for seed in range(arguments.seeds):
        questions = Questions(base, seed)
        for name in arguments.sets:
            lesson = Lesson(base, name, seed, questions, sts, before)
            for way in ways:
                wanted.append(key := lesson.key(way))
                if key not in ledger:
                    sys.stderr.write(f"{name}, {way}, seed {seed}\n")
                    ledger.add(key, WAYS[way](lesson))
    command = f"python experiments/teach.py --model {arguments.model} --seeds {arguments.seeds}"
    report = make_report(ledger, wanted, command)
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    if set(arguments.sets) == set(names) and ways == tuple(WAYS):
        publish(text, arguments.out)
    sys.stdout.write(json.dumps(report["summary"], indent=1) + "\n")


def _parser(names: list[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="general")
    parser.add_argument("--sets", nargs="+", choices=names, default=names)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--instant-only", action="store_true", help="without retraining")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of ledger and report")
    return parser


if __name__ == "__main__":
    main()
