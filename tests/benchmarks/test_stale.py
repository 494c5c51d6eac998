"""`benchmarks/stale.py`: what has changed since results were made is named, file by file."""

import ast
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import stale
from general_arms import ARMS

from symdemo.files.paths import RESULTS
from symdemo.files.provenance import ANSWERS, version_of


def test_each_file_and_row_is_told_with_what_has_changed_since(tmp_path, monkeypatch, capsys):
    now = {"commit": "b", "depends": {"geometry": version_of("geometry")}}
    then = {"commit": "a", "depends": {"geometry": "0" * 12, "losses": version_of("losses")}}
    parts = {"parts": {"one": {"made_by": now}, "two": {"made_by": then}}}
    (tmp_path / "two_parts.json").write_text(json.dumps(parts))
    rows = [{"key": {}, "result": {}}, {"key": {}, "result": {}, "made_by": now}] * 2
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    put_together = {"made_by": {"commit": "c"}, "rows_made_by": [], "rows": []}
    (tmp_path / "of_rows.json").write_text(json.dumps(put_together))
    (tmp_path / "kept").mkdir()
    runs = [{"fold": fold, "fingerprint": "f", "made_by": now} for fold in range(5)]
    (tmp_path / "kept" / "words.json").write_text(json.dumps(runs))
    monkeypatch.setattr(stale, "RESULTS", tmp_path)
    monkeypatch.setattr(stale, "same_answers", list)
    monkeypatch.setattr(sys, "argv", ["stale.py"])
    assert stale.main() == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| kept/words.json | b | 5 | nothing |",
        "| rows.jsonl | not told | 2 | not told |",
        "| rows.jsonl | b | 2 | nothing |",
        "| two_parts.json | b | 1 | nothing |",
        "| two_parts.json | a | 1 | geometry |",
    ]
    monkeypatch.setattr(sys, "argv", ["stale.py", "--strict"])
    assert stale.main() == 1


def test_what_is_taken_for_the_same_is_told(monkeypatch):
    now = version_of("geometry")
    row = {"of": {"geometry": {"then": "a", "now": now}}, "command": "python it.py c"}
    older = {"of": {"geometry": {"then": "b", "now": "0"}}, "command": "", "but_for": []}
    rows = [row | {"but_for": []}, row | {"but_for": ["teaching"]}, older]
    monkeypatch.setattr(stale, "same_answers", lambda: rows)
    text = f"geometry a answers as {now} (python it.py c)"
    assert list(stale.taken_for_the_same()) == [f"{text}.", f"{text}, but for figures of teaching."]


def test_what_the_commands_depend_on_is_there():
    """A name that is misspelt would only be found once a long measurement is over."""
    sources = Path(stale.__file__).parent.glob("*.py")
    names = {
        node.value
        for path in sources
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "provenance"
        for node in call.args
        if isinstance(node, ast.Constant)
    }
    names |= {name for arm in ARMS.values() for name in arm.code}
    assert len(names) >= 10
    assert all(map(version_of, names | set(ANSWERS)))


def test_answers_that_are_kept_say_which_code_they_depend_on():
    told = [state for state in stale.states(RESULTS) if state[0].startswith("general/")]
    assert len(told) >= 7
    assert all(since is not None for *_, since in told)
