"""A teacher at the page: writes rows, teaches, retrains, packs and opens projects, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx

from experiments.trials.serving import App, RefusedError, Visitor

HEADERS = ("Subject", "Relation", "Object", "Label")
SHORTEST = ("", None, "1", "8", "", "", "8", "")
"""Settings of a retraining: method, start, rounds, rows, rate, retention, replay, seed."""
USUAL = ("", None, "", "", "", "", "", "")

Cells = Sequence[Sequence[str]]


def cells(mark: str, number: int = 4) -> list[list[str]]:
    """Rows that nobody else has, of two relations."""
    relations = (("is married to", "entailment"), ("is the boss of", "contradiction"))
    return [
        [f"Ann {mark}-{n}", relation, f"Ben {mark}-{n}", label]
        for relation, label in relations
        for n in range(number)
    ]


def has_version(app: App, key: str, number: int = 1) -> bool:
    """Whether a project has so many versions that are whole."""
    return len(list((app.root / key / "versions").glob("v*/version.json"))) >= number


def lines(rows: Cells) -> str:
    """Rows as `/teach` takes them."""
    return "\n".join(", ".join(row) for row in rows)


class Teacher(Visitor):
    """One page that is open; errors are `RefusedError` with the app's sentence."""

    @classmethod
    def at(cls, app: App, number: int) -> Teacher:
        """Somebody with an address of their own."""
        return cls(app.url, f"127.0.{number // 250}.{1 + number % 250}")

    def event(self, name: str, event: str) -> int:
        """The number of an event; of what follows on it where it ends in “then”."""
        known = httpx.get(f"{self.url}/config", timeout=60).json()["dependencies"]
        if event == "load":
            loads = [one for one in known if any(kind == "load" for _, kind in one["targets"])]
            return max(loads, key=lambda one: len(one["outputs"]))["id"]  # that of the project
        number = super().event(name, event.removesuffix(" then"))
        if not event.endswith(" then"):
            return number
        return next(one["id"] for one in known if one["trigger_after"] == number)

    def press(self, name: str, event: str, *values: Any) -> list[Any]:
        """What an event of the page gives; a refusal is a panel in it."""
        data = self.act(name, event, *values)
        said = [one for one in map(_shown, data) if 'class="problem"' in one]
        if said:
            raise RefusedError(said[0][:400])
        return data

    def look(self, key: str) -> str:
        """Open the page, and return all that is shown of a project."""
        return json.dumps(self.press("", "load", key))

    def write(self, rows: Cells, key: str = "") -> str:
        """Put rows into the table, and return the key of the project."""
        sheet = json.dumps({"headers": HEADERS, "rows": rows})
        given = self.press("teach-grid", "input", key, sheet)[0]
        return given if isinstance(given, str) and given else key

    def retrain(self, rows: Cells, key: str, settings: Sequence[str | None] = SHORTEST) -> None:
        """Plan a retraining, and put it into the queue."""
        sheet = json.dumps({"headers": HEADERS, "rows": rows})
        self.act("retrain", "click", key, sheet, *settings)
        self.press("start", "click", key, None)

    def pack(self, key: str, path: Path) -> str:
        """Download the project to `path`, and return the address that it was had from."""
        found = self.act("save-project", "click then", key)
        file = next(one for one in found if isinstance(one, dict) and one.get("path"))
        address = f"/file={file['path']}"
        answer = self.client.get(address)
        answer.raise_for_status()
        path.write_bytes(answer.content)
        return address

    def open(self, path: Path) -> str:
        """Open a downloaded project, and return its new key."""
        found = self.act("open-archive", "click", True, "", self.upload(path))
        if not isinstance(found[0], str) or not found[0]:
            raise RefusedError("The project was not opened.")
        return found[0]


def _shown(value: Any) -> str:
    return str(value.get("value") or "") if isinstance(value, dict) else str(value)
