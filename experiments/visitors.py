"""What visitors type: is the swap the expected one, and is the verdict right?

`natural_sentences.csv` and `swaps.csv` have sentences with all their right swaps; a sentence with
none should be refused. A swap is right if it equals one of these, up to white space and the kind of
apostrophe. The baseline exchanges the first and the last noun phrase. Most rows of `swaps.csv` also
have a verdict; it is empty where another reader might well differ. `general` is taught them, but
for those held out, which are measured.

`questions.csv` has sentences with right swaps and a verdict, answered as on the page; the part
`first` was written as visitors of many kinds may type them first. An answer is right if its swap is
one of these, up to capitals and the full stop, and its verdict is right; `wrong_and_sure` counts
wrong answers that are shown as certain. Two baselines give verdicts only: the commonest label, and
word 1-to-3-grams taught the same pairs as `general`.

Only parts of these files are measured here: the ranker of swaps learns from the others.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from experiments.baselines import fit_ngrams, masked, ngram_shares
from experiments.recipes.general import shown_kinds, training_pairs
from experiments.runner import main
from experiments.scoring import share
from experiments.splits import REPLACED
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.asking import ask, read
from symdemo.data.bank import load_kinds, shipped_bank
from symdemo.errors import InputError
from symdemo.pairs import LABELS, Pair, labels_of
from symdemo.swapping import Swap, swap, swap_many
from symdemo.swapping.lexicon import capitalise, lower_first
from symdemo.swapping.parsing import parse

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

HERE = Path(__file__).parent
WORDS, CONSTANT = "word 1-to-3-grams", "commonest label"
NONE = "none"
"""Listed among the right swaps of a sentence that may be refused as well."""


class Sentence(NamedTuple):
    """A sentence with all its right swaps, the best one first."""

    text: str
    right: tuple[str, ...]

    @property
    def refusable(self) -> bool:
        """True if refusing to swap it is right."""
        return not self.right or NONE in self.right


def cells() -> list[dict[str, Any]]:
    """Return a cell for each file of swaps, and for each model or baseline of the questions."""
    swaps = [
        {"file": "natural_sentences", "split": "test"}, {"file": "swaps", "split": "held out"}
    ]  # fmt: skip
    asked = product(("test", "first"), (CONSTANT, WORDS, "general"))
    given = (swaps[1] | {"model": name} for name in (CONSTANT, WORDS, "general", "pairs"))
    return [*swaps, *({"split": split, "model": name} for split, name in asked), *given]


def measure(cell: Mapping[str, str]) -> dict[str, Any]:
    """Measure a cell: verdicts of a model, or shares of right swaps with 95% intervals."""
    if "model" in cell and "file" in cell:
        return verdicts(everyday_pairs(cell["split"]), cell["model"])
    if "model" in cell:
        return questions(read_rows(HERE / "questions.csv", cell["split"]), cell["model"])
    rows = sentences(read_rows(HERE / f"{cell['file']}.csv", cell["split"]))
    right, sure = [], []
    for row, made in zip(rows, swap_many(row.text for row in rows), strict=True):
        if isinstance(made, InputError):
            right.append(row.refusable)
            sure.append(False)
        else:
            right.append(is_right(row, made.hypothesis))
            sure.append(made.sure)
    swappable = [bool(row.right) for row in rows]
    return {
        "all": {
            "sentences": len(rows),
            "exact": share(np.array(right)[swappable]),
            "wrong and sure": share(np.array(sure) & ~np.array(right)),
        },
        "baseline": share([is_right(row, ends_exchanged(row.text)) for row in rows if row.right]),
    }


def read_rows(path: Path, *splits: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file whose column `split` is among `splits`; “” if it has none."""
    rows: Any = pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
    return [row for row in rows if row.get("split", "") in splits]


def sentences(rows: Sequence[Mapping[str, str]]) -> list[Sentence]:
    """Return the sentences of a table."""
    found = []
    for row in rows:
        written = [row["swapped"], *row.get("also", "").split(" | ")]
        found.append(Sentence(row["sentence"], tuple(filter(None, map(str.strip, written)))))
    return found


def is_right(row: Sentence, hypothesis: str) -> bool:
    """True if a swapped sentence is one of the right ones."""

    def plain(text: str) -> str:
        return " ".join(text.replace("’", "'").split())

    return plain(hypothesis) in map(plain, row.right)


def ends_exchanged(sentence: str) -> str:
    """Return the baseline's swap: first and last noun phrase exchanged, capitals corrected."""
    chunks = list(parse(sentence).noun_chunks)
    if len(chunks) < 2:
        return sentence
    first, last = chunks[0], chunks[-1]
    back = first.text if first[0].tag_.startswith("NNP") else lower_first(first.text)
    start, stop = sentence[: first.start_char], sentence[last.end_char :]
    return capitalise(start + last.text + sentence[first.end_char : last.start_char] + back + stop)


# Questions


def questions(rows: Sequence[Mapping[str, str]], name: str) -> dict[str, Any]:
    """Return the shares of questions that a model or baseline answers rightly, with intervals."""
    labels = np.array([row["verdict"] for row in rows])
    if name == CONSTANT:
        label, _ = Counter(labels.tolist()).most_common(1)[0]
        return {"n": len(rows), "verdict_right": share(labels == label), "label": label}
    if name == WORDS:
        shares = ngram_shares(_ngrams(), [_phrasing(row["sentence"]) for row in rows])
        right = np.array(LABELS)[shares.argmax(axis=1)] == labels
        return {"n": len(rows), "verdict_right": share(right)}
    models = [SymmetryClassifier.from_pretrained(one) for one in (name, "pairs")]
    asked = zip(sentences(rows), labels, strict=True)
    swapped, judged, sure = np.array([judge(models, row, label) for row, label in asked]).T
    right = swapped & judged
    return {
        "n": len(rows),
        "swap_right": share(swapped),
        "verdict_right": share(judged),
        "right": share(right),
        "sure": share(sure),
        "wrong_and_sure": share(sure & ~right),
    }


def everyday_pairs(split: str) -> list[Pair]:
    """Return the sentences of a part of `swaps.csv` that have a verdict, with their swaps."""
    return [
        Pair(row["sentence"], row["swapped"], row["verdict"])
        for row in read_rows(HERE / "swaps.csv", split)
        if row["verdict"] and not row["sentence"].endswith("?")
    ]


def verdicts(pairs: Sequence[Pair], name: str) -> dict[str, Any]:
    """Return the share of verdicts on given swaps that a model or baseline has right."""
    if name in {CONSTANT, WORDS}:
        rows = [{"sentence": str(pair.premise), "verdict": str(pair.label)} for pair in pairs]
        return questions(rows, name)
    found = SymmetryClassifier.from_pretrained(name).predict(pairs).verdict_labels
    return {"n": len(pairs), "verdict_right": share(np.array(found) == labels_of(pairs))}


def judge(
    models: Sequence[SymmetryClassifier], row: Sentence, label: str
) -> tuple[bool, bool, bool]:
    """Return if the page's swap is right, if its verdict is, and if it seems sure.

    The second model confirms verdicts of the first, as on the page.
    """
    try:
        answer = ask(models[0], [read(row.text)], pairs=lambda: models[1])[0]
    except InputError:
        return False, False, False
    swapped = _plain(answer.prediction.pair.hypothesis) in map(_plain, row.right)
    return swapped, answer.prediction.label == label, answer.sure


def _plain(sentence: str) -> str:
    return sentence.casefold().replace("’", "'").rstrip(".?! ")


@cache
def _ngrams() -> Pipeline:
    """Return the word baseline, taught what `general` is: bank, kinds and everyday sentences."""
    bank, kinds = shipped_bank(), load_kinds()
    relations = [relation for relation in bank.relations if relation.id not in REPLACED]
    everyday = everyday_pairs("development")
    named = []
    for pair, found in zip(everyday, swap_many(p.premise for p in everyday), strict=True):
        if isinstance(found, Swap):
            one = replace(pair, relation=pair.premise, head=found.subject, tail=found.object)
            with suppress(InputError):  # “he” is no word of “hes taller than me”
                masked(one)
                named.append(one)
    taught = [*training_pairs(bank, relations, 0), *shown_kinds(kinds, 0), *named]
    every = [*bank.relations, *(r for kind in kinds for r in kind.bank.relations)]
    groups = {relation.id: relation.group for relation in every}
    return fit_ngrams(taught, groups | {pair.premise: pair.premise for pair in named})


def _phrasing(sentence: str) -> str:
    """Return the sentence with [X] and [Y], so that no word of a name counts."""
    try:
        return swap(sentence).relation
    except InputError:
        return sentence


if __name__ == "__main__":
    sys.exit(main(__doc__, "visitors", cells, measure))
