import json
from pathlib import Path

import pytest

from symdemo.data.facts_check import check, check_files, main, parse_entities, parse_facts
from symdemo.data.facts_faults import HEADER, RELATIONS, normalise, structural_faults
from symdemo.errors import InputError

REPOSITORY = Path(__file__).resolve().parents[2]
FACTS = REPOSITORY / "assets" / "facts.csv"


def clean_lines() -> list[str]:
    lines = [",".join(HEADER)]
    for relation in sorted(RELATIONS):
        lines.extend(f"{relation},,{relation} head {n},,{relation} tail {n}" for n in range(25))
    return lines


def faults_with(*extra: str) -> tuple[str, ...]:
    return structural_faults(parse_facts("\n".join([*clean_lines(), *extra]) + "\n"))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    facts, labels = tmp_path / "facts.csv", tmp_path / "labels.txt"
    lines = [*clean_lines(), "P361,Q583,Mont Blanc,Q1286,Alps", 'P131,Q62,"A, B",,C']
    facts.write_text("\n".join(lines) + "\n", encoding="utf-8")
    labels.write_text("Q583\tMonte Bianco\tmont blanc\nQ1286\tAlps\nQ62\tA, B\n", encoding="utf-8")
    return facts, labels


def test_clean_rows_have_no_faults() -> None:
    assert faults_with() == ()


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        (["P9,,a,,b"], "unknown relation 'P9'"),
        (["P40,,a,,b,c"], "6 fields instead of 5"),
        (["P40,,a"], "3 fields instead of 5"),
        (["P40,Q07,a,,b"], "'Q07' is not an id"),
        (["P40,,a,17,b"], "'17' is not an id"),
        (["P40,,a,,A"], "head and tail are the same"),
        (["P40,Q1,a,Q1,a"], "head and tail are the same"),
        (["P40,,,,b"], "an empty label"),
        (["P3373,,a,,b", "P3373,,b,,a"], "repeat the pair"),
        (["P40,,a,,b", "P40,,a,,b"], "repeat the pair"),
        (["P40,,a,,b", "P3373,,b,,a"], "of the other pattern"),
        (["P40,,a,,b", "P22,,b,,a"], "stand under P40"),
        (["P40,,a,,b", "P40,,b,,a"], "swap the antisymmetric fact"),
        (["P40,Q5,a,,b", "P40,Q5,c,,d"], "Q5 has 2 labels: a / c"),
    ],
)
def test_each_fault_is_found_alone(extra: list[str], says: str) -> None:
    faults = faults_with(*extra)
    assert len(faults) == 1
    assert says in faults[0]


def test_too_few_facts_are_a_fault() -> None:
    lines = [line for line in clean_lines() if line != "P25,,P25 head 3,,P25 tail 3"]
    assert structural_faults(parse_facts("\n".join(lines))) == ("P25 has 24 facts, fewer than 25.",)


def test_labels_are_compared_without_case_and_composed() -> None:
    assert normalise("E\u0301tienne  PASCAL") == normalise("étienne pascal")


def test_disagreement_absence_and_missing_id_are_told_apart() -> None:
    rows = parse_facts(",".join(HEADER) + "\nP361,Q1,Alps,Q2,Moon\nP361,Q3,x,,y\n")
    report = check(rows, {"Q1": ("Alpes", "alps"), "Q2": ("Earth",)}, minimum=0)
    assert report.checked == 1
    assert report.disagreements == ("Q2 is 'Moon' here but 'Earth' in the label file.",)
    assert report.absent_ids == ("Q3 (x)",)
    assert report.without_id == ("y",)
    assert report.faults == ()
    assert not report.ok


def test_another_header_is_refused() -> None:
    with pytest.raises(InputError, match="must begin with the header"):
        parse_facts("head,relation,tail\n")


def test_a_label_file_without_tabs_is_refused() -> None:
    with pytest.raises(InputError, match="no line of the shape"):
        parse_entities(["Q1 Alps\n"], ["Q1"])


def test_command_passes_a_clean_file(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    facts, labels = files
    assert main(["--entities", str(labels), "--facts", str(facts)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("352 facts of 14 relations")
    assert "0 disagreements" in out.splitlines()[-1]


def test_command_prints_json_and_exits_1_on_a_disagreement(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    facts, labels = files
    labels.write_text("Q583\tEverest\nQ1286\tAlps\n", encoding="utf-8")
    assert main(["--entities", str(labels), "--facts", str(facts), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert len(report["disagreements"]) == 1
    assert report["absent_ids"] == ["Q62 (A, B)"]
    assert report["per_relation"]["P361"] == 26
    assert report["ok"] is False


def test_command_exits_2_on_unusable_input(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    facts, labels = files
    assert main(["--entities", str(labels), "--facts", str(facts.parent / "none.csv")]) == 2
    assert main(["--entities", str(facts.parent / "none.txt"), "--facts", str(facts)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 2


def test_the_real_facts_have_no_structural_faults() -> None:
    rows = parse_facts(FACTS.read_text(encoding="utf-8"))
    assert structural_faults(rows, minimum=27) == ()


def test_the_real_facts_agree_with_the_label_file(shared_data: Path) -> None:
    report = check_files(FACTS, shared_data / "wikidata" / "entity.txt")
    assert report.disagreements == ()
    assert report.checked > 0
