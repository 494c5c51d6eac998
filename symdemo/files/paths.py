"""Where the project's own data is: in the folders of a checkout, or inside an installed package."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
"""The code itself."""

_INSTALLED = PACKAGE / "shipped"
"""What an installation carries; a checkout has no such folder, so the two are never confused."""


def _data_folder(name: str, in_checkout: str | None = None) -> Path:
    return _INSTALLED / name if _INSTALLED.is_dir() else PACKAGE.parent / (in_checkout or name)


ASSETS = _data_folder("assets")
"""Facts, relations, retention sentences, the style sheet."""

MODELS = Path(os.environ.get("SYMDEMO_MODELS") or _data_folder("models"))
"""The shipped models; another folder with the environment variable SYMDEMO_MODELS."""

RESULTS = Path(os.environ.get("SYMDEMO_RESULTS") or _data_folder("results", "experiments/results"))
"""What was measured, as JSON; another folder with the environment variable SYMDEMO_RESULTS."""


README = PACKAGE.parent / "README.md"
DOCS = PACKAGE.parent / "docs"
"""The pages that results are published into; an installed package has none."""


def measuring_data(place: str) -> Path | None:
    """A file of public data to measure against (STS-B, NLI), never part of the project.

    They lie in the folder that the environment variable SYMDEMO_DATA names; None where it is not
    set or has no such file.
    """
    folder = os.environ.get("SYMDEMO_DATA")
    path = Path(folder, place) if folder else None
    return path if path is not None and path.is_file() else None


def measuring_folder(place: str) -> Path | None:
    """A folder of the same data, as `measuring_data` finds a file."""
    folder = os.environ.get("SYMDEMO_DATA")
    path = Path(folder, place) if folder else None
    return path if path is not None and path.is_dir() else None


def cache_folder() -> Path:
    """Where large files are kept that can be made again; SYMDEMO_CACHE names another folder."""
    if given := os.environ.get("SYMDEMO_CACHE"):
        return Path(given)
    usual = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(usual or Path.home() / ".cache") / "symdemo"
