"""Archives as somebody makes them who means harm, and how they are refused."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from symdemo.errors import InputError
from symdemo.teaching.archive import import_project
from symdemo.teaching.rows import TeachRow as Row

ROWS = [
    Row("Ann", "is a sibling of", "Ben", label="entailment"),
    Row(premise="Zoë is next to Ida.", hypothesis="Ida is next to Zoë.", label="mein “Etikett”"),
    Row("Eve"),
]
Content = dict[str, bytes]


def sealed(content: Content) -> Content:
    """With a manifest that fits the rest: what someone does who makes a bad archive on purpose."""
    files = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        for name, data in content.items()
        if name != "manifest.json"
    }
    manifest = {"format": "symdemo-project/1", "files": files}
    return content | {"manifest.json": json.dumps(manifest).encode()}


def packed(content: Content, path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return path


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def refused(store, path, says, **options) -> None:
    around, inside = tree(path.parent) - tree(store.root), tree(store.root)
    with pytest.raises(InputError) as error:
        import_project(store, path, **options)
    text = str(error.value)
    assert says in text
    assert "\n" not in text
    assert text.endswith(".")
    assert len(text) < 500
    assert tree(store.root) == inside == set()
    assert tree(path.parent) - tree(store.root) == around


def edited(data: bytes, **changes) -> bytes:
    return json.dumps(json.loads(data) | changes).encode()


def first_of(content: Content, ending: str) -> str:
    return next(name for name in sorted(content) if name.endswith(ending))
