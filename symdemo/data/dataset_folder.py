"""Make a data set folder from Wikidata5m's files, whole or not at all.

    train.jsonl, test.jsonl                              pairs with the entities' labels
    train-delexicalized.jsonl, test-delexicalized.jsonl  the same pairs with ids in their place
    dataset.json                                         counts and sources

`load_pairs` reads each file. Both directions of an unordered entity pair, in every relation and in
both versions, are on one side of the split; entities with the same label count as one.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from symdemo import __version__
from symdemo.data.relations import RELATION_BY_ID, Fact, split_facts
from symdemo.data.wikidata import (
    LICENCE,
    LINES_PER_REPORT,
    Extract,
    Progress,
    read_facts,
)
from symdemo.errors import InputError
from symdemo.files.storage import write_folder
from symdemo.pairs import Pair

FORMAT = "symdemo-dataset/1"
MANIFEST = "dataset.json"
PARTS = ("train", "test")
MADE_TEST_SHARE = 0.25
"""Share of the test side; Wikidata5m has so many facts that a quarter is enough."""
ABOVE_LIMIT = "above the limit of its relation"

_COLUMNS = tuple(field.name for field in fields(Pair))  # asdict would be five times slower


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
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Make a data set folder and return the content of its dataset.json.

    Args:
        triples, entities: see `wikidata.read_facts`.
        out: a folder that does not exist yet, or is empty.
        relations: property ids; all 14 by default.
        test_share: share of each relation's entity pairs that go to the test side.
        seed: the seed of the split, the order, and the facts that a limit drops.
        limit: facts of each relation, drawn at random; None for all.
        most_popular: see `wikidata.read_facts`.
        progress: called with the share of each file that is read or written.

    Raises:
        InputError: an argument, a file or a line that cannot be used; nothing is written then.
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
    places: dict[str, list[int]] = defaultdict(list)
    for place, fact in enumerate(facts):
        places[fact.relation.id].append(place)
    rng = random.Random(seed)
    drawn = [rng.sample(own, min(limit, len(own))) for own in places.values()]
    return [facts[place] for place in sorted(place for own in drawn for place in own)]


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
    out: Path, sides: dict[str, list[Fact]], content: dict[str, Any], progress: Progress | None
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
                        if progress and (done % LINES_PER_REPORT == 0 or done == len(facts)):
                            progress(f"writing {path.name}", done / len(facts))
        text = json.dumps(content, indent=2, ensure_ascii=False)
        (draft / MANIFEST).write_text(text + "\n", encoding="utf-8")

    try:
        write_folder(out, fill)
    except OSError as error:
        raise InputError(f"The folder {out} cannot be written: {error}.") from error
