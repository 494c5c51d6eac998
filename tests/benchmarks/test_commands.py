"""Every command of `benchmarks` can be begun: what it needs of the project is there."""

import os
import subprocess
import sys
from pathlib import Path

from symdemo.pairs import Pair

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))


def test_every_command_finds_what_it_needs():
    """A name that was moved away would only be missed when its figures are wanted anew."""
    paths = sorted(BENCHMARKS.glob("*.py"))
    assert len(paths) > 20
    for path in paths:
        text = path.read_text(encoding="utf-8")
        if "symdemo" in text and "__main__" in text:
            assert "\nimport checkout" in text, f"{path.name} needs an installed symdemo"
    begun()


def test_every_table_that_a_command_reads_is_there():
    """A file that was moved away would only be missed in the middle of a measurement."""
    tables = [line for line in begun(LIST_TABLES).splitlines() if line.endswith(".csv")]
    assert len(set(tables)) > 5
    assert [path for path in tables if not Path(path).is_file()] == []


LIST_TABLES = """
def show(value):
    if isinstance(value, Path):
        print(value)
    elif isinstance(value, dict | list | tuple):
        for own in value.values() if isinstance(value, dict) else value:
            show(own)

for name in names:
    for value in vars(sys.modules[name]).values():
        show(value)
"""


def begun(then=""):
    """What all commands print that are imported in a process of their own, and `then` run."""
    names = sorted(path.stem for path in BENCHMARKS.glob("*.py"))
    first = "import sys\nfrom pathlib import Path\nimport checkout, "
    run = [sys.executable, "-c", f"{first}{', '.join(names)}\nnames = {names}\n{then}"]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        run, cwd=BENCHMARKS, env=alone, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return done.stdout


def test_the_word_rival_of_questions_is_told_where_subject_and_object_stand(monkeypatch):
    """Without that, “mother” in a name would speak for what is said beside it."""
    import questions

    said = {"borders": "entailment", "meets": "entailment", "is the mother of": "contradiction"}
    said |= {"is near": "entailment", "is above": "contradiction", "owns": "contradiction"}
    taught = [
        Pair(f"Ann {verb} Ben.", f"Ben {verb} Ann.", label, verb, "Ann", "Ben")
        for verb, label in said.items()
    ]
    monkeypatch.setattr(questions, "taught_groups", lambda: {verb: verb for verb in said})
    asked = [
        questions.Asked("Your mother meets his mother.", ("",), "entailment", "", ""),
        questions.Asked("The river is above the road.", ("",), "contradiction", "", ""),
        questions.Asked("borders", ("",), "entailment", "", ""),  # no sentence: read as it is
    ]
    assert questions._phrasing("Your mother meets his mother.") == "[X] meets [Y]."
    assert questions.word_counts(taught, asked)["verdict_right"]["share"] == 100
