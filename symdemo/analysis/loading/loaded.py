"""Pairs that were loaded, with what became of the rows that gave none; kept in a folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from symdemo.errors import InputError
from symdemo.files.atomic import restore, write_folder
from symdemo.files.json_files import read_json, write_json
from symdemo.pairs import Pair
from symdemo.text import MIB

MAX_PAIRS = 100_000
MAX_REFUSED = 1_000
"""Refused rows that are kept; all of them are counted."""

_PAIRS, _REST = "pairs.parquet", "loaded.json"
_FORMAT = "symdemo.loaded.1"
_MOST_JSON = 8 * MIB
_SYSTEM = "system: "
_COLUMNS = tuple(part.name for part in fields(Pair))


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that gave no pair: its line from 1, how it begins, and why, in one sentence."""

    number: int
    text: str
    reason: str


@dataclass(frozen=True, eq=False)
class LoadedPairs:
    """n pairs to analyse, and where they come from.

    Attributes:
        name: what people call them: the set's name or the file's.
        source: where they come from, in words.
        pairs: in order; the label is None where it is not known.
        constructions: n names of the kind of sentence; None where it is not known.
        systems: name → n labels that another system gave; None where it gave none.
        swapped: pairs whose hypothesis was made by swapping.
        refused: rows that gave no pair, by line; at most `MAX_REFUSED` of them.
        reasons: kind of reason → how many rows, all of them.
        built_in: id of a built-in set; None for anything else.
        doubtful: those of `swapped` whose swap may not be the one a person would make.
    """

    name: str
    source: str
    pairs: tuple[Pair, ...]
    constructions: tuple[str | None, ...]
    systems: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    swapped: int = 0
    refused: tuple[RefusedRow, ...] = ()
    reasons: Mapping[str, int] = field(default_factory=dict)
    built_in: str | None = None
    doubtful: int = 0

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def key(self) -> str:
        """SHA-256 over pairs, constructions and other systems' labels, in order."""
        digest = hashlib.sha256()
        names = list(self.systems)
        digest.update(json.dumps(names).encode())
        others = zip(*self.systems.values(), strict=True) if names else [()] * len(self.pairs)
        for pair, kind, own in zip(self.pairs, self.constructions, others, strict=True):
            digest.update(json.dumps([*astuple(pair), kind, *own]).encode())
            digest.update(b"\n")
        return digest.hexdigest()

    def save(self, folder: Path) -> None:
        """Write everything to `folder`; after a kill there is what was there before, or all."""
        write_folder(Path(folder), self._write)

    def _write(self, folder: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns: dict[str, Sequence[str | None]] = {
            name: [getattr(pair, name) for pair in self.pairs] for name in _COLUMNS
        }
        columns["construction"] = self.constructions
        columns |= {f"{_SYSTEM}{name}": own for name, own in self.systems.items()}
        table = pa.table({name: pa.array(own, pa.string()) for name, own in columns.items()})
        pq.write_table(table, folder / _PAIRS, compression="zstd")
        write_json(
            folder / _REST,
            {
                "format": _FORMAT,
                "key": self.key,
                "name": self.name,
                "source": self.source,
                "systems": list(self.systems),
                "swapped": self.swapped,
                "doubtful": self.doubtful,
                "refused": [asdict(row) for row in self.refused],
                "reasons": dict(self.reasons),
                "built_in": self.built_in,
            },
        )

    @classmethod
    def load(cls, folder: Path) -> LoadedPairs:
        """What `save` wrote to `folder`.

        Raises:
            InputError: there is nothing of the kind, or it is damaged.
        """
        folder = Path(folder)
        restore(folder)
        rest = read_json(folder / _REST, _MOST_JSON)
        if not isinstance(rest, dict) or rest.get("format") != _FORMAT:
            raise InputError(f"{_REST} is not of the format {_FORMAT}; saved pairs are expected.")
        try:
            loaded = _read(folder, rest)
            whole = loaded.key == rest["key"]
        except (KeyError, TypeError, ValueError, AttributeError):
            whole = False
        if not whole:
            raise InputError(f"The pairs saved in {folder.name} are damaged; load them anew.")
        return loaded


def _read(folder: Path, rest: dict[str, Any]) -> LoadedPairs:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(folder / _PAIRS)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(str(error)) from None
    columns = {name: tuple(table.column(name).to_pylist()) for name in table.column_names}
    return LoadedPairs(
        name=str(rest["name"]),
        source=str(rest["source"]),
        pairs=tuple(map(Pair, *(columns[name] for name in _COLUMNS))),
        constructions=columns["construction"],
        systems={name: columns[f"{_SYSTEM}{name}"] for name in rest["systems"]},
        swapped=int(rest["swapped"]),
        refused=tuple(RefusedRow(**row) for row in rest["refused"]),
        reasons={str(why): int(n) for why, n in rest["reasons"].items()},
        built_in=rest["built_in"],
        doubtful=int(rest["doubtful"]),
    )
