"""The convention: one text for documentation, command line and page."""

import re
from pathlib import Path

import pytest

from symdemo.cli.main import main
from symdemo.data.convention import paragraphs

REPOSITORY = Path(__file__).parents[2]


def test_the_documentation_holds_it():
    page = (REPOSITORY / "docs" / "understand.md").read_text(encoding="utf-8")
    question, *lines = paragraphs()
    parts = [line.partition(". ") for line in lines]
    listed = "".join(f"{n}. **{title}.** {rest}\n" for n, (title, _, rest) in enumerate(parts, 1))
    assert f"<!-- convention: begin -->\n{question}\n\n{listed}<!-- convention: end -->" in page


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
