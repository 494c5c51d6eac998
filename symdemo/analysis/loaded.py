"""`LoadedPairs`: pairs to analyse with their origin, and how they are saved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from symdemo.errors import InputError
from symdemo.evaluation.nli import comparable
from symdemo.files.storage import read_json, restore, write_folder, write_json
from symdemo.pairs import Pair, sentence_key
from symdemo.text import MIB

MAX_PAIRS = 100_000
MAX_REFUSED = 1_000  # refused rows that are kept; all of them are counted
_PAIRS, _REST = "pairs.parquet", "loaded.json"
_FORMAT = "symdemo.loaded.1"
_MOST_JSON = 8 * MIB
_SYSTEM = "system: "
_GROUP = "group: "
_COLUMNS = tuple(part.name for part in fields(Pair))
_REST_FIELDS = ("name", "source", "swapped", "doubtful", "reasons", "built_in")


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that gives no pair: its line number from 1, its beginning, and the reason."""

    number: int
    text: str
    reason: str


@dataclass(frozen=True, eq=False)
class LoadedPairs:
    """n pairs to analyse."""

    name: str  # shown to people: the name of the set or file
    source: str  # their origin, in words
    pairs: tuple[Pair, ...]  # in order; the label is None where unknown
    constructions: tuple[str | None, ...]  # n names; None where unknown
    systems: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    """Name → n labels given by another system; None for no label."""
    swapped: int = 0  # number of pairs whose hypothesis was made by swapping
    refused: tuple[RefusedRow, ...] = ()  # rows that give no pair, by line; at most `MAX_REFUSED`
    reasons: Mapping[str, int] = field(default_factory=dict)
    """Kind of reason → number of refused rows."""
    built_in: str | None = None  # id of a built-in set, else None
    doubtful: int = 0  # number of swapped pairs whose swap is uncertain
    groups: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    """Column of the file → n values to group by; None for an empty cell."""

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def key(self) -> str:
        """SHA-256 over pairs, constructions, labels of other systems and groups, in order."""
        digest = hashlib.sha256(json.dumps(list(self.systems)).encode())
        others = zip(*self.systems.values(), strict=True) if self.systems else [()] * len(self)
        for pair, kind, own in zip(self.pairs, self.constructions, others, strict=True):
            digest.update(json.dumps([*astuple(pair), kind, *own]).encode() + b"\n")
        if self.groups:
            digest.update(json.dumps(self.groups).encode())
        return digest.hexdigest()

    def beside(self, systems: Mapping[str, tuple[str | None, ...]]) -> LoadedPairs:
        """Return the pairs with more systems' labels; true labels that one lacks are merged."""
        pairs, source = comparable(self.pairs, systems.values()), self.source
        if pairs != self.pairs:
            source += "; contradiction and neutral count as not_entailment"
        systems = {**self.systems, **systems}
        return replace(self, pairs=pairs, source=source, systems=systems, built_in=None)

    def save(self, folder: Path) -> None:
        """Write everything to `folder`, completely or not at all."""
        columns: dict[str, Sequence[str | None]] = {
            name: [getattr(pair, name) for pair in self.pairs] for name in _COLUMNS
        }
        columns["construction"] = self.constructions
        columns |= {f"{_SYSTEM}{name}": own for name, own in self.systems.items()}
        columns |= {f"{_GROUP}{name}": own for name, own in self.groups.items()}
        rest = {name: getattr(self, name) for name in _REST_FIELDS} | {
            "format": _FORMAT,
            "key": self.key,
            "systems": list(self.systems),
            "groups": list(self.groups),
            "refused": [asdict(row) for row in self.refused],
        }

        def write(draft: Path) -> None:
            table = pa.table({name: pa.array(own, pa.string()) for name, own in columns.items()})
            pq.write_table(table, draft / _PAIRS, compression="zstd")
            write_json(draft / _REST, rest)

        write_folder(Path(folder), write)

    @classmethod
    def load(cls, folder: Path) -> LoadedPairs:
        """Return what `save` wrote to `folder`; `InputError` if there is none, or it is damaged."""
        folder = Path(folder)
        restore(folder)
        rest = read_json(folder / _REST, _MOST_JSON)
        if not isinstance(rest, dict) or rest.get("format") != _FORMAT:
            raise InputError(f"{_REST} is not saved pairs; expected the format {_FORMAT}.")
        try:
            table = pq.read_table(folder / _PAIRS)
            columns = {name: tuple(table.column(name).to_pylist()) for name in table.column_names}
            values = {name: rest[name] for name in (*_REST_FIELDS, "refused")}
            values |= {
                "pairs": tuple(map(Pair, *(columns[name] for name in _COLUMNS))),
                "constructions": columns["construction"],
                "systems": {name: columns[f"{_SYSTEM}{name}"] for name in rest["systems"]},
                "groups": {name: columns[f"{_GROUP}{name}"] for name in rest.get("groups", ())},
            }
            loaded = TypeAdapter(LoadedPairs).validate_python(values)
            whole = loaded.key == rest["key"]
        except (KeyError, TypeError, ValueError, AttributeError, OSError, pa.ArrowException):
            whole = False
        if not whole:
            raise InputError(f"The pairs saved in {folder.name} are damaged; load them again.")
        return loaded


def taught_part(pairs: Sequence[Pair], taught: Sequence[Pair]) -> tuple[str, ...]:
    """Return what a model was taught of each of n pairs, by the names of their relations.

    The text is "pair" if the pair or its reverse was taught, "relation" if only its relation was,
    "none" if neither, "unknown" if the pair names no relation. A relation taught under another name
    counts as not taught.
    """

    def sentences(pair: Pair) -> frozenset[str]:
        return frozenset((sentence_key(pair.premise), sentence_key(pair.hypothesis)))

    known = set(map(sentences, taught))
    relations = {sentence_key(pair.relation) for pair in taught if pair.relation}

    def part(pair: Pair) -> str:
        if sentences(pair) in known:
            return "pair"
        if not pair.relation:
            return "unknown"
        return "relation" if sentence_key(pair.relation) in relations else "none"

    return tuple(map(part, pairs))
