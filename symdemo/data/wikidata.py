"""Facts from Wikidata5m's files, and data set folders made of them: appendix A of the paper.

Only the triples of the wanted relations are kept, and only the labels of their entities. Every
triple without a fact is counted under its reason: triples = facts + dropped. A folder is written
whole or not at all:

    train.jsonl, test.jsonl                              pairs with the entities' labels
    train-delexicalized.jsonl, test-delexicalized.jsonl  the same pairs with ids in their place
    dataset.json                                         counts and sources

`load_pairs` reads each file. Both directions of an unordered entity pair, in every relation and in
both versions, are on one side of the split; entities with the same label count as one.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from pathlib import Path
from typing import Any

from symdemo import __version__
from symdemo.data.relations import RELATION_BY_ID, Entity, Fact, Relation, split_facts
from symdemo.errors import InputError
from symdemo.files.storage import write_folder
from symdemo.pairs import Pair, check_sentence
from symdemo.text import shorten

LICENCE = "facts are Wikidata's (CC0)"
STATED_TWICE = "triple stated before"
SAME_ENTITY = "head and tail are the same entity"
REVERSE_KEPT = "reverse of a symmetric triple that was kept"
BOTH_WAYS = "antisymmetric, but its reverse is stated too"
NO_LABEL = "entity without a label"
EQUAL_LABELS = "head and tail have the same label"
UNFIT_LABEL = "label that no sentence can hold"
SAME_SENTENCE = "same relation and labels as another triple"
REASONS = (
    STATED_TWICE, SAME_ENTITY, REVERSE_KEPT, BOTH_WAYS, NO_LABEL, EQUAL_LABELS, UNFIT_LABEL,
    SAME_SENTENCE,
)  # fmt: skip

Progress = Callable[[str, float], object]
"""Called with what is done to which file, and the share of it that is done, in [0, 1]."""

Triples = dict[tuple[str, str], None]
"""(head, tail) of one relation, in the order of the file; a dictionary as an ordered set."""

_ENTITY = re.compile(rb"Q[1-9][0-9]*")
LINES_PER_REPORT = 1 << 16
FORMAT = "symdemo-dataset/1"
MANIFEST = "dataset.json"
PARTS = ("train", "test")
MADE_TEST_SHARE = 0.25
"""Share of the test side; Wikidata5m has so many facts that a quarter is enough."""
ABOVE_LIMIT = "above the limit of its relation"
_COLUMNS = tuple(field.name for field in fields(Pair))  # asdict would be five times slower


@dataclass(frozen=True, slots=True)
class Extract:
    """The facts in a pair of files, and counts of the triples without a fact."""

    facts: tuple[Fact, ...]  # relation by relation, each in the order of the triples' file
    lines: int  # triples in the file, of any relation
    stated: dict[str, int]  # triples of each wanted relation
    dropped: dict[str, int]  # reason → triples without a fact, for every reason


def read_facts(
    triples: str | Path,
    entities: str | Path,
    relations: Sequence[str] = tuple(RELATION_BY_ID),
    progress: Progress = lambda *_: None,
    most_popular: int | None = None,
) -> Extract:
    """Read the facts of some of the 14 relations, by property id, from Wikidata5m's files.

    Lines are `QID \\t PID \\t QID` in `triples` and `QID \\t label \\t alias …` in `entities`; both
    may be gzipped. `most_popular` limits the relations to those with the most triples.
    `InputError` for another relation, a file that is missing or not of this shape (with the line),
    or no fact at all.
    """
    asked = [name.strip() for name in relations if name.strip()]
    known = ", ".join(RELATION_BY_ID)
    if unknown := [name for name in asked if name not in RELATION_BY_ID]:
        raise InputError(
            f"The relation “{shorten(unknown[0])}” is unknown; expected some of {known}."
        )
    if not asked:
        raise InputError(f"No relation is named; expected some of {known}.")
    wanted = [name for name in RELATION_BY_ID if name in asked]
    for path, what in ((Path(triples), "triples"), (Path(entities), "labels")):
        if not path.is_file():
            raise InputError(f"There is no file {path}; Wikidata5m's {what} are expected there.")
    lines, stated, triples_of = _read_triples(Path(triples), wanted, progress)
    if not any(stated.values()):
        raise InputError(
            f"{Path(triples).name} has no triple of {', '.join(wanted)} "
            f"among its {lines:,} lines; expected lines such as Q1 ⇥ {wanted[0]} ⇥ Q2."
        )
    popular = sorted(stated, key=lambda name: -stated[name])[:most_popular]
    stated = {name: n for name, n in stated.items() if name in popular}
    dropped = dict.fromkeys(REASONS, 0)
    consistent = {}
    for name, n in stated.items():
        own = triples_of.pop(name)
        dropped[STATED_TWICE] += n - len(own)
        consistent[name] = _consistent(RELATION_BY_ID[name], own, dropped)
    occurring = {end for own in consistent.values() for triple in own for end in triple}
    labels = _read_labels(Path(entities), occurring, progress)
    facts = tuple(
        fact
        for name in stated
        for fact in _facts(RELATION_BY_ID[name], consistent.pop(name), labels, dropped)
    )
    if not facts:
        seen = ", ".join(f"{n:,} {why}" for why, n in dropped.items() if n)
        raise InputError(
            f"No usable triple among {sum(stated.values()):,} in {Path(triples).name}: {seen}."
        )
    return Extract(facts, lines, stated, dropped)


def _read_triples(
    path: Path, wanted: Sequence[str], progress: Progress
) -> tuple[int, dict[str, int], dict[str, Triples]]:
    """Return the number of lines and, by wanted relation, the number of triples and the triples."""
    found: dict[bytes, tuple[str, Triples]] = {name.encode(): (name, {}) for name in wanted}
    stated = dict.fromkeys(wanted, 0)
    lines = 0
    for number, line in _lines(path, progress):
        lines += 1
        fields = line.split(b"\t")
        if len(fields) != 3:
            raise _broken(path, number, line, "entity, property and entity with tabs between")
        if fields[1] not in found:
            continue
        if not (_ENTITY.fullmatch(fields[0]) and _ENTITY.fullmatch(fields[2])):
            raise _broken(path, number, line, "entities as Q and a number")
        name, triples = found[fields[1]]
        stated[name] += 1
        triples[sys.intern(fields[0].decode()), sys.intern(fields[2].decode())] = None
    return lines, stated, dict(found.values())


def _consistent(relation: Relation, stated: Triples, dropped: dict[str, int]) -> Triples:
    """Return the triples about two entities, each unordered pair once, that fit the pattern."""
    kept: Triples = {}
    for head, tail in stated:
        if head == tail:
            dropped[SAME_ENTITY] += 1
        elif relation.pattern == "antisymmetric" and (tail, head) in stated:
            dropped[BOTH_WAYS] += 1
        elif (tail, head) in kept:
            dropped[REVERSE_KEPT] += 1
        else:
            kept[head, tail] = None
    return kept


def _read_labels(path: Path, occurring: Collection[str], progress: Progress) -> dict[str, Entity]:
    """Return the occurring entities with a label, by id; the first line of an id counts."""
    found: dict[str, Entity] = {}
    for number, line in _lines(path, progress):
        fields = line.split(b"\t", 2)
        if not _ENTITY.fullmatch(fields[0]):
            raise _broken(path, number, line, "an entity (Q and a number), a tab and its label")
        identifier = fields[0].decode()
        if identifier not in occurring or identifier in found or len(fields) == 1:
            continue
        try:
            label = " ".join(fields[1].decode().split())
        except UnicodeDecodeError:
            raise _broken(path, number, line, "UTF-8 text") from None
        if label:
            found[identifier] = Entity(label, sys.intern(identifier))
    return found


def _facts(
    relation: Relation, triples: Triples, entities: dict[str, Entity], dropped: dict[str, int]
) -> Iterator[Fact]:
    seen = set()
    for head_id, tail_id in triples:
        head, tail = entities.get(head_id), entities.get(tail_id)
        if head is None or tail is None:
            dropped[NO_LABEL] += 1
            continue
        fact = Fact(relation, head, tail)
        try:
            check_sentence(relation.sentence(head.label, tail.label))
            is_readable = True
        except InputError:
            is_readable = False
        if len(set(fact.entity_pair)) == 1:
            dropped[EQUAL_LABELS] += 1
        elif not is_readable:
            dropped[UNFIT_LABEL] += 1
        elif fact.entity_pair in seen:
            dropped[SAME_SENTENCE] += 1
        else:
            seen.add(fact.entity_pair)
            yield fact


def _lines(path: Path, progress: Progress) -> Iterator[tuple[int, bytes]]:
    """Yield (line number, line) of a large file without its empty lines, as bytes for speed."""
    try:
        size = max(path.stat().st_size, 1)
        with path.open("rb") as raw:
            file = gzip.GzipFile(fileobj=raw) if path.suffix == ".gz" else raw
            for number, line in enumerate(file, start=1):
                if number % LINES_PER_REPORT == 0:
                    progress(f"reading {path.name}", raw.tell() / size)
                tidy = line.rstrip(b"\r\n")
                if tidy.strip():
                    yield number, tidy
            progress(f"reading {path.name}", 1.0)
    except (OSError, EOFError, zlib.error) as error:  # the last two: a damaged gzip file
        raise InputError(f"{path} cannot be read: {error}.") from None


def _broken(path: Path, number: int, line: bytes, expected: str) -> InputError:
    seen = shorten(line.decode(errors="replace").replace("\t", " ⇥ "))
    seen = "".join(c if c.isprintable() else "�" for c in seen)
    return InputError(f"{path.name}, line {number}: “{seen}”; expected {expected}.")


def pairs_file(part: str, delexicalized: bool = False) -> str:
    """Return the name of the file with one part of the pairs in one version."""
    return f"{part}{'-delexicalized' if delexicalized else ''}.jsonl"


def build_dataset(
    triples: str | Path,
    entities: str | Path,
    out: str | Path,
    *,
    relations: Sequence[str] = tuple(RELATION_BY_ID),
    test_share: float = MADE_TEST_SHARE,
    seed: int = 0,
    limit: int | None = None,
    most_popular: int | None = None,
    progress: Progress = lambda *_: None,
) -> dict[str, Any]:
    """Make the data set folder `out` and return the content of its dataset.json.

    The folder must be new or empty. At most `limit` facts of each relation are drawn at random, and
    `test_share` of each relation's entity pairs go to the test side; `seed` decides these draws and
    the order. Other arguments are those of `read_facts`. `InputError` for an argument, a file or a
    line that cannot be used; nothing is written then.
    """
    out = Path(out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"The folder {out} exists and is not empty; choose another one.")
    if not 0 < test_share < 1:
        raise InputError(f"The test share is {test_share}; a number between 0 and 1 is expected.")
    if limit is not None and limit < 1:
        raise InputError(f"The limit is {limit}; at least 1 fact of each relation is expected.")
    if most_popular is not None and most_popular < 1:
        raise InputError(f"{most_popular} relations are wanted; at least 1 is expected.")
    extract = read_facts(triples, entities, relations, progress, most_popular)
    facts = _limited(extract.facts, limit, seed)
    sides = dict(zip(PARTS, split_facts(facts, test_share, seed), strict=True))
    if not all(sides.values()):
        raise InputError(
            f"{len(facts)} facts at a test share of {test_share} leave one side empty; more facts "
            "or another share are expected."
        )
    for side in sides.values():
        random.Random(seed).shuffle(side)  # so that the head of a file holds every relation
    content = {
        "format": FORMAT,
        "made_with": __version__,
        "licence": LICENCE,
        "inputs": {"triples": _describe(Path(triples)), "entities": _describe(Path(entities))},
        "relations": list(extract.stated),
        "test_share": test_share,
        "seed": seed,
        "limit": limit,
    } | _count(extract, len(facts), sides)
    _write(out, sides, content, progress)
    return content


def _limited(facts: Sequence[Fact], limit: int | None, seed: int) -> list[Fact]:
    """Draw at most `limit` facts of each relation at random, and keep their order."""
    if limit is None:
        return list(facts)
    drawn: list[Fact] = []
    rng = random.Random(seed)
    for _, group in groupby(facts, key=lambda fact: fact.relation.id):
        own = list(group)
        drawn += [own[n] for n in sorted(rng.sample(range(len(own)), min(limit, len(own))))]
    return drawn


def _describe(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"file": path.name, "bytes": path.stat().st_size, "sha256": digest}


def _count(extract: Extract, n_facts: int, sides: dict[str, list[Fact]]) -> dict[str, Any]:
    """Return the counts of dataset.json; a fact is two pairs in each of the two versions."""
    counts = Counter((part, fact.relation.id) for part, own in sides.items() for fact in own)
    labels = {part: Counter(fact.relation.label for fact in own) for part, own in sides.items()}
    by_relation = {}
    for name, stated in extract.stated.items():
        relation = RELATION_BY_ID[name]
        kept = {f"{part}_facts": counts[part, name] for part in PARTS}
        by_relation[name] = {
            "name": relation.name,
            "label": relation.label,
            "triples": stated,
            "dropped": stated - sum(kept.values()),
        } | kept
    return {
        "lines": extract.lines,
        "triples": sum(extract.stated.values()),
        "dropped": extract.dropped | {ABOVE_LIMIT: len(extract.facts) - n_facts},
        "facts": n_facts,
        "pairs": {part: 2 * len(facts) for part, facts in sides.items()},
        "pairs_by_label": {
            part: {label: 2 * n for label, n in sorted(own.items())} for part, own in labels.items()
        },
        "by_relation": by_relation,
    }


def _write(
    out: Path, sides: dict[str, list[Fact]], content: dict[str, Any], progress: Progress
) -> None:
    def fill(draft: Path) -> None:
        for part, facts in sides.items():
            for delexicalized in (False, True):
                path = draft / pairs_file(part, delexicalized)
                with path.open("w", encoding="utf-8", newline="\n") as file:
                    for done, fact in enumerate(facts, start=1):
                        for pair in fact.pairs(delexicalized):
                            row = {name: getattr(pair, name) for name in _COLUMNS}
                            file.write(json.dumps(row, ensure_ascii=False) + "\n")
                        if done % LINES_PER_REPORT == 0 or done == len(facts):
                            progress(f"writing {path.name}", done / len(facts))
        text = json.dumps(content, indent=2, ensure_ascii=False)
        (draft / MANIFEST).write_text(text + "\n", encoding="utf-8")

    try:
        write_folder(out, fill)
    except OSError as error:
        raise InputError(f"The folder {out} cannot be written: {error}.") from error
