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
    return [QUESTION, *(f"{_title(line)}. {_rest(line)}" for line in CONVENTION)]


def markdown() -> str:
    """Return the convention as Markdown: the question and a numbered list."""
    lines = (
        f"{number}. **{_title(line)}.** {_rest(line)}" for number, line in enumerate(CONVENTION, 1)
    )
    return f"{QUESTION}\n\n" + "\n".join(lines) + "\n"


def _title(line: dict[str, Any]) -> str:
    return f"{line['title']}: {line['label']}"


def _rest(line: dict[str, Any]) -> str:
    examples = " ".join(f"“{sentence}”" for sentence in line["examples"])
    borders = " ".join(f"But {label}: “{sentence}”" for sentence, label in line["borders"])
    return f"{line['text']} {examples} {borders}"
