"""Where the project's own data is: beside the package in a checkout, inside it once installed."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
"""The code itself."""


def _data_folder(name: str) -> Path:
    checkout = PACKAGE.parent / name
    return checkout if checkout.is_dir() else PACKAGE / "data" / checkout.name


ASSETS = _data_folder("assets")
"""Facts, relations, retention sentences, the style sheet."""

MODELS = Path(os.environ.get("SYMDEMO_MODELS") or _data_folder("models"))
"""The shipped models; another folder with the environment variable SYMDEMO_MODELS."""

RESULTS = Path(os.environ.get("SYMDEMO_RESULTS") or _data_folder("benchmarks/results"))
"""What was measured, as JSON; another folder with the environment variable SYMDEMO_RESULTS."""

MEASURING_DATA = Path(os.environ.get("SYMDEMO_DATA") or PACKAGE.parent.parent / "shared" / "data")
"""Public data to measure against (STS-B, NLI, Wikidata labels); never part of the project."""
