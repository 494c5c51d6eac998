"""Where a figure was made: by which code, on which machine, with which versions."""

from __future__ import annotations

import ast
import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from symdemo import __version__
from symdemo.errors import InputError
from symdemo.files.paths import PACKAGE, RESULTS

ANSWERS = ("geometry", "encoders", "classifier", "models/general/config.json")
"""What the answers of the shipped model `general` depend on, where its sentences are given."""


SAME_ANSWERS = RESULTS / "same_answers.json"
"""Which versions of code answer the same; `benchmarks/same_answers.py` writes it."""


def provenance(*depends: str) -> dict[str, Any]:
    """Commit, machine and versions: what every results file says of where it was made.

    Libraries are imported here, so that asking for paths and locks loads none of them.

    Args:
        depends: what the figures depend on, as `version_of` names it; the versions stand as
            `depends` where anything is named, and `changed` finds what is another one by now.

    Raises:
        InputError: there is no such module or file.
    """
    import numpy as np
    import torch
    import transformers

    versions = {"depends": {name: version_of(name) for name in depends}} if depends else {}
    return versions | {
        "symdemo": __version__,
        "commit": _commit(),
        "machine": {
            "processor": _processor(),
            "threads": torch.get_num_threads(),
            "accelerator": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
            "system": f"{platform.system()} {platform.machine()}",
        },
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "numpy": np.__version__,
        },
    }


def version_of(name: str) -> str:
    """The first 12 signs of the SHA-256 of what figures depend on.

    Of code, comments, docstrings and empty lines are left out: figures stay good when words change.

    Args:
        name: a module below `symdemo`, such as “data.relations”, a package such as “training”,
            which stands for all that is in it; or with a slash a file of the checkout, such as
            “models/general/config.json”, which has the hashes of the model's other files.

    Raises:
        InputError: there is no such module or file.
    """
    if "/" in name:
        path = PACKAGE.parent / name
        if not path.is_file():
            raise InputError(f"There is no file {name}.")
        return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    digest = hashlib.sha256()
    place = PACKAGE.joinpath(*name.split("."))
    for path in sorted(place.rglob("*.py")) or [place.with_suffix(".py")]:
        if not path.is_file():
            raise InputError(f"There is no module symdemo.{name}.")
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\n{_code_of(path)}\n".encode())
    return digest.hexdigest()[:12]


def changed(made_by: Mapping[str, Any]) -> list[str] | None:
    """What has changed of all that figures depend on since they were made.

    Code that was found to give the same answers as that of then has not. None where nobody wrote
    down what they depend on.
    """
    if "depends" not in made_by:
        return None
    depends = made_by["depends"]
    now = {name: _version_now(name) for name in depends}
    return [
        name
        for name, then in depends.items()
        if now[name] != then and not _answers_as(name, then, now[name], depends)
    ]


def same_answers() -> list[dict[str, Any]]:
    """What was found of versions that answer the same, one comparison a row; none, if no file."""
    try:
        return json.loads(SAME_ANSWERS.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []


def _answers_as(name: str, then: str, now: str | None, depends: Iterable[str]) -> bool:
    """Whether two versions were found to answer the same where figures depend on `depends`."""
    packages = {other.split(".")[0] for other in depends}
    return any(
        row["of"].get(name) == {"then": then, "now": now} and packages.isdisjoint(row["but_for"])
        for row in same_answers()
    )


def _version_now(name: str) -> str | None:
    try:
        return version_of(name)
    except InputError:
        return None


def _code_of(path: Path) -> str:
    """The lines of a module that do something."""
    source = path.read_text(encoding="utf-8")
    words: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            words |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return "\n".join(
        line
        for number, line in enumerate(source.splitlines(), start=1)
        if number not in words and line.strip() and not line.lstrip().startswith("#")
    )


_WRITTEN = [f":(top,exclude){place}" for place in ("benchmarks/results", "docs", "README.md")]
"""What measuring itself writes: the first result must not make a changed checkout of the second."""


def _commit() -> str:
    """The checked-out commit, with “+” where tracked files were changed since, results aside."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "-uno", "--", ":(top)", *_WRITTEN)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return commit + ("+" if changed else "")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
