"""Wikidata5m's two files, as small as a test needs them."""

from pathlib import Path

import pytest
from wikidata_labels import LABELS


@pytest.fixture
def files(tmp_path):
    """Write triples (one text each, blanks for tabs) and labels; their paths."""

    def write(*triples: str, labels: str = LABELS) -> tuple[Path, Path]:
        paths = tmp_path / "triples.txt", tmp_path / "entities.txt"
        paths[0].write_text("".join("\t".join(t.split()) + "\n" for t in triples), "utf-8")
        paths[1].write_text(labels, "utf-8")
        return paths

    return write


@pytest.fixture
def many(files):
    """A hundred mothers and a hundred siblings, all entities distinct."""
    labels = "".join(f"Q{number}\tperson {number}\n" for number in range(1, 401))
    triples = [
        f"Q{n} {'P25' if n < 200 else 'P3373'} Q{n + 1}" for n in range(1, 400, 2) if n != 200
    ]
    return files(*triples, labels=labels)
