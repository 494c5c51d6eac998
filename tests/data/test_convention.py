"""The convention: one text for documentation, command line and page, and labels changed for it."""

import csv
import re
from pathlib import Path

import pytest

from symdemo.cli.main import main
from symdemo.data.bank import KINDS, read_relations, shipped_bank
from symdemo.data.convention import markdown, paragraphs
from symdemo.files.paths import ASSETS

REPOSITORY = Path(__file__).parents[2]
ANEW = ASSETS / "bank" / "judged_anew.csv"
RELATIONS = {
    relation.id: relation
    for relation in (
        *shipped_bank().relations,
        *(relation for path in KINDS.glob("*.toml") for relation in read_relations(path)),
    )
}


def test_the_documentation_holds_it():
    page = (REPOSITORY / "docs" / "understand.md").read_text(encoding="utf-8")
    assert f"<!-- convention: begin -->\n{markdown()}<!-- convention: end -->" in page


@pytest.mark.parametrize("command", ["evaluate", "train", "teach"])
def test_commands_that_take_labels_explain_them(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "90")
    for asked in ("--what-labels-mean", "--help"):
        with pytest.raises(SystemExit):
            main([command, asked])
        said = capsys.readouterr().out
        shown = re.sub(r"\s+", " ", said)
        assert all(text in shown for text in paragraphs()) is (asked != "--help")
    assert max(map(len, said.splitlines())) <= 90
    assert f"examples: symdemo {command} --data" in shown


# What was judged anew by it


def anew(what: str) -> list[dict[str, str]]:
    with ANEW.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["what"] == what]


def test_the_list_of_changed_labels_agrees_with_the_data():
    for row in anew("pattern"):
        assert row["before"] != row["after"] == RELATIONS[row["name"]].pattern, row
    for row in anew("kept"):
        assert row["before"] == row["after"] == RELATIONS[row["name"]].pattern, row
    for row in anew("wording"):
        assert row["after"] in RELATIONS[row["name"]].phrasings, row
        assert not any(row["before"] in r.phrasings for r in RELATIONS.values()), row
    for row in anew("label"):
        with (ASSETS / row["where"]).open(encoding="utf-8", newline="") as file:
            labels = {r["premise"]: r["label"] for r in csv.DictReader(file)}
        assert row["before"] != row["after"] == labels[row["name"]], row
