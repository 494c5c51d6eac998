"""The command line: help, verdicts, the list of models, and how it ends."""

import json

import pytest
from programs import run_python
from tiny import ANN, BEN

from symdemo import __version__
from symdemo.cli import main as cli
from symdemo.cli import shared as cli_shared
from symdemo.pairs import MAX_CHARACTERS


def test_the_module_runs_as_a_program_and_its_help_imports_no_torch():
    code = (
        "import sys; from symdemo.cli.main import main\n"
        "try: main(['train', '--help'])\n"
        "except SystemExit: print('torch' in sys.modules)"
    )
    assert run_python("-c", code).stdout.endswith("False\n")
    done = run_python("-m", "symdemo", "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{__version__}\n", "")


def test_every_subcommand_is_listed_and_has_help(run):
    _, listed, _ = run("--help")
    for command in cli.COMMANDS:
        assert f"\n    {command}" in listed
        code, out, err = run(command, "--help")
        assert (code, err) == (0, "")
        assert out.startswith(f"usage: symdemo {command}")


def test_serve_without_the_apps_libraries_says_what_to_install():
    program = (
        "import sys; sys.modules['gradio'] = None;"
        "from symdemo.cli.main import main; sys.exit(main(['serve']))"
    )
    found = run_python("-c", program)
    assert (found.returncode, found.stdout) == (2, "")
    assert "needs gradio" in found.stderr
    assert found.stderr.endswith("pip install 'symdemo[app]'.\n")


@pytest.mark.slow
def test_serve_leaves_it_to_gradio_where_to_listen_as_the_app_does(run, monkeypatch):
    places = []
    monkeypatch.setattr("gradio.Blocks.launch", lambda demo, **options: places.append(options))
    monkeypatch.setattr("symdemo.ui.app.warm_up", lambda *_: None)
    for argv in ([], ["--host", "0.0.0.0", "--port", "7"]):
        assert run("serve", *argv)[0] == 0
    assert [(o["server_name"], o["server_port"]) for o in places] == [(None, None), ("0.0.0.0", 7)]


def test_predict_prints_the_verdict_and_its_neighbours(run, with_models):
    code, out, err = run("predict", "--model", "tiny", ANN, BEN)
    assert (code, err) == (0, "")
    assert f"premise     {ANN}\nhypothesis  {BEN}\nverdict     contradiction" in out
    assert out.count("neighbour   ") == 3
    code, out, err = run("predict", "--model", with_models / "tiny", "--json", "-k", "5", ANN, BEN)
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["premise"], answer["hypothesis"]) == (ANN, BEN)
    assert answer["label"] == "contradiction"
    assert sum(answer["probabilities"].values()) == pytest.approx(1)
    assert len(answer["neighbours"]) == 5


def test_without_a_name_the_best_model_here_answers(run, with_models, monkeypatch):
    assert cli_shared.default_model() == "tiny"
    assert run("predict", ANN, BEN)[0] == 0
    monkeypatch.setattr("symdemo.classifier.checkpoints.SHIPPED", ("absent", "tiny"))
    assert cli_shared.default_model() == "tiny"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([" \n "], "The sentence is empty"),
        ([ANN, ""], "The hypothesis is empty"),
        ([ANN, "x y " * 2_500], f"10,000 characters; at most {MAX_CHARACTERS:,}"),
        ([ANN, "a b " * 200], "tokens"),  # few characters, but too long for the tiny encoder
    ],
)
def test_sentences_that_predict_refuses(refused, with_models, words, says):
    assert says in refused("predict", "--model", "tiny", *words)


def test_models_lists_what_is_here(run, with_models, tmp_path, monkeypatch):
    assert run("models")[1].startswith("tiny")
    cards = json.loads(run("models", "--json")[1])
    found = [(card["name"], card["method"]) for card in cards]
    assert found == [("tiny", "knn"), ("tuned", "fine-tuning")]
    monkeypatch.setattr("symdemo.classifier.checkpoints.MODELS", tmp_path)
    assert run("models") == (0, "none; `symdemo train` makes one\n", "")
    assert json.loads(run("models", "--json")[1]) == []


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "symdemo: stopped; nothing is half done, so run it again.\n"),
        (PermissionError(13, "Permission denied", "/x"), 2, "symdemo: /x: Permission denied.\n"),
        (OSError("no space"), 2, "symdemo: no space.\n"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_what_the_system_raises_ends_in_one_line(run, monkeypatch, error, code, message):
    def fail():
        raise error

    monkeypatch.setattr("symdemo.classifier.checkpoints.list_models", fail)
    assert run("models") == (code, "", message)
