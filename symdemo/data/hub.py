"""Read the paper's own data set, or another, from the hub: its data files alone, none of its code.

Labels may be names or the numbers of the set's features; sentences of the paper's set are put in
lower case without the final full stop, so that all files agree. It names no relations; if both
sentences fit one of the 14 templates, the relation is recognised.

The package `datasets` would bring a dozen dependencies, and neither count the rows that are left
out nor find parts by file names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from symdemo.data.columns import USUAL_ORDER, read_label
from symdemo.data.relations import RELATIONS
from symdemo.data.tables import TableFile
from symdemo.data.text_rows import ENDINGS
from symdemo.errors import InputError
from symdemo.pairs import LABELS, NOT_ENTAILMENT, Pair, check_sentence

REPOSITORY = "MoyYuan/Asymmetricity-Text-NLI"
LICENCE = "facts are Wikidata's (CC0); see the set's page for the rest"

NO_COLUMNS = "row of a file without premise, hypothesis and label"
UNKNOWN_LABEL = "label that is none of " + ", ".join(LABELS)
UNUSABLE = "sentence that cannot be used"
REPEATED = "row that was there before"

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

    wanted = ["README.md", *(f"*{ending}" for ending in ENDINGS)]
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


def read_hub_pairs(repository: str = REPOSITORY, part: str = "all", plain: bool = True) -> HubPairs:
    """Read one part ("train", "test" or "all") of a set on the hub.

    Args:
        plain: whether sentences are put in lower case without the final full stop.

    Raises:
        InputError: the set cannot be had, lacks this part, or has no usable row.
    """
    folder = download(repository)
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS)
    files, part = _choose(found, folder, part, repository)
    named = _names_in_card(folder / "README.md")
    if named is None and repository == REPOSITORY:
        named = USUAL_ORDER
    pairs: dict[Pair, None] = {}
    dropped: Counter[str] = Counter()
    seen: set[str] = set()
    for path in files:
        table = TableFile(path, headed=True, max_bytes=None)
        seen.update(table.columns)
        mapping = table.guess(_COLUMNS)
        complete = len(mapping) == len(_COLUMNS)
        meanings = _meanings(table, mapping.get("label"), named)
        for row in table.rows(mapping.values() if complete else None):
            if not complete or row.error:
                dropped[NO_COLUMNS] += 1
                continue
            premise, hypothesis, label = (row.cells[mapping[name]] for name in _COLUMNS)
            pair = _pair(premise, hypothesis, _label(label, meanings), dropped, plain)
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


def _meanings(table: TableFile, column: str | None, named: Sequence[str] | None) -> dict[str, str]:
    """Return what the words for labels mean, by the set's card, the file or the set's columns."""
    own = table.label_names or {str(n): name for n, name in enumerate(named or ())}
    return table.label_meanings(column, {n: name for n, name in own.items() if n != name})


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


def _label(text: str, meanings: Mapping[str, str]) -> str | None:
    try:
        label = read_label(text.strip(), meanings)
    except InputError:  # it is mistyped
        return None
    return label if label in (*LABELS, NOT_ENTAILMENT) else None


def _pair(
    premise: str, hypothesis: str, label: str | None, dropped: Counter[str], plain: bool
) -> Pair | None:
    if label is None:
        dropped[UNKNOWN_LABEL] += 1
        return None
    try:
        premise, hypothesis = (check_sentence(text) for text in (premise, hypothesis))
    except InputError:
        dropped[UNUSABLE] += 1
        return None
    if not plain:
        return Pair(premise, hypothesis, label)
    premise, hypothesis = _plain(premise), _plain(hypothesis)
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
