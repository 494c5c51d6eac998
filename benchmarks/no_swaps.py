"""Is a pair of sentences a swap at all? What `symdemo.swapping.exchanged` recognises, and rivals.

    python benchmarks/no_swaps.py [--file PAIRS.csv] [--model general] [--sample 1000]

Sets of true swaps give false alarms; pairs that are none give the share recognised, by the kind of
edit. Beside it stand the same bag of words, the swap that `symdemo.swap` makes, the distance to
what the model was taught, and the last together with the recogniser, which is what the app shows.
The recogniser is asked about all pairs, the others about at most `--sample` of a set. Writes
benchmarks/results/no_swaps.json; public data that are not here are skipped, and the file says so.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import checkout  # noqa: F401

from symdemo import swapping
from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.familiarity import nearest_distances
from symdemo.data.bank import RelationBank, bank_names, load_bank
from symdemo.data.bank_phrasings import fill, finish
from symdemo.data.relations import load_facts, pairs_of_facts
from symdemo.errors import InputError
from symdemo.evaluation.intervals import wilson
from symdemo.evaluation.sentences.sts import load_sts
from symdemo.files.paths import ASSETS, measuring_data
from symdemo.files.provenance import provenance
from symdemo.pairs import Pair
from symdemo.swapping import exchanged

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "no_swaps.json"
EDITED = HERE / "edited_pairs.csv"
EXCHANGED, UNFAMILIAR = "exchanged", "unfamiliar"
SEED = 0

Judge = Callable[[Sequence[Pair]], list[bool]]
"""Says of each pair whether it is called no swap."""


@dataclass(frozen=True)
class PairSet:
    """Pairs of one kind: all of them swaps, or none."""

    name: str
    is_swap: bool
    pairs: Sequence[Pair]


def main() -> None:
    """Measure all sets, print a line for each, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=EDITED)
    parser.add_argument("--model", default="general")
    parser.add_argument("--sample", type=int, default=1000)
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()

    model = SymmetryClassifier.from_pretrained(arguments.model)
    rivals = {"same_words": same_words, "symdemo_swap": other_than_swap}
    bank = load_bank()
    sets = [*edited(arguments.file), *swaps(bank), *mechanical(bank, arguments.sample)]
    public, skipped = public_sets()
    exchanged("Ann sees Bbo.", "Bob sees Ann.")  # loads the dictionary, whose time is no pair's
    rows = []
    for pair_set in [*sets, *public]:
        rows.append(measure(pair_set, rivals, model, arguments.sample))
        print(line(rows[-1]), flush=True)
    report = {
        "made_by": provenance("swapping", "benchmarks/edited_pairs.csv"),
        "model": arguments.model,
        "familiar_within": model.card.familiar_within,
        "sample": arguments.sample,
        "rows": rows,
        "skipped": skipped,
    }
    arguments.results.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def measure(
    pair_set: PairSet, rivals: Mapping[str, Judge], model: SymmetryClassifier, sample: int
) -> dict:
    """How many pairs of a set are called no swap: by the recogniser, its rivals, and both."""
    start = process_time()
    found = [not exchanged(pair.premise, pair.hypothesis).is_swap for pair in pair_set.pairs]
    seconds = process_time() - start
    places: Sequence[int] = range(len(found))
    if len(found) > sample:
        places = sorted(random.Random(SEED).sample(places, sample))
    asked = [pair_set.pairs[n] for n in places]
    called = {name: judge(asked) for name, judge in rivals.items()}
    called[UNFAMILIAR] = list(nearest_distances(model, asked) > model.card.familiar_within)
    either = [found[n] or far for n, far in zip(places, called[UNFAMILIAR], strict=True)]
    called = {EXCHANGED: found, f"{EXCHANGED}_or_{UNFAMILIAR}": either, **called}
    return {
        "set": pair_set.name,
        "is_swap": pair_set.is_swap,
        "pairs": len(found),
        "milliseconds_a_pair": round(1000 * seconds / len(found), 3),
        "called_no_swap": {name: share(answers) for name, answers in called.items()},
    }


def share(answers: Sequence[bool]) -> dict:
    """The share that is true, with its Wilson interval."""
    n, true = len(answers), sum(map(bool, answers))
    low, high = wilson(true, n)
    return {"n": n, "called": true, "share": true / n, "low": low, "high": high}


def line(row: dict) -> str:
    """A row for the screen."""
    shares = (f"{name} {x['share']:.1%}" for name, x in row["called_no_swap"].items())
    sort = "swaps" if row["is_swap"] else "no swaps"
    return f"{row['set']} ({row['pairs']:,} {sort}), called no swap: {', '.join(shares)}"


# What else could tell.


def same_words(pairs: Sequence[Pair]) -> list[bool]:
    """No swap: other words, or the same ones in the same order."""
    texts = [(_words(pair.premise), _words(pair.hypothesis)) for pair in pairs]
    return [one == two or Counter(one) != Counter(two) for one, two in texts]


def other_than_swap(pairs: Sequence[Pair]) -> list[bool]:
    """No swap: another sentence than `symdemo.swap` makes of the premise."""
    return [_words(_swapped(pair.premise)) != _words(pair.hypothesis) for pair in pairs]


def _swapped(sentence: str) -> str:
    try:
        return swapping.swap(sentence).hypothesis
    except InputError:
        return ""


def _words(sentence: str) -> list[str]:
    return re.findall(r"\w+", sentence.lower())


# The pairs.


def edited(path: Path) -> Iterator[PairSet]:
    """Pairs written by hand, by half of the file and kind of edit, and each half in all.

    Raises:
        InputError: no such file, or a row without the columns that are expected.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}; edited pairs are expected.")
    groups: dict[tuple[str, bool, str], list[Pair]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            missing = {"premise", "hypothesis", "is_swap", "edit"} - row.keys()
            if missing or row["is_swap"] not in {"yes", "no"}:
                raise InputError(
                    f"{path.name} has {row}; premise, hypothesis, is_swap (yes or no) and edit "
                    "are expected."
                )
            pair = Pair(row["premise"], row["hypothesis"])
            for edit in (row["edit"], "in all"):
                groups[row.get("split", "all"), row["is_swap"] == "yes", edit].append(pair)
    for (split, is_swap, edit), pairs in sorted(groups.items()):
        yield PairSet(f"written by hand, {split}: {edit}", is_swap, pairs)


def swaps(bank: RelationBank) -> Iterator[PairSet]:
    """All true swaps that the project has."""
    yield PairSet("bank", True, bank.pairs())
    yield PairSet("bank, modified", True, bank.pairs(seed=1, modified=1.0))
    yield PairSet("bank, a typing error", True, [_with_slip(pair) for pair in bank.pairs(seed=3)])
    yield PairSet(
        "bank, in small letters", True, [_in_small_letters(p) for p in bank.pairs(seed=4)]
    )
    yield PairSet("facts", True, pairs_of_facts(load_facts()))
    for name in ("free_sentences", "blind_sentences"):
        pairs = [Pair(r["premise"], r["hypothesis"]) for r in _rows(ASSETS / f"{name}.csv")]
        yield PairSet(name, True, pairs)
    rows = _rows(HERE.parent / "tests" / "swapping" / "swap_sentences.csv")
    yield PairSet("swap_sentences", True, [Pair(r["sentence"], r["swapped"]) for r in rows])
    rows = [row for path in sorted((HERE / "teach_sets").glob("*.csv")) for row in _rows(path)]
    join = swapping.join
    pairs = [
        Pair(join(r["subject"], r["relation"], r["object"]),
             join(r["object"], r["relation"], r["subject"]))
        for r in rows
    ]  # fmt: skip
    yield PairSet("teach_sets", True, pairs)


def _with_slip(pair: Pair) -> Pair:
    """The pair with two neighbouring letters within a long word of the hypothesis exchanged."""
    rng = random.Random(pair.hypothesis)
    long = list(re.finditer(r"[^\W\d_]{6,}", pair.hypothesis))
    if not long:
        return pair
    match = rng.choice(long)
    place = rng.randrange(match.start() + 1, match.end() - 1)
    text = pair.hypothesis
    return Pair(pair.premise, text[:place] + text[place + 1] + text[place] + text[place + 2 :])


def _in_small_letters(pair: Pair) -> Pair:
    return Pair(pair.premise, pair.hypothesis.lower().removesuffix("."))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


_TENSES = {"is": "was", "are": "were", "was": "is", "were": "are", "has": "had", "does": "did"}
_TENSED = re.compile(rf"\b(?:{'|'.join(_TENSES)})\b")
_CARRIES_NOT = re.compile(r"\b(?:is|are|was|were|can|will|would|must|may)\b(?! not\b|n't)")


def mechanical(bank: RelationBank, sample: int) -> Iterator[PairSet]:
    """Swaps of the bank with one edit each; what an edit does not fit is left out."""
    rng = random.Random(SEED)
    pairs = bank.pairs(seed=2)
    rng.shuffle(pairs)
    del pairs[5 * sample :]
    phrasings = {relation.id: relation.phrasings for relation in bank.relations}
    edits: dict[str, Callable[[Pair], str]] = {
        "not": lambda p: _CARRIES_NOT.sub(r"\g<0> not", p.hypothesis, count=1),
        "tense": lambda p: _TENSED.sub(lambda m: _TENSES[m[0]], p.hypothesis, count=1),
        "entity": lambda p: p.hypothesis.replace(str(p.tail), _stranger(p, rng)),
        "relation": lambda p: _other_relation(p, phrasings, rng),
        "nothing exchanged": lambda p: p.premise.removesuffix("."),
        "unrelated": lambda p: rng.choice(pairs).hypothesis,
    }
    yield PairSet("bank, edited: a modifier moved", False, moved_modifiers(bank)[:sample])
    for name, edit in edits.items():
        changed = [Pair(p.premise, edit(p)) for p in pairs]
        kept = [
            new for new, old in zip(changed, pairs, strict=True) if new.hypothesis != old.hypothesis
        ]
        yield PairSet(f"bank, edited: {name}", False, kept[:sample])


def moved_modifiers(bank: RelationBank) -> list[Pair]:
    """Sentences with a place or date in front, and the same with it at their end."""
    pairs = []
    for pair in bank.pairs(seed=2, modified=1.0):
        front, comma, rest = pair.premise.partition(", ")
        if comma and "," not in rest and front.startswith(("In ", "On ", "At ", "During ")):
            statement = f"{rest.removesuffix('.')} {front[0].lower()}{front[1:]}."
            pairs.append(Pair(pair.premise, statement[0].upper() + statement[1:]))
    return pairs


def _stranger(pair: Pair, rng: random.Random) -> str:
    """A name that the pair does not have."""
    return rng.choice([name for name in bank_names() if name not in {pair.head, pair.tail}])


def _other_relation(pair: Pair, phrasings: dict[str, tuple[str, ...]], rng: random.Random) -> str:
    """The parties of a pair, exchanged, in a phrasing of another relation."""
    other = rng.choice([name for name in phrasings if name != pair.relation])
    return finish(fill(rng.choice(phrasings[other]), str(pair.tail), str(pair.head)))


def public_sets() -> tuple[list[PairSet], dict[str, str]]:
    """Pairs of public data that are no swaps, the paper's swaps, and why any of them is missing."""
    sets, skipped = [], {}
    sources: dict[str, tuple[str, Callable[[Path], list[Pair]], bool]] = {
        "STS-B test": ("sts/sts-test.csv", _of_sts, False),
        "SNLI test": ("nli/snli_test.jsonl", _of_json, False),
        "MNLI matched": ("nli/mnli_matched_1k.jsonl", _of_json, False),
        "asymmetricity": ("asymmetricity_sample.jsonl", _of_json, True),
    }
    for name, (place, load, is_swap) in sources.items():
        path = measuring_data(place)
        if path:
            sets.append(PairSet(name, is_swap, [p for p in load(path) if _differ(p)]))
        else:
            skipped[name] = f"There is no {place} in the folder of public data (SYMDEMO_DATA)."
    return sets, skipped


def _of_sts(path: Path) -> list[Pair]:
    data = load_sts(path)
    return [Pair(*texts) for texts in zip(data.first, data.second, strict=True)]


def _of_json(path: Path) -> list[Pair]:
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Pair(row["premise"], row["hypothesis"]) for row in rows]


def _differ(pair: Pair) -> bool:
    """Namesakes make a sentence its own swap; such a pair says nothing."""
    return pair.premise.split() != pair.hypothesis.split()


if __name__ == "__main__":
    main()
