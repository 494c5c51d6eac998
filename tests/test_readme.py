"""What README, documentation and command line say is what the project does."""

import importlib
import re
import shutil
import tomllib
from itertools import chain

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from programs import REPOSITORY, run_python

import symdemo
from symdemo.cli.main import main
from symdemo.data.convention import paragraphs

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_the_python_examples_run_and_print_what_they_say(page, capsys):
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    for code, printed in re.findall(r"```python\n(.*?)```(?:\n```\n(.*?)```)?", text, re.DOTALL):
        exec(compile(code, page, "exec"), {})
        assert capsys.readouterr().out == printed


def test_the_front_matter_names_what_is_installed():
    pinned = dict(
        re.sub(r"\[.*\]", "", line).split("==")  # without extras
        for line in (REPOSITORY / "requirements.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line and not line.startswith("#")
    )
    front_matter = README.split("---")[1]
    assert f"sdk_version: {pinned['gradio']}" in front_matter
    assert (REPOSITORY / re.search(r"app_file: (\S+)", front_matter)[1]).is_file()


def test_every_dependency_is_bounded_and_its_tested_version_is_in_the_constraints():
    def read(name):
        lines = (REPOSITORY / name).read_text(encoding="utf-8").splitlines()
        found = [Requirement(line.split("#")[0]) for line in lines if line[:1].isalpha()]
        return {canonicalize_name(one.name): str(one.specifier) for one in found}

    tested = read("constraints.txt")
    assert len(tested) > 120  # with what those need that are named
    assert read("requirements.txt").items() <= tested.items()
    assert read("requirements-dev.txt").items() <= tested.items()
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for line in chain(project["dependencies"], *project["optional-dependencies"].values()):
        one = Requirement(line)
        assert "<" in line or "==" in line, line
        version = tested.get(canonicalize_name(one.name), "").removeprefix("==")
        assert not version or one.specifier.contains(version), line


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


@pytest.mark.slow
def test_the_site_has_no_dead_link_and_the_whole_api(tmp_path):
    shutil.copytree(REPOSITORY / "docs", tmp_path / "docs")
    shutil.copy(REPOSITORY / "zensical.toml", tmp_path)
    (tmp_path / "symdemo").symlink_to(REPOSITORY / "symdemo")
    done = run_python("-m", "zensical", "build", "--strict", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site" / "api" / "index.html").read_text(encoding="utf-8")
    for name in set(symdemo.__all__) - {"__version__"}:
        assert f'id="symdemo.{name}"' in page, name


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
