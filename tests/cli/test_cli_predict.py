"""`symdemo predict` on many sentences: files, standard input, bad lines, closed pipes."""

import io
import json
import os
import subprocess
import sys

import pytest
from tiny import ANN, BEN

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.asking import NOT_OUR_KIND
from symdemo.cli import predict as cli_predict
from symdemo.errors import ModelError

BORDERS = ("Kenya borders Uganda.", "Uganda borders Kenya.")
SIBLING = ("Ann is a sibling of Ben.", "Ben is a sibling of Ann.")
OWN = "Ben is next to Ann."


@pytest.fixture
def predict(run, with_models):
    def predict(*argv):
        return run("predict", "--model", "tiny", *argv)

    return predict


@pytest.fixture
def typed(monkeypatch):
    def typed(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))

    return typed


def pairs_in(out):
    return [tuple(line.split("\t")[2:]) for line in out.splitlines()]


def jsonl(*pairs):
    rows = (dict(zip(("premise", "hypothesis"), pair, strict=False)) for pair in pairs)
    return "".join(json.dumps(row) + "\n" for row in rows)


FILES = {
    "plain.txt": f"{BORDERS[0]}\n\n  {SIBLING[0]}  \n",
    "commas.txt": f"{BORDERS[0]}\r\n{SIBLING[0]}\r\n",
    "table.csv": f"premise\n{BORDERS[0]}\n\n{SIBLING[0]}\n",
    "named.csv": f'id;"Sentence";note\n1;{BORDERS[0]};a, b\n2;"{SIBLING[0]}";\n',
    "table.tsv": f"premise\thypothesis\n{BORDERS[0]}\t\n{SIBLING[0]}\t{SIBLING[1]}\n",
    "objects.jsonl": jsonl((BORDERS[0], None), SIBLING),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("through", ["file", "stdin"])
def test_every_kind_of_file_gives_a_line_each(predict, typed, tmp_path, name, through):
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8-sig", newline="")
    typed(path.read_bytes())
    code, out, err = predict("--file", path if through == "file" else "-")
    assert (code, err) == (0, "")
    assert pairs_in(out) == [BORDERS, SIBLING]
    for line in out.splitlines():
        label, share, *_ = line.split("\t")
        assert label in ("entailment", "contradiction")
        assert 0 < int(share.removesuffix("%")) <= 100


def test_an_answer_is_the_one_that_the_sentence_alone_gets(predict, write):
    path = write("pairs.jsonl", jsonl((ANN, BEN)))
    alone = json.loads(predict("--json", "-k", "5", ANN, BEN)[1])
    _, out, _ = predict("--file", path, "--json", "-k", "5")
    assert json.loads(out) == {"line": 1} | alone


def test_a_bad_line_is_reported_by_number_and_stops_nothing(predict, typed):
    lines = [ANN, "nonsense", "\x07 bell rings bells", BORDERS[0], "A loves B " * 300, SIBLING[0]]
    content = "\n".join(lines).encode() + b"\nAnn \xff likes Ben.\n"
    typed(content)
    code, out, err = predict("--file", "-", "--json")
    assert code == 2
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["line"] for answer in answers] == [1, 2, 3, 4, 5, 6, 7]
    assert [answer["line"] for answer in answers if "error" in answer] == [2, 3, 5, 7]
    assert "“nonsense”" in answers[1]["error"]
    told = err.splitlines()
    assert [line.split(":")[1] for line in told] == [" line 2", " line 3", " line 5", " line 7"]
    assert "“nonsense”" in told[0]
    assert "U+0007" in told[1]
    assert "UTF-8" in told[3]


def test_a_pair_that_the_encoder_refuses_does_not_take_its_chunk_along(predict, write):
    path = write("rows.jsonl", jsonl((ANN, BEN), (ANN, "a b " * 200), SIBLING))
    code, out, err = predict("--file", path)
    assert (code, pairs_in(out)) == (2, [(ANN, BEN), SIBLING])
    assert err.startswith("symdemo: line 2: ")
    assert "tokens" in err


def test_doubts_are_said_beside_the_answer_and_stand_in_the_json(predict, write):
    code, out, err = predict(ANN, OWN)
    assert (code, "verdict" in out) == (0, True)
    answer = json.loads(predict("--json", ANN, OWN)[1])
    assert answer["doubts"]
    assert err == "".join(f"symdemo: {doubt}\n" for doubt in answer["doubts"])
    code, _, err = predict("--file", write("rows.jsonl", jsonl((ANN, OWN))))
    assert code == 0  # a doubt is no failure
    assert err == "".join(f"symdemo: line 1: {doubt}\n" for doubt in answer["doubts"])


def test_a_pair_that_is_not_judged_has_no_verdict_and_one_line_why(run, saved, write):
    model = ("--model", saved["conjugate"])
    pair = (ANN, "It rained in Rome.")
    code, out, err = run("predict", *model, *pair)
    assert code == 0
    assert out.splitlines()[2:] == ["verdict     none"]
    assert err == f"symdemo: {NOT_OUR_KIND}\n"
    answer = json.loads(run("predict", *model, "--json", *pair)[1])
    assert (answer["judged"], answer["in_scope"], answer["label"]) == (False, False, "not judged")
    path = write("rows.tsv", f"premise\thypothesis\n{ANN}\t{pair[1]}\n{ANN}\t{ANN}\n")
    code, out, err = run("predict", *model, "--file", path)
    rows = [line.split("\t") for line in out.splitlines()]
    assert (code, rows[0], rows[1][2:]) == (0, ["none", "", *pair], [ANN, ANN])
    assert err == f"symdemo: line 2: {NOT_OUR_KIND}\n"


@pytest.mark.parametrize("there", [True, False])
def test_what_a_model_of_swaps_cannot_judge_goes_to_the_model_of_pairs(
    predict, saved, monkeypatch, write, there
):
    def load(_backend):
        if not there:
            raise ModelError("no such model")
        return SymmetryClassifier.from_pretrained(saved["conjugate"])

    monkeypatch.setattr(cli_predict, "_model_of_pairs", load)
    denied = (ANN, f"It is false that {ANN}")
    path = write("rows.jsonl", jsonl(denied, (ANN,)))
    answers = [json.loads(line) for line in predict("--json", "--file", path)[1].splitlines()]
    assert [answer["in_scope"] for answer in answers] == [there, True]
    alone = json.loads(predict("--json", *denied)[1])
    assert alone["in_scope"] == there


def test_answers_come_before_the_stream_ends(predict, monkeypatch):
    """Each chunk is printed before the next line after it is read."""
    monkeypatch.setattr(cli_predict, "CHUNK", 2)
    printed_at_read = []

    class Slow(io.BytesIO):
        def readable(self):
            return True

        def read1(self, size=-1):
            printed_at_read.append(printed.getvalue().count("\n"))
            return self.readline()

    printed = io.StringIO()
    stdin = type("Stdin", (), {"buffer": Slow(f"{ANN}\n".encode() * 6), "isatty": lambda _: False})
    monkeypatch.setattr("sys.stdin", stdin())
    monkeypatch.setattr("sys.stdout", printed)
    assert predict("--file", "-")[0] == 0
    assert printed.getvalue().count("\n") == 6
    assert 2 in printed_at_read
    assert 4 in printed_at_read


@pytest.mark.slow
def test_a_closed_pipe_ends_quietly(models, tmp_path):
    """As in `symdemo predict --file … | head -1`."""
    program = (
        "import sys, pathlib, symdemo.classifier.checkpoints as c, symdemo.cli.shared as s;"
        "c.MODELS = pathlib.Path(sys.argv.pop(1)); s.PATIENCE = 600;"  # or it says what takes long
        "from symdemo.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    path = tmp_path / "many.txt"
    path.write_text(f"{ANN}\n" * 400, encoding="utf-8")
    given = ["predict", "--model", "tiny", "--json", "--file", path]
    process = subprocess.Popen(
        [sys.executable, "-c", program, models, *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ,
    )
    assert json.loads(process.stdout.readline())["line"] == 1
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0
