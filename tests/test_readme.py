"""What the README says is what the project does."""

import importlib
import re
from pathlib import Path

import pytest

from symdemo.files.paths import MODELS

REPOSITORY = Path(__file__).parent.parent
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_the_python_example_runs():
    if not (MODELS / "general").is_dir():
        pytest.skip("models/general is not here")
    for code in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL):
        exec(compile(code, "README.md", "exec"), {})


def test_the_two_commands_stand_alone_on_their_lines():
    lines = README.splitlines()
    assert "pip install -r requirements.txt && python app.py" in lines
    assert "pip install -r requirements-dev.txt && pytest" in lines


def test_the_front_matter_names_what_is_installed():
    pinned = dict(
        line.split("==")
        for line in (REPOSITORY / "requirements.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line and not line.startswith("#")
    )
    front_matter = README.split("---")[1]
    assert f"sdk_version: {pinned['gradio']}" in front_matter
    assert (REPOSITORY / re.search(r"app_file: (\S+)", front_matter)[1]).is_file()


def test_every_file_that_the_tree_names_exists():
    tree = README.split("## What is where")[1].split("```")[1]
    for line in tree.splitlines():
        if match := re.match(r"^(\S+)", line):
            assert (REPOSITORY / match[1]).exists(), match[1]
    modules = re.findall(r"^  ([a-z_/, ]+?)(?:   |$)", tree, flags=re.MULTILINE)
    for name in (part.strip() for group in modules for part in group.split(",")):
        path = REPOSITORY / "symdemo" / name
        assert path.is_dir() or path.with_suffix(".py").is_file(), name


def test_what_the_method_names_is_there():
    named = re.findall(
        r"`(symdemo(?:\.\w+)+)`", (REPOSITORY / "docs" / "method.md").read_text("utf-8")
    )
    assert len(named) >= 6
    for name in named:
        module, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(module), function)), name


def test_links_between_the_pages_lead_somewhere():
    pages = [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")]
    for page in pages:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
