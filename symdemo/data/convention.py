"""What the three labels mean: the text of the app, the command line and docs/understand.md."""

from __future__ import annotations

import tomllib
from typing import Any

from symdemo.files.paths import ASSETS

_TEXT: dict[str, Any] = tomllib.loads((ASSETS / "convention.toml").read_text(encoding="utf-8"))
QUESTION: str = _TEXT["question"]
CONVENTION: list[dict[str, Any]] = _TEXT["line"]
"""The rules: title, label, text, examples, and borders as (sentence, its label)."""


def paragraphs() -> list[str]:
    """Return the convention as plain text: the question, then each line with its examples."""
    found = [QUESTION]
    for line in CONVENTION:
        examples = " ".join(f"“{sentence}”" for sentence in line["examples"])
        borders = " ".join(f"But {label}: “{sentence}”" for sentence, label in line["borders"])
        found.append(f"{line['title']}: {line['label']}. {line['text']} {examples} {borders}")
    return found
