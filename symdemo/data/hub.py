"""Read the paper's data set, or another, from the hub: its data files and card, none of its code.

Sentences of the paper's set are put in lower case without the final full stop, so that all files
agree. That set names no relations; if both sentences fit one of the 14 templates, the relation is
recognised. The package `datasets` would bring a dozen dependencies, and would not count the rows
that are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

from symdemo.data.columns import USUAL_ORDER
from symdemo.data.pair_files import PairData, read_pairs
from symdemo.data.relations import RELATIONS, Relation
from symdemo.data.tables import TableFile
from symdemo.data.text_rows import ENDINGS
from symdemo.errors import InputError
from symdemo.pairs import Pair

REPOSITORY = "MoyYuan/Asymmetricity-Text-NLI"
LICENCE = "facts are Wikidata's (CC0); see the set's page for the rest"
NO_PAIRS = "file without a pair"
REPEATED = "row that was there before"

_PART_OF_WORD = {"train": "train", "test": "test"} | dict.fromkeys(
    ("validation", "valid", "val", "dev"), "validation"
)


def download(repository: str) -> Path:
    """Download a set's data files, or find them in the cache; `InputError` if in neither."""
    from huggingface_hub import snapshot_download

    wanted = ["README.md", *(f"*{ending}" for ending in ENDINGS)]
    try:
        folder = snapshot_download(
            repository, repo_type="dataset", allow_patterns=wanted, etag_timeout=5
        )
    except Exception as error:  # the hub's client raises many types; all end in one sentence
        raise InputError(
            f"The data set {repository} is not on this machine and cannot be fetched from the hub "
            f"({type(error).__name__}): connect once, give a local CSV or JSONL file of pairs, or "
            "use “facts”, which needs no network."
        ) from error
    return Path(folder)


def read_hub_pairs(repository: str = REPOSITORY, part: str = "all", plain: bool = True) -> PairData:
    """Read "train", "validation", "test" or "all" of a set on the hub, each pair once.

    The whole set if no file is named after a part. If `plain`, sentences are in lower case without
    the final full stop. `InputError` if there is no such set, part or usable row.
    """
    folder = download(repository)
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS)
    part_of = {path: _part_of(path.relative_to(folder)) for path in files}
    parts = sorted(set(filter(None, part_of.values())))
    if not parts:  # no name has such a word
        part = "all"
    elif part not in ("all", *parts):
        raise InputError(f"The data set {repository} has no part {part}; it has {parts}.")
    own_names = _names_in_card(folder / "README.md")
    names = own_names or (USUAL_ORDER if repository == REPOSITORY else ())
    pairs: dict[Pair, None] = {}
    dropped: Counter[str] = Counter()
    problem = "there are no files of pairs."
    for path in files:
        if part not in ("all", part_of[path]):
            continue
        try:
            table = TableFile(path, headed=True, max_bytes=None)
            numbered = table.label_names or {str(n): name for n, name in enumerate(names)}
            found = read_pairs(table, label_names={n: c for n, c in numbered.items() if n != c})
        except InputError as error:
            problem = str(error)
            dropped[NO_PAIRS] += 1
            continue
        own = [_plain(pair) for pair in found.pairs] if plain else found.pairs
        dropped.update(found.dropped)
        dropped[REPEATED] += len(own) - len({*own} - pairs.keys())
        pairs |= dict.fromkeys(own)
    if not pairs:
        raise InputError(f"The data set {repository} has no usable row: {problem}")
    source = f"{repository} on the hub, revision {folder.name[:12]}"
    licence = LICENCE if repository == REPOSITORY else "see the set's page"
    return PairData(repository, tuple(pairs), part, source, licence, dict(+dropped))


def _part_of(path: Path) -> str | None:
    """Return the part that a path names, by its last word for a part such as “dev”; else None."""
    words = re.split(r"[^a-z]+", str(path).lower())
    return next((_PART_OF_WORD[word] for word in reversed(words) if word in _PART_OF_WORD), None)


def _names_in_card(card: Path) -> tuple[str, ...] | None:
    """Return the names of labels 0, 1, … by the card of a data set; None if it has none."""
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


def _plain(pair: Pair) -> Pair:
    premise, hypothesis = (_lower(text) for text in (pair.premise, pair.hypothesis))
    return Pair(premise, hypothesis, pair.label, *recognise(premise, hypothesis))


def _lower(sentence: str) -> str:
    return sentence.lower().rstrip(". ")


def recognise(premise: str, hypothesis: str) -> tuple[str, str, str] | tuple[None, None, None]:
    """Return relation, head and tail of two lower-case sentences that are each other's swap.

    Both must fit one template, with the arguments exchanged: a name may contain the words of
    another relation. Return None three times if they fit none.
    """
    for relation in RELATIONS:
        if found := _swap_of(relation).fullmatch(f"{premise}\0{hypothesis}"):
            first, second = found[1] + found[2], found[3] + found[4]
            ends = (first, second) if relation.template.startswith("[X]") else (second, first)
            return relation.id, *ends
    return None, None, None


@cache
def _swap_of(relation: Relation) -> re.Pattern[str]:
    """Return the pattern of a sentence, NUL and its swap.

    Full stops are optional after a name ("Inc."), since one at the end of a sentence was removed.
    """
    _, between, end = re.split(r"\[[xy]\]", relation.template.lower())
    words, last = re.escape(between), re.escape(_lower(end))
    swap = rf"(.+?)(\.*){words}(.+?)\.*{last}\0\3(\.*){words}\1\.*{last}"
    return re.compile(swap, re.DOTALL)
