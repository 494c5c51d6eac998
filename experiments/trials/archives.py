"""Archives that are small to send and large to open, from one visitor, while four others ask."""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from experiments.trials.serving import App, RefusedError, others

SECONDS = 300.0
PAIRS, OBJECTS = 250_000, 5_500_000
WHEN = "2026-01-01T00:00:00+00:00"
INFO = {
    "name": "Fat", "base": "general", "created": WHEN, "touched": WHEN, "selected": None, "made": 2,
}  # fmt: skip
PAIR = {"premise": "Ann leads Bob.", "hypothesis": "Bob leads Ann.", "label": "contradiction"}


def run(app: App) -> dict[str, Any]:
    """Upload each and open it; all have to be refused, with a sentence."""
    seconds: list[float] = []
    said: dict[str, str] = {}
    with others(app) as met, app.visitor(1) as visitor:
        time.sleep(3.0)
        for name, files in _archives(app.times(PAIRS), app.times(OBJECTS)):
            file = visitor.upload(_packed(app.root.parent / f"{name}.zip", files))
            began = time.perf_counter()
            try:
                values = visitor.act("open-archive", "click", True, "", file)
                said[name] = next(
                    (text for text in map(str, values) if "problem" in text), "opened"
                )
            except RefusedError as error:
                said[name] = str(error)
            seconds.append(time.perf_counter() - began)
        time.sleep(3.0)
    return {
        "tried": len(said),
        "failed": sum(text == "opened" or "on our side" in text for text in said.values()),
        "said": {name: text[:300] for name, text in said.items()},
        "slowest_seconds": max(seconds),
        "others": met.to_json(),
    }


def _archives(pairs: int, objects: int) -> Iterator[tuple[str, dict[str, bytes]]]:
    info = json.dumps(INFO).encode()
    taught = (json.dumps(PAIR) + "\n").encode() * pairs
    versions: dict[str, bytes] = {}
    for number in (1, 2):
        id = f"v{number:06}-{number:08x}"
        version: dict[str, Any] = {
            "id": id, "name": "Fat", "created": WHEN, "parent": None, "how": "instant",
            "base": "general", "scores": {}, "training": {}, "rows": 1, "labels": [],
            "method": "knn", "curve": [],
        }  # fmt: skip
        versions |= {
            f"versions/{id}/version.json": json.dumps(version).encode(),
            f"versions/{id}/model/taught.jsonl": taught,
        }
    yield "pairs", {"project.json": info, "rows.json": b"[]", **versions}
    yield "objects", {"project.json": info, "rows.json": b"[" + b"{}," * objects + b"{}]"}
    yield "number", {
        "project.json": info.replace(b'"made": 2', b'"made": 1' + b"0" * 400), "rows.json": b"[]",
    }  # fmt: skip


def _packed(path: Path, files: dict[str, bytes]) -> Path:
    listed = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        for name, data in files.items()
    }
    manifest = json.dumps({"format": "symdemo-project/1", "files": listed}).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**files, "manifest.json": manifest}.items():
            # Compressed as little as keeps it under what a zip may grow by.
            kind = zipfile.ZIP_STORED if len(data) > 1_000_000 else zipfile.ZIP_DEFLATED
            archive.writestr(name, data, kind)
    return path
