"""Folders of the project's data, in a checkout or inside an installed package."""

from __future__ import annotations

import csv
import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]  # the folder of the code
_INSTALLED = PACKAGE / "shipped"  # data of an installed package; a checkout has no such folder


def _data_folder(name: str, in_checkout: str | None = None) -> Path:
    return _INSTALLED / name if _INSTALLED.is_dir() else PACKAGE.parent / (in_checkout or name)


ASSETS = _data_folder("assets")  # facts, relations, retention sentences, the style sheet
MODELS = Path(os.environ.get("SYMDEMO_MODELS") or _data_folder("models"))
"""The shipped models; another folder with the environment variable SYMDEMO_MODELS."""

RESULTS = Path(os.environ.get("SYMDEMO_RESULTS") or _data_folder("results", "experiments/results"))
"""What was measured, as JSON; another folder with the environment variable SYMDEMO_RESULTS."""

README = PACKAGE.parent / "README.md"
DOCS = PACKAGE.parent / "docs"
"""The pages that results are published into; an installed package has none."""


def asset_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of `ASSETS`, by the names of its columns."""
    with (ASSETS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def measuring_data(place: str) -> Path | None:
    """Return a file or folder of public data (STS-B, NLI) in the folder SYMDEMO_DATA, if there."""
    folder = os.environ.get("SYMDEMO_DATA")
    path = Path(folder, place) if folder else None
    return path if path is not None and path.exists() else None


def cache_folder() -> Path:
    """Return the folder of large files that can be rebuilt; SYMDEMO_CACHE names another one."""
    if given := os.environ.get("SYMDEMO_CACHE"):
        return Path(given)
    usual = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(usual or Path.home() / ".cache") / "symdemo"
