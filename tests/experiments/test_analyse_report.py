"""The page about the tab “Analyse” says what was measured, and its code runs."""

import re

import pytest

from experiments import analyse_report
from symdemo.files.paths import MODELS

PAGE = analyse_report.PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
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
