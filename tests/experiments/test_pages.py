"""The figures of README and the documentation come from results files, which say how."""

import json
import re
from functools import cache

import pytest

from experiments import make_tables
from experiments.runner import Ledger
from symdemo.files.paths import DOCS, README, RESULTS

MADE_BY = {"symdemo", "commit", "date", "command", "machine", "versions"}
PAGES = [README, *sorted(DOCS.glob("*.md"))]
PERCENTAGE = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?=\s?%)")
NOT_MEASURED = {"95", "100", "50", "0"}
"""The confidence of intervals, and the ends and the middle of a scale."""
SHOWN_BY_THE_APP = {"82.6"}
"""The word baseline of the finding that `test_the_finding_is_still_there` repeats."""


results_page = cache(make_tables.results_page)


def made_by_of(value):
    """Yield every `made_by` in a JSON value."""
    if isinstance(value, dict):
        yield from [value["made_by"]] if "made_by" in value else []
        value = [own for name, own in value.items() if name != "made_by"]
    for own in value if isinstance(value, list) else ():
        yield from made_by_of(own)


@pytest.mark.parametrize("path", sorted(RESULTS.rglob("*.json")), ids=lambda path: path.name)
def test_a_results_file_says_how_it_was_made(path):
    if path.name == "rows.json":
        return  # the tested sentences; the files of answers say how they were made
    found = list(made_by_of(json.loads(path.read_text(encoding="utf-8"))))
    assert found
    assert all(made.keys() >= MADE_BY and made["date"] for made in found)


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.jsonl")), ids=lambda path: path.name)
def test_a_ledger_says_how_its_rows_were_made(path):
    ledger = Ledger(path)
    made = [ledger.made_by(cell) for cell in ledger]
    recorded = [own for own in made if own]
    assert all(own.keys() >= MADE_BY for own in recorded)
    assert len(recorded) == len(made) or path.name == "bellm_measurements.jsonl"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_percentage_of_a_page_is_a_measured_one(page):
    text = re.sub(r"```.*?```", " ", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    measured = re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", results_page())
    rounded = {f"{float(value):.0f}" for value in measured}
    known = {*measured, *rounded, *NOT_MEASURED, *SHOWN_BY_THE_APP}
    assert set(PERCENTAGE.findall(text)) <= known


@pytest.mark.slow
def test_the_finding_is_still_there(capsys):
    page = next(iter(DOCS.glob("analys*.md"))).read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(code, "the page", "exec"), {})
    said = capsys.readouterr().out
    changed = said.rstrip().splitlines()[-1]
    sentence = "Everyone in the chess club is also in the school choir."
    assert changed.startswith(f"{sentence} entailment neutral")
    assert "share=0.9709" in said  # what the page calls 97.1%


def test_writing_the_tables_again_changes_nothing_else(tmp_path, monkeypatch):
    text = README.read_text(encoding="utf-8")
    (tmp_path / "README.md").write_text(text.replace("| **general** |", "| old |"), "utf-8")
    monkeypatch.setattr(make_tables, "README", tmp_path / "README.md")
    monkeypatch.setattr(make_tables, "DOCS", tmp_path)
    make_tables.write_tables()
    for page in (README, DOCS / "results.md"):
        assert (tmp_path / page.name).read_bytes() == page.read_bytes()
