"""Read the paper's own data set from the hub: its data files alone, none of its code.

Labels may be names or the numbers of the set's features; sentences are put in lower case without
the final full stop, so that all files agree. The set names no relations; if both sentences fit one
of the 14 templates, the relation is recognised.

The package `datasets` would bring a dozen dependencies, and neither count the rows that are left
out nor find parts by file names.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from symdemo.data.relations import RELATIONS
from symdemo.data.tables import PARQUET, TEXT_ENDINGS, TableFile, cell_text
from symdemo.errors import InputError
from symdemo.pairs import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL, Pair, check_sentence

REPOSITORY = "MoyYuan/Asymmetricity-Text-NLI"
LICENCE = "facts are Wikidata's (CC0); see the set's page for the rest"

NUMBERED_LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION)
"""Meaning of 0, 1 and 2 unless the set's features say otherwise: the usual order of NLI sets."""

NO_COLUMNS = "row of a file without premise, hypothesis and label"
UNKNOWN_LABEL = "label that is none of " + ", ".join(LABELS)
UNUSABLE = "sentence that cannot be used"
REPEATED = "row that was there before"

_ENDINGS = (*TEXT_ENDINGS, ".json", PARQUET)
_PART_OF_WORD = {"train": "train", "test": "test"} | dict.fromkeys(
    ("validation", "valid", "val", "dev"), "validation"
)
_COLUMNS = ("premise", "hypothesis", "label")


@dataclass(frozen=True, slots=True)
class HubPairs:
    """Pairs of one part ("all" if the set has no parts), and reason → rows without a pair."""

    pairs: tuple[Pair, ...]
    part: str
    revision: str
    dropped: dict[str, int]


def download(repository: str) -> Path:
    """Download a set's data files, or find them in the local cache, and return their folder.

    Raises:
        InputError: they are in neither.
    """
    from huggingface_hub import snapshot_download

    wanted = ["README.md", *(f"*{ending}" for ending in _ENDINGS)]
    try:
        folder = snapshot_download(
            repository, repo_type="dataset", allow_patterns=wanted, etag_timeout=5
        )
    except Exception as error:  # the hub's client raises many types; all end in one sentence
        raise InputError(
            f"The data set {repository} is not on this machine and cannot be had from the hub "
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
        names = named or _names_in_parquet(path) or NUMBERED_LABELS
        for cells in _read_rows(path):
            seen.update(cells)
            if not set(_COLUMNS) <= set(cells):
                dropped[NO_COLUMNS] += 1
                continue
            premise, hypothesis, label = (cells[name] for name in _COLUMNS)
            pair = _pair(premise, hypothesis, _label(label, names), dropped)
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
    """Return the files of a part, by the words in their names; all if no name has such a word."""
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


def _read_rows(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a file as text by column, in lower case; a broken row has no cells."""
    if path.suffix.lower() != ".json":
        table = TableFile(path, endings=_ENDINGS, max_bytes=None)
        names = [name for name in table.columns if name.strip().lower() in _COLUMNS]
        for row in table.rows(names if len(names) == len(_COLUMNS) else None):
            yield {name.strip().lower(): cell for name, cell in row.cells.items()}
        return
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise InputError(f"{path.name} cannot be read: {str(error).splitlines()[0]}.") from error
    for row in rows if isinstance(rows, list) else []:
        values = row if isinstance(row, dict) else {}
        yield {str(name).strip().lower(): cell_text(v) or "" for name, v in values.items()}


def _names_in_card(card: Path) -> tuple[str, ...] | None:
    """Return the names of the labels in the features that a set's card declares."""
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
        pass  # a card is free text
    return None


def _names_in_parquet(path: Path) -> tuple[str, ...] | None:
    """Return the names of the labels that `datasets` writes into a Parquet file."""
    if path.suffix.lower() != PARQUET:
        return None
    try:
        from pyarrow.parquet import read_schema

        described = json.loads((read_schema(path).metadata or {})[b"huggingface"])
        return tuple(map(str, described["info"]["features"]["label"]["names"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _label(text: str, names: Sequence[str]) -> str | None:
    name = text.strip().casefold()
    if name.isdecimal() and int(name) < len(names):
        name = names[int(name)].casefold()
    return name if name in LABELS else None


def _pair(premise: str, hypothesis: str, label: str | None, dropped: Counter[str]) -> Pair | None:
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
    """Return relation, head and tail of two lower-case sentences that are each other's swap.

    Both have to fit the same template with their arguments exchanged, in case a name contains the
    words of another relation. The full stop of a name ("u.s.") is lost at the end of a sentence,
    and is taken from the other sentence.
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
    """Yield every way to read a sentence as first + words + second + last."""
    if not sentence.endswith(last):
        return
    stem = sentence.removesuffix(last)
    start = stem.find(words, 1)
    while start != -1:
        second = stem[start + len(words) :]
        if second:
            yield stem[:start], second.rstrip(".")
        start = stem.find(words, start + 1)
