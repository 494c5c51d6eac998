"""What the README says is what the project does."""

import importlib
import re
from pathlib import Path

import pytest

from symdemo.files.paths import MODELS

REPOSITORY = Path(__file__).parent.parent
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_the_python_examples_run_and_print_what_they_say(page, capsys):
    if not (MODELS / "general").is_dir():
        pytest.skip("models/general is not here")
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    for code, printed in re.findall(r"```python\n(.*?)```(?:\n```\n(.*?)```)?", text, re.DOTALL):
        exec(compile(code, page, "exec"), {})
        assert capsys.readouterr().out == printed


def test_the_front_matter_names_what_is_installed():
    pinned = dict(
        line.split("==")
        for line in (REPOSITORY / "requirements.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line and not line.startswith("#")
    )
    front_matter = README.split("---")[1]
    assert f"sdk_version: {pinned['gradio']}" in front_matter
    assert (REPOSITORY / re.search(r"app_file: (\S+)", front_matter)[1]).is_file()


def test_the_code_that_the_equations_name_exists():
    page = (REPOSITORY / "docs" / "understand.md").read_text(encoding="utf-8")
    named = re.findall(r"`(symdemo(?:\.\w+)+)`", page)
    assert len(named) >= 6
    for name in named:
        module, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(module), function)), name


def test_links_between_the_pages_lead_somewhere():
    pages = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md")]
    for page in pages:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
