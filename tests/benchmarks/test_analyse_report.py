"""The page about the tab “Analyse” says what was measured, and its code runs."""

import re
import sys
from pathlib import Path

import pytest

from symdemo.files.paths import MODELS

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import analyse_report

PAGE = analyse_report.PAGE.read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_results():
    shown = PAGE.split(analyse_report.BEGIN)[1].split(analyse_report.END)[0]
    assert shown == f"\n{analyse_report.markdown()}"


def test_the_finding_is_still_there(capsys):
    if not (MODELS / "general").is_dir():
        pytest.skip("models/general is not here")
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(code, "analysing.md", "exec"), {})
    said = capsys.readouterr().out
    changed = said.rstrip().splitlines()[-1]
    assert changed.startswith("The postman saw the butcher at the market. entailment neutral")
    assert "share=0.9244" in said  # what the page calls 92.4%


def test_its_picture_is_there():
    assert (analyse_report.PAGE.parent / "analysing.png").is_file()
