"""Where a figure was made: by which code, on which machine, with which versions."""

from __future__ import annotations

import ast
import hashlib
import platform
import subprocess
from pathlib import Path
from typing import Any

from symdemo import __version__
from symdemo.errors import InputError
from symdemo.files.paths import PACKAGE


def provenance(*modules: str) -> dict[str, Any]:
    """Commit, machine and versions: what every results file says of where it was made.

    Libraries are imported here, so that asking for paths and locks loads none of them.

    Args:
        modules: what the figures depend on; their `code_version` stands as `code` where any is
            named, and tells figures of other code from those of today's.

    Raises:
        InputError: there is no such module.
    """
    import numpy as np
    import torch
    import transformers

    code = {"code": code_version(*modules)} if modules else {}
    return code | {
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


def code_version(*modules: str) -> str:
    """The first 12 signs of the SHA-256 of what modules and packages do.

    Comments, docstrings and empty lines are left out: figures stay good when words change.

    Args:
        modules: dotted names below `symdemo`, such as “training” or “data.relations”; a package
            stands for all that is in it.

    Raises:
        InputError: there is no such module.
    """
    digest = hashlib.sha256()
    for name in sorted(modules):
        place = PACKAGE.joinpath(*name.split("."))
        files = sorted(place.rglob("*.py")) or [place.with_suffix(".py")]
        for path in files:
            if not path.is_file():
                raise InputError(f"There is no module symdemo.{name}.")
            digest.update(f"{path.relative_to(PACKAGE).as_posix()}\n{_code_of(path)}\n".encode())
    return digest.hexdigest()[:12]


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


def _commit() -> str:
    """The checked-out commit, with “+” where tracked files were changed since."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "-uno")
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
