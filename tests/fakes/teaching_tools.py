"""Rows, stores of projects and hostile archives for the tests of teaching."""

import hashlib
import json
import zipfile
from pathlib import Path

from hypothesis import strategies as st
from model_folders import files_of
from refusals import refusal

from symdemo.teaching.archive import import_project
from symdemo.teaching.limits import Limits
from symdemo.teaching.rows import TeachRow
from symdemo.teaching.store import ProjectStore

BASE = "tiny base"
BOSS = TeachRow("Ann", "is the boss of", "Ben", label="contradiction")
ROWS = [
    TeachRow("Ann", "is a sibling of", "Ben", label="entailment"),
    TeachRow("Carl", "is the mother of", "Dan", label="contradiction"),
    TeachRow("Eve", "is next to", "", label=""),
]
WORDS = st.text(st.sampled_from("abcdefgh"), min_size=1, max_size=6)
NAMES = WORDS.map(str.title)
RELATIONS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
LABELS = st.sampled_from(["entailment", "contradiction", "neutral", "depends"])
ANY_ROW = st.builds(TeachRow, NAMES, RELATIONS, NAMES, label=LABELS).filter(
    lambda row: row.subject != row.object
)
Content = dict[str, bytes]


def make_store(root, model, crowding=lambda id: 1, **limits) -> ProjectStore:
    return ProjectStore(
        root, Limits(**limits), load_base=lambda name: model, bases=[BASE], crowding=crowding
    )


def add(project, model, **values):
    return project.add_version(model, **{"how": "retrained"} | values)


def refused(store, archive: Path | bytes | Content, says, **options) -> None:
    """Check that an archive is refused and that nothing is left of it."""
    path = archive if isinstance(archive, Path) else store.root.parent / "bad.zip"
    if isinstance(archive, bytes):
        path.write_bytes(archive)
    elif isinstance(archive, dict):
        packed(archive, path)
    before = files_of(path.parent)
    assert says in refusal(import_project, store, path, **options)
    assert files_of(path.parent) == before
    assert list(store.root.iterdir()) == []


def sealed(content: Content) -> Content:
    """Add a manifest that fits the rest, as someone with bad intentions would."""
    files = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        for name, data in content.items()
        if name != "manifest.json"
    }
    manifest = {"format": "symdemo-project/1", "files": files}
    return content | {"manifest.json": json.dumps(manifest).encode()}


def packed(content: Content, path: Path, how: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", how) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return path


def edited(data: bytes, **changes) -> bytes:
    return json.dumps(json.loads(data) | changes).encode()


def first_of(content: Content, ending: str) -> str:
    return next(name for name in sorted(content) if name.endswith(ending))


def fail_with(number: int):
    """Return a function that fails as the system does: 28 is a full disk, 30 a read-only one."""

    def fail(*_, **__):
        raise OSError(number, "no")

    return fail
