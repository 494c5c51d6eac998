"""The paper's own data set from the hub: its data files are read, none of its code is run.

What the files hold is mapped to pairs: labels as names or as the numbers of the set's features,
sentences in lower case and without a final full stop, so that all files agree. The set names no
relation; where both sentences fit one of the 14 templates it is recognised from them.

pandas and pyarrow read the files, which are dependencies anyway: the package `datasets` would bring
a dozen more, and give neither the counts of what was left out nor parts by the names of files.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any

from symdemo.data.relations import RELATIONS
from symdemo.errors import InputError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL, Pair, check_sentence

REPOSITORY = "MoyYuan/Asymmetricity-Text-NLI"
LICENCE = "facts are Wikidata's (CC0); see the set's page for the rest"

NUMBERED_LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION)
"""What 0, 1 and 2 mean where the set's features do not say: the usual order of NLI sets."""

NO_COLUMNS = "row of a file without premise, hypothesis and label"
UNKNOWN_LABEL = "label that is none of " + ", ".join(LABELS)
UNUSABLE = "sentence that cannot be used"
REPEATED = "row that was there before"

_ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
_PART_OF_WORD = {"train": "train", "test": "test"} | dict.fromkeys(
    ("validation", "valid", "val", "dev"), "validation"
)
_COLUMNS = ("premise", "hypothesis", "label")


@dataclass(frozen=True, slots=True)
class HubPairs:
    """Pairs of one part ("all" where the set has none), and how many rows gave none."""

    pairs: tuple[Pair, ...]
    part: str
    revision: str
    dropped: dict[str, int]


def download(repository: str) -> Path:
    """The folder with a set's data files: from the hub, or from the local cache without it.

    Raises:
        InputError: neither has them.
    """
    from huggingface_hub import snapshot_download

    wanted = ["README.md", *(f"*{ending}" for ending in _ENDINGS)]
    try:
        folder = snapshot_download(
            repository, repo_type="dataset", allow_patterns=wanted, etag_timeout=5
        )
    except Exception as error:  # the hub's client raises many types; all end in one sentence
        raise InputError(
            f"The data set {repository} is not on this machine and could not be had from the hub "
            f"({type(error).__name__}): connect once, give a local CSV or JSONL file of pairs, or "
            "use “facts”, which needs no network."
        ) from error
    return Path(folder)


def read_hub_pairs(repository: str = REPOSITORY, part: str = "all") -> HubPairs:
    """Read one part ("train", "test" or "all") of a set on the hub.

    Raises:
        InputError: the set cannot be had, lacks this part, or has no usable row.
    """
    folder = download(repository)
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _ENDINGS)
    files, part = _choose(found, folder, part, repository)
    named = _names_in_card(folder / "README.md")
    pairs: dict[Pair, None] = {}
    dropped: Counter[str] = Counter()
    seen: set[str] = set()
    for path in files:
        frame = _read_frame(path)
        frame.columns = [str(column).strip().lower() for column in frame.columns]
        seen.update(frame.columns)
        if not set(_COLUMNS) <= set(frame.columns):
            dropped[NO_COLUMNS] += len(frame)
            continue
        names = named or _names_in_parquet(path) or NUMBERED_LABELS
        for premise, hypothesis, value in frame[list(_COLUMNS)].itertuples(index=False):
            pair = _pair(premise, hypothesis, _label(value, names), dropped)
            if pair in pairs:
                dropped[REPEATED] += 1
            elif pair is not None:
                pairs[pair] = None
    if not pairs:
        counts = ", ".join(f"{n:,} × {why}" for why, n in dropped.items()) or "no rows"
        raise InputError(
            f"The data set {repository} has no usable row ({counts}); columns seen: "
            f"{', '.join(sorted(seen)) or 'none'}; expected: {', '.join(_COLUMNS)}."
        )
    return HubPairs(tuple(pairs), part, folder.name, dict(dropped))


def _choose(
    files: Sequence[Path], folder: Path, part: str, repository: str
) -> tuple[Sequence[Path], str]:
    """The files of a part, by the words of their names; all where no name tells of parts."""
    parts = {path: _part_of(path.relative_to(folder)) for path in files}
    there = sorted(set(filter(None, parts.values())))
    if part == "all" or not there:
        return files, "all"
    if part not in there:
        raise InputError(f"The data set {repository} has no part {part}; it has {there}.")
    return [path for path in files if parts[path] == part], part


def _part_of(path: Path) -> str | None:
    words = re.split(r"[^a-z]+", str(path).lower())
    return next((_PART_OF_WORD[word] for word in reversed(words) if word in _PART_OF_WORD), None)


def _read_frame(path: Path) -> Any:
    """A data frame of a file, with nothing guessed about its text."""
    import pandas

    try:
        match path.suffix.lower():
            case ".csv" | ".tsv":
                separator = "," if path.suffix.lower() == ".csv" else "\t"
                return pandas.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
            case ".parquet":
                return pandas.read_parquet(path)
            case ".json":
                rows = json.loads(path.read_text(encoding="utf-8"))
                return pandas.DataFrame(rows if isinstance(rows, list) else [])
            case _:
                return pandas.read_json(path, lines=True, dtype=False)
    except ImportError:
        raise InputError(
            f"{path.name} is a Parquet file and the package that reads them is not installed; "
            "pip install pyarrow."
        ) from None
    except (ValueError, OSError) as error:
        raise InputError(f"{path.name} cannot be read: {str(error).splitlines()[0]}.") from error


def _names_in_card(card: Path) -> tuple[str, ...] | None:
    """The label's names in the features that a set's card declares."""
    from huggingface_hub.repocard import metadata_load
    from yaml import YAMLError

    try:
        infos = (metadata_load(card) or {}).get("dataset_info") or []
        for info in infos if isinstance(infos, list) else [infos]:
            for feature in info.get("features") or []:
                if feature.get("name") == "label" and isinstance(feature.get("dtype"), dict):
                    names = feature["dtype"]["class_label"]["names"]
                    if isinstance(names, dict):
                        names = [names[key] for key in sorted(names, key=int)]
                    return tuple(map(str, names))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, YAMLError):
        pass  # a card is free text: without readable features the usual order holds
    return None


def _names_in_parquet(path: Path) -> tuple[str, ...] | None:
    """The label's names in the features that `datasets` writes into a Parquet file."""
    if path.suffix.lower() != ".parquet":
        return None
    try:
        from pyarrow.parquet import read_schema

        described = json.loads((read_schema(path).metadata or {})[b"huggingface"])
        return tuple(map(str, described["info"]["features"]["label"]["names"]))
    except (ImportError, ValueError, KeyError, TypeError):
        return None


def _label(value: Any, names: Sequence[str]) -> str | None:
    if isinstance(value, str):
        text = value.strip().casefold()
        if not text.isdigit():
            return text if text in LABELS else None
        value = int(text)
    if not isinstance(value, Real) or not isfinite(value) or value not in range(len(names)):
        return None
    name = names[int(float(value))].casefold()
    return name if name in LABELS else None


def _pair(premise: Any, hypothesis: Any, label: str | None, dropped: Counter[str]) -> Pair | None:
    if label is None:
        dropped[UNKNOWN_LABEL] += 1
        return None
    try:
        premise, hypothesis = (_plain(check_sentence(text)) for text in (premise, hypothesis))
    except InputError:
        dropped[UNUSABLE] += 1
        return None
    return Pair(premise, hypothesis, label, *recognise(premise, hypothesis))


def _plain(sentence: str) -> str:
    return sentence.lower().rstrip(". ")


def recognise(premise: str, hypothesis: str) -> tuple[str, str, str] | tuple[None, None, None]:
    """Relation, head and tail of two lower-case sentences that are each other's swap.

    Both have to fit the same template with their ends exchanged, so that a name which happens to
    hold another relation's words misleads nobody. A full stop that ends a name ("u.s.") is lost
    where the name ends the sentence, and is taken from the other one.
    """
    for relation in RELATIONS:
        place, words, _ = re.split(r"(?<=\])(.+)(?=\[)", relation.template)
        words, last = words.lower(), _plain(relation.template.rsplit("]", maxsplit=1)[1])
        for first, second in _ends(premise, words, last):
            for other_first, other_second in _ends(hypothesis, words, last):
                if (first.rstrip("."), second) == (other_second, other_first.rstrip(".")):
                    both = (first, other_first)
                    return relation.id, *(both if place == "[X]" else both[::-1])
    return None, None, None


def _ends(sentence: str, words: str, last: str) -> Iterator[tuple[str, str]]:
    """Every way to read a sentence as first + words + second + last, both ends not empty."""
    if not sentence.endswith(last):
        return
    stem = sentence.removesuffix(last)
    start = stem.find(words, 1)
    while start != -1:
        second = stem[start + len(words) :]
        if second:
            yield stem[:start], second.rstrip(".")
        start = stem.find(words, start + 1)
