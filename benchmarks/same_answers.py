"""Whether code that was changed answers as before, bit for bit: then figures need not be made anew.

    python benchmarks/same_answers.py COMMIT [--of classifier]

The checkout as it is and that of COMMIT are asked the same (`answers_probe.py`), on this machine,
with one thread. Where all answers are the same, `same_answers.json` says so of the two versions of
the code, and `stale.py` and all reports take one for the other. Where they are the same but for
models that were taught something later, it says that too, and figures of teaching stay stale.
Anything else fails, and writes nothing.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from answers_probe import LATER

from symdemo.errors import InputError, SymdemoError
from symdemo.files.atomic import write_text
from symdemo.files.paths import PACKAGE
from symdemo.files.provenance import SAME_ANSWERS, provenance, same_answers, version_of

TREE = PACKAGE.parent
HERE = Path(__file__).parent
NEEDED = ("symdemo", "assets", "models")
TEACHING = "teaching"
_VERSION = "from symdemo.files.provenance import version_of; print(version_of({!r}), end='')"


def unpack(commit: str, folder: Path) -> None:
    """What the code of a commit needs, in a folder.

    Raises:
        InputError: there is no such commit.
    """
    command = ["git", "-C", str(TREE), "archive", commit, *NEEDED]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise InputError(f"{commit} cannot be read: {done.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")


def run_in(tree: Path, code: str) -> str:
    """What some code prints, with the symdemo of a tree."""
    own = {"PYTHONPATH": os.pathsep.join([str(tree), str(HERE)]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tree,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise InputError(f"The code of {tree} cannot be asked: {done.stderr.strip()[-500:]}")
    return done.stdout


def differing(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What is answered otherwise, or asked of one of the two alone."""
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def row(
    names: Sequence[str],
    versions: Mapping[str, tuple[str, str]],
    before: Mapping[str, str],
    now: Mapping[str, str],
) -> dict[str, Any]:
    """What `same_answers.json` says of one comparison.

    Raises:
        InputError: something else than what was taught later is answered otherwise.
    """
    others = differing(before, now)
    if wrong := [name for name in others if not name.endswith(LATER)]:
        raise InputError(
            f"{len(wrong)} of {len(now)} ways to ask are answered otherwise: {'; '.join(wrong)}."
        )
    return {
        "of": {name: dict(zip(("then", "now"), versions[name], strict=True)) for name in names},
        "but_for": [TEACHING] if others else [],
        "same": sorted(set(now) - set(others)),
        "differing": others,
        "made_by": provenance(),
    }


def of_today(own: Mapping[str, Any]) -> bool:
    """Whether a comparison is with code as it is now; of another it says nothing any more."""
    return all(version_of(name) == versions["now"] for name, versions in own["of"].items())


def main() -> int:
    """Compare, and write where the answers are the same."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit")
    parser.add_argument("--of", nargs="+", default=["classifier"], help="the code that changed")
    arguments = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            then = Path(folder)
            unpack(arguments.commit, then)
            versions = {
                name: (run_in(then, _VERSION.format(name)), version_of(name))
                for name in arguments.of
            }
            ask = "import answers_probe; answers_probe.tell()"
            before, now = (json.loads(run_in(tree, ask)) for tree in (then, TREE))
        found = row(arguments.of, versions, before, now)
    except SymdemoError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    found |= {"command": f"python benchmarks/same_answers.py {arguments.commit}"}
    rows = [own for own in same_answers() if own["of"] != found["of"] and of_today(own)]
    write_text(SAME_ANSWERS, json.dumps([*rows, found], indent=1) + "\n")
    sys.stdout.write(f"{len(found['same'])} the same, otherwise: {found['differing']}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
