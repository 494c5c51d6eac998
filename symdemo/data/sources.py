"""Load labelled pairs by name or by path.

| name                             | content                                         | parts       |
|----------------------------------|-------------------------------------------------|-------------|
| `facts`                          | the project's own facts, both directions        | train, test |
| `facts-delexicalized`            | the same with ids in the place of names         | train, test |
| `asymmetricity`, or its hub id   | the paper's data set, from the hub or its cache | as it has   |
| a folder by `symdemo dataset`    | pairs made from Wikidata5m's files              | train, test |
| a folder with Wikidata5m's files | the same, made on the spot                      | train, test |
| any other hub id                 | premise, hypothesis, label, from hub or cache   | as it has   |
| a file that `TableFile` reads    | premise, hypothesis, label[, relation …]        | none        |
| `-`                              | the same, from standard input                   | none        |

No unordered entity pair is in both parts of a source that the project splits itself. Names come
first: write ./facts for a file or folder of that name.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from symdemo.data.hub import REPOSITORY, read_hub_pairs
from symdemo.data.pair_files import ALL, Build, PairData, load_pairs, read_pairs
from symdemo.data.relations import HELD_OUT_SHARE, Fact, load_facts, pairs_of_facts, split_facts
from symdemo.data.wikidata import FORMAT, MADE_TEST_SHARE, MANIFEST, PARTS, pairs_file, read_facts
from symdemo.data.wikidata import LICENCE as WIKIDATA_LICENCE
from symdemo.errors import InputError
from symdemo.text import shorten

NAMES = ("facts", "facts-delexicalized", "asymmetricity")
FACTS_LICENCE = "Apache-2.0, as all of symdemo; ids are Wikidata's (CC0)"
_TRIPLES = ("wikidata5m_all_triplet.txt", "triplet.txt")
_ENTITIES = ("wikidata5m_entity.txt", "entity.txt")


def load_data(
    name: str | Path,
    part: str = ALL,
    strict: bool = False,
    label_names: Mapping[str, str | None] | None = None,
    systems: Sequence[str] = (),
    build: Build | None = None,
) -> PairData:
    """Load labelled pairs by name, file or folder; see the table at the head of this module.

    The part is "train", "test" or "all"; the other arguments are for files, as in `read_pairs`.
    `InputError` if there is no such data, or it cannot be used.
    """
    if part not in (*PARTS, ALL):
        raise InputError(f"The part is “{part}”; expected: {', '.join((*PARTS, ALL))}.")
    if systems and name != "-" and (name in NAMES or not Path(name).is_file()):
        raise InputError(
            f"“{shorten(str(name))}” is not a file; only a file has columns of predictions, such "
            f"as “{shorten(systems[0], 30)}”."
        )
    read = partial(
        read_pairs,
        labels=None,
        strict=strict,
        label_names=label_names,
        systems=systems,
        build=build,
    )
    if name in ("facts", "facts-delexicalized"):
        facts = _one_part(load_facts(), part, HELD_OUT_SHARE)
        pairs = pairs_of_facts(facts, delexicalized=name != "facts")
        return PairData(str(name), tuple(pairs), part, "assets/facts.csv", FACTS_LICENCE)
    if name in ("asymmetricity", REPOSITORY):
        return replace(read_hub_pairs(REPOSITORY, part), name=str(name))
    if name == "-":
        with _standard_input() as path:
            return replace(read(path), name="-", source="standard input")
    path = Path(name)
    if path.is_dir():
        return _folder(path, part)
    if not path.exists() and re.fullmatch(r"[\w.-]+/[\w.-]+", str(name)) and not path.suffix:
        return read_hub_pairs(str(name), part, plain=False)
    if not path.is_file() and not path.suffix:
        raise InputError(
            f"There is no data “{shorten(str(name))}”; expected a file of pairs, a folder made by "
            f"`symdemo dataset`, a hub id, or one of: {', '.join(NAMES)}."
        )
    return read(path)


@contextmanager
def _standard_input() -> Iterator[Path]:
    """Write standard input to a file, with the ending that its first bytes tell."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "standard input"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        with path.open("rb") as file:
            head = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
        starts = {b"{": ".jsonl", b"[": ".json", b"PAR1": ".parquet", b"PK": ".xlsx"}
        ending = next((own for start, own in starts.items() if head.startswith(start)), ".csv")
        yield path.rename(path.with_suffix(ending))


def _folder(folder: Path, part: str) -> PairData:
    if (folder / MANIFEST).is_file():
        return _made_folder(folder, part)
    triples, entities = _first_of(folder, _TRIPLES), _first_of(folder, _ENTITIES)
    if triples is None or entities is None:
        raise InputError(
            f"The folder {folder} has no {MANIFEST}, nor Wikidata5m's {_TRIPLES[0]} with "
            f"{_ENTITIES[0]}; expected one or the other."
        )
    extract = read_facts(triples, entities)
    pairs = pairs_of_facts(_one_part(extract.facts, part, MADE_TEST_SHARE))
    source = f"{triples.name} and {entities.name} of Wikidata5m"
    return PairData(str(folder), tuple(pairs), part, source, WIKIDATA_LICENCE, extract.dropped)


def _made_folder(folder: Path, part: str) -> PairData:
    try:
        content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        seen, inputs, dropped = content["format"], content["inputs"], content["dropped"]
        source = " and ".join(f"{i['file']} ({i['sha256'][:12]}…)" for i in inputs.values())
        licence = content["licence"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{MANIFEST} in {folder.name} is not of `symdemo dataset`.") from None
    if seen != FORMAT:
        raise InputError(f"{folder.name} has the format “{seen}”; expected “{FORMAT}”.")
    parts = PARTS if part == ALL else (part,)
    pairs = tuple(
        pair for own in parts for pair in load_pairs(folder / pairs_file(own), strict=True)
    )
    return PairData(str(folder), pairs, part, f"made from {source}", licence, dropped)


def _one_part(facts: Sequence[Fact], part: str, test_share: float) -> Sequence[Fact]:
    return facts if part == ALL else split_facts(facts, test_share)[PARTS.index(part)]


def _first_of(folder: Path, names: Sequence[str]) -> Path | None:
    paths = (folder / f"{name}{ending}" for name in names for ending in ("", ".gz"))
    return next((path for path in paths if path.is_file()), None)
