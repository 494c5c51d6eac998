"""`symdemo teach`: what it prints, what it writes, and what it refuses in one line."""

import json
from functools import partial

import pytest

from symdemo.classifier import SymmetryClassifier
from symdemo.teaching.store import ProjectStore

QUICK = ("--epochs", "2", "--rate", "3e-3", "--retention", "0", "--replay", "16")
ROWS = """subject,relation,object,label
Ann 7,borders,Ben 7,yes
Carl 7,borders,Dan 7,yes
Eve 7,borders,Finn 7,yes
Ann 7,was next to,Finn 7,depends
Carl 7,was next to,Ben 7,depends
Ida 7,was next to,Jon 7,depends
Kate 7,is part of,Leo 7,no
"""


pytestmark = pytest.mark.usefixtures("small_measurements", "with_models")


@pytest.fixture
def teach(run):
    return partial(run, "teach")


@pytest.fixture
def data(write):
    return write("rows.csv", ROWS)


def test_instant_teaching_prints_the_comparison(teach, data):
    code, out, err = teach("--data", data, "--model", "tiny", "--instant")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "taught      7 pairs to tiny"
    assert lines[1].endswith("% (6, leave one out)")
    assert lines[2].endswith("(28 facts)")
    assert lines[3] == "neighbours  100.0% of the nearest generic sentences kept"
    assert sum(" → " in line and "7" in line for line in lines[4:]) == 6
    assert lines[-1] == "  not checked, add a second example: is part of"


@pytest.mark.slow
def test_retraining_writes_a_model_that_can_be_loaded(teach, data, tmp_path):
    out = tmp_path / "mine"
    code, printed, err = teach(
        "--data", data, "--model", "tiny", *QUICK, "--out", out, "--json", "--quiet"
    )
    assert (code, err) == (0, "")
    answer = json.loads(printed)
    assert (answer["base"], answer["pairs"], answer["folder"]) == ("tiny", 7, str(out))
    assert answer["comparison"]["how_held_out"] == "held out"
    assert answer["comparison"]["own_n"] == 2
    assert answer["comparison"]["unchecked"] == ["is part of"]
    model = SymmetryClassifier.from_pretrained(out, device="cpu")
    assert model.card.name == "mine"
    assert set(model.labels) == {"entailment", "contradiction", "depends"}
    assert len(model.index) == 48 + 7
    assert model.card.training["replay"] == 16
    assert model.card.training["learning_rate"] == 3e-3


@pytest.mark.slow
def test_a_new_project_is_made_and_taught_again(teach, data, tmp_path):
    root = tmp_path / "projects"
    code, out, _ = teach(
        "--data", data, "--model", "tiny", "--instant", "--project", root, "--json"
    )
    assert code == 0
    first = json.loads(out)
    store = ProjectStore(root, bases=("tiny", "tuned"))
    folder = root / first["project"].rsplit("/", maxsplit=1)[-1]
    project = store.open(folder.name)
    assert (project.name, project.base, len(project.rows)) == ("rows", "tiny", 7)
    assert project.versions()[0].id == first["version"]
    again = ("--project", folder, *QUICK)  # the rows it has
    code, out, err = teach(*again, "--quiet", "--model", "tuned")
    assert (code, err) == (0, "")
    assert out.startswith("taught      7 pairs to tuned\n")
    assert out.endswith(f"written to {folder}\n")
    _, version = project.versions()
    assert (version.how, version.base, version.parent) == ("retrained", "tuned", None)
    assert version.training["epochs"] == 2
    _, _, err = teach(*again, "--model", "absent")
    assert "“absent”; expected: Version 1, Version 2, tiny, tuned." in err
    _, _, err = teach("--project", folder, "--instant", "--model", "tuned")
    assert "goes on from the version in use" in err


ODD = """Ann 7,,Ben 7,yes
Ida 7,hates,Jon 7,yes
Ida 7,hates,Jon 7,no
"""


@pytest.mark.parametrize("place", ["--out", "--project"])
def test_odd_rows_are_set_aside_and_listed(teach, write, tmp_path, place):
    path = write("odd.csv", ROWS + ODD)
    made = ("--model", "tiny", "--instant", place, tmp_path / "made")
    code, out, err = teach("--data", path, *made, "--strict")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("symdemo: odd.csv: Line 9: The relation is empty")
    code, out, err = teach("--data", path, *made, "--json")
    answer, lines = json.loads(out), err.splitlines()
    assert (code, answer["pairs"], answer["set_aside"]) == (0, 7, 3)
    assert lines[0].startswith("symdemo: set aside: Line 9: The relation is empty")
    assert "set aside: Rows 8 and 9 are the same sentence with different labels" in lines[1]
    assert len(lines) == 2


FOREIGN = "Nr;Satz;Gegensatz, falls da;Urteil\n" + "".join(
    f"{n};{one} borders {two}.;{two} borders {one}.;yes\n{n}b;{one} is part of {two}.;;no\n"
    for n, (one, two) in enumerate((("Ann", "Ben"), ("Eve", "Finn"), ("Ida", "Jon")))
)


def test_foreign_columns_are_named(teach, write):
    code, out, err = teach(
        "--data", write("fremd.csv", FOREIGN), "--model", "tiny", "--instant",
        "--columns", "premise=Satz,label=Urteil", "--columns", "hypothesis=Gegensatz, falls da",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.startswith("taught      6 pairs to tiny\n")


def test_a_missing_device_is_refused_for_a_project_too(refused, data, tmp_path):
    given = ("--data", data, "--model", "tiny", "--project", tmp_path / "made", "--instant")
    assert "no device cuda:77 here" in refused("teach", *given, "--device", "cuda:77")
    assert not (tmp_path / "made").exists()
