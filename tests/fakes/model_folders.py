"""Helpers of the tests of model folders."""

from pathlib import Path

from symdemo import SymmetryClassifier

load = SymmetryClassifier.from_pretrained
FILES = {"README.md", "config.json", "encoder.safetensors", "index.safetensors", "taught.jsonl"}


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
