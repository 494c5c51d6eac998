"""The command line, run in-process: what it prints, where, and with which exit code."""

import json
import subprocess
import sys

import pytest

from symdemo import __version__, cli, cli_shared
from symdemo.pairs import MAX_CHARACTERS, save_pairs

COMMANDS = [command[0] for command in cli._COMMANDS]
ANN = "Ann 25 is the mother of Ben 25."  # among the pairs that the tests' models are taught
BEN = "Ben 25 is the mother of Ann 25."


@pytest.fixture
def run(capsys):
    """Run one command; its exit code, stdout and stderr."""

    def run(*argv) -> tuple[int, str, str]:
        try:
            code = cli.main([str(argument) for argument in argv])
        except SystemExit as stop:  # argparse leaves in this way
            code = stop.code
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def refused(run):
    """Run a command that must fail with one line on stderr; that line."""

    def refused(*argv) -> str:
        code, out, err = run(*argv)
        assert code == 2
        assert out == ""
        assert err.startswith("symdemo: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        return err

    return refused


@pytest.fixture(scope="session")
def models(fitted, tmp_path_factory):
    """A folder as `models/`, with one model on the tiny encoder."""
    from symdemo.classifier import SymmetryClassifier

    folder = tmp_path_factory.mktemp("models")
    model = fitted["knn"]
    card = model.card.with_(name="tiny")
    SymmetryClassifier(model.encoder, model.index, card).save_pretrained(folder / "tiny")
    return folder


@pytest.fixture
def with_models(models, monkeypatch):
    monkeypatch.setattr("symdemo.checkpoints.MODELS", models)
    return models


@pytest.fixture
def data(pairs, tmp_path):
    path = tmp_path / "pairs.jsonl"
    save_pairs(pairs, path)
    return path


# --- help, version, and what argparse refuses


def test_the_module_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "symdemo", "--version"], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == (f"{__version__}\n", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_subcommand_has_help(run, command):
    code, out, err = run(command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: symdemo {command}")


def test_the_help_names_every_subcommand(run):
    _, out, _ = run("--help")
    assert all(f"\n    {command}" in out for command in COMMANDS)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "required: COMMAND; `symdemo --help`"),
        (["fly"], "invalid choice: 'fly'"),
        (["predict"], "required: PREMISE; `symdemo predict --help`"),
        (["train", "--out", "x", "--samples", "many"], "invalid int value: 'many'"),
        (["evaluate"], "required: --data"),
        (["evaluate", "--data", "facts", "--part", "dev"], "invalid choice: 'dev'"),
        (["serve", "--port", "70000"], "The port is 70000; a number from 0 to 65535"),
    ],
)
def test_unusable_arguments_are_one_line(refused, argv, message):
    assert message in refused(*argv)


# --- predict


def test_predict_prints_the_verdict_and_its_neighbours(run, with_models):
    code, out, err = run("predict", "--model", "tiny", ANN, BEN)
    assert (code, err) == (0, "")
    assert f"premise     {ANN}\nhypothesis  {BEN}\nverdict     contradiction" in out
    assert out.count("neighbour   ") == 3


def test_predict_json(run, with_models):
    code, out, err = run("predict", "--model", with_models / "tiny", "--json", "-k", "5", ANN, BEN)
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["premise"], answer["hypothesis"]) == (ANN, BEN)
    assert answer["label"] == "contradiction"
    assert sum(answer["probabilities"].values()) == pytest.approx(1)
    assert len(answer["neighbours"]) == 5


def test_predict_makes_the_hypothesis_by_swapping(run, with_models):
    code, out, _ = run("predict", "--model", "tiny", "--json", "Kenya borders Uganda.")
    assert code == 0
    assert json.loads(out)["hypothesis"] == "Uganda borders Kenya."


def test_without_a_name_the_best_model_here_answers(run, with_models, monkeypatch):
    assert cli_shared.default_model() == "tiny"
    assert run("predict", ANN, BEN)[0] == 0
    monkeypatch.setattr("symdemo.cli_shared.DEFAULT_MODELS", ("absent", "tiny"))
    assert cli_shared.default_model() == "tiny"


@pytest.mark.parametrize(
    "sentences",
    [
        [""],
        [" \n "],
        ["Word"],
        ["Ann likes Ben. " * 700],
        ["Ann is the\x00 mother of Ben."],
        ["Ann is the\x1b[31m mother of Ben."],
        ["", BEN],
        [ANN, ""],
        ["Word", BEN],
        [ANN, "Word"],
        [ANN, ANN],
        [ANN, ANN.upper()],
        [ANN, "x y " * 2_500],
        [ANN, "Ben\x00 is the mother of Ann."],
        [ANN, "... !!! ???"],
        [ANN, "a b " * 200],  # short enough in characters, too long for the tiny encoder
    ],
)
def test_sentences_that_cannot_be_judged(refused, with_models, sentences):
    refused("predict", "--model", "tiny", *sentences)


def test_the_refusal_says_what_was_seen_and_what_is_expected(refused, with_models):
    message = refused("predict", "--model", "tiny", ANN, "x y " * 2_500)
    assert "10,000 characters" in message
    assert f"{MAX_CHARACTERS:,}" in message
    assert "U+0000" in refused("predict", "--model", "tiny", ANN, "Ben\x00 is Ann.")
    assert "same sentence" in refused("predict", "--model", "tiny", ANN, ANN)


def test_another_script_is_refused_by_an_encoder_that_cannot_read_it(refused, fitted, monkeypatch):
    from dataclasses import replace

    from symdemo.classifier import SymmetryClassifier
    from symdemo.encoders import SentenceEncoder

    known = fitted["knn"]
    latin = SentenceEncoder(
        known.encoder.model, replace(known.encoder.spec, script="LATIN"), known.encoder.base_hash
    )
    model = SymmetryClassifier(latin, known.index, known.card)
    monkeypatch.setattr(SymmetryClassifier, "from_pretrained", lambda *_: model)
    assert "Cyrillic" in refused("predict", "Кения граничит с Угандой", "Уганда граничит с Кенией")


@pytest.mark.parametrize("name", ["nothing", "./nothing", "", "someone/nothing"])
def test_an_unknown_model_is_refused(refused, with_models, name):
    code_line = refused("predict", "--model", name or "no/such/thing", ANN, BEN)
    assert "tiny" in code_line  # what is here


def test_k_below_one_is_refused(refused, with_models):
    assert "-k is 0; at least 1" in refused("predict", "--model", "tiny", "-k", "0", ANN, BEN)


# --- models


def test_models_lists_what_is_here(run, with_models, tmp_path, monkeypatch):
    assert run("models")[1].startswith("tiny")
    (card,) = json.loads(run("models", "--json")[1])
    assert (card["name"], card["method"]) == ("tiny", "knn")
    monkeypatch.setattr("symdemo.checkpoints.MODELS", tmp_path)
    assert run("models") == (0, "none; `symdemo train` makes one\n", "")
    assert json.loads(run("models", "--json")[1]) == []


# --- evaluate


def test_evaluate_json(run, with_models, data, pairs):
    code, out, err = run("evaluate", "--model", "tiny", "--data", data, "--json")
    assert (code, err) == (0, "")
    figures = json.loads(out)
    assert (figures["model"], figures["n"]) == ("tiny", len(pairs))
    assert (figures["data"]["part"], figures["data"]["pairs"]) == ("all", len(pairs))
    assert figures["accuracy"] == 1.0  # these pairs are the ones it was taught
    assert figures["lookup_baseline"] == 1.0
    assert figures["majority_baseline"] == 0.5


def test_evaluate_prints_the_baselines_beside_the_accuracy(run, with_models, data):
    code, out, err = run("evaluate", "--model", "tiny", "--data", data)
    assert (code, err) == (0, "")
    for expected in ("accuracy ", "relation look-up ", "most frequent label ", "relation P25 "):
        assert expected in out


def test_evaluate_takes_a_name_and_its_test_part(run, with_models):
    from symdemo.sources import load_data

    code, out, _ = run("evaluate", "--model", "tiny", "--data", "facts", "--json")
    assert code == 0
    figures = json.loads(out)
    assert (figures["data"]["name"], figures["data"]["part"]) == ("facts", "test")
    assert figures["n"] == len(load_data("facts", "test").pairs)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.csv", "premise,label\na b,neutral\n", "no column hypothesis; seen: premise, label"),
        ("p.jsonl", '{"premise": "a b"}\n', "line 1: no column hypothesis and label"),
        ("p.csv", "premise,hypothesis,label\na b,b a,\n", "line 2: the label is ''"),
        ("p.jsonl", '{"premise": "a b", "hypothesis": "b a", "label": 7}\n', "the label is 7"),
        ("p.csv", "premise,hypothesis,label\na b,b a\n", "line 2: 2 fields"),
        ("p.jsonl", "{broken\n", "line 1: not a JSON object"),
        ("p.csv", "premise,hypothesis,label\n", "has no rows"),
        ("p.jsonl", "", "has no rows"),
        ("p.csv", "", "no column premise"),
        ("p.csv", "premise,hypothesis,label\nword,b a,neutral\n", "line 2: The premise"),
        ("p.txt", "", "ends in “.txt”; .csv, .tsv or .jsonl is expected"),
    ],
)
def test_evaluate_refuses_files_it_cannot_read(
    refused, with_models, tmp_path, name, content, message
):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert message in refused("evaluate", "--model", "tiny", "--data", path)


def test_evaluate_refuses_data_that_is_not_there(refused, with_models, tmp_path):
    assert "There is no file" in refused("evaluate", "--data", tmp_path / "none.csv")
    assert "There is no data “nothing”" in refused("evaluate", "--data", "nothing")
    assert "nor Wikidata5m's" in refused("evaluate", "--data", tmp_path)
    assert "could not be had from the hub" in refused("evaluate", "--data", "asymmetricity")


# --- train


def test_train_writes_a_model_that_predict_loads(run, tiny_folder, data, tmp_path):
    out = tmp_path / "mine"
    given = ("--encoder", tiny_folder, "--data", data, "--samples", 16, "--seed", 3)
    code, printed, err = run("train", *given, "--out", out, "--json")
    assert (code, err) == (0, "")
    card = json.loads(printed)
    assert (card["name"], card["method"], card["seed"]) == ("mine", "knn", 3)
    assert (card["data"]["pairs"], card["data"]["source"]) == (16, "the file pairs.jsonl")
    code, printed, err = run("predict", "--model", out, "--json", ANN, BEN)
    assert (code, err) == (0, "")
    answer = json.loads(printed)
    assert answer["label"] in card["labels"]
    assert len(answer["neighbours"]) == 3


@pytest.fixture
def quick(quick_config, monkeypatch):
    monkeypatch.setattr("symdemo.hyperparameters.defaults", lambda *_: quick_config)


def test_train_on_our_own_facts_leaves_their_test_part_out(run, quick, tiny_folder, tmp_path):
    from symdemo.checkpoints import load_model
    from symdemo.sources import load_data

    out = tmp_path / "mine"
    code, printed, err = run(
        "train", "--encoder", tiny_folder, "--samples", 28, "--name", "ours", "--out", out
    )
    assert (code, printed, err) == (0, f"ours: 28 pairs, written to {out}\n", "")
    held_out = {pair.entity_pair for pair in load_data("facts", "test").pairs}
    model = load_model(out)
    assert not held_out & {pair.entity_pair for pair in model.index.pairs}
    assert len({pair.relation for pair in model.index.pairs}) == 14
    assert model.card.data["part"] == "train"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--method", "magic"], "The method “magic” is unknown; expected: random-label-emb"),
        (["--samples", "0"], "0 samples were asked for; between 1 and 48"),
        (["--samples", "-1"], "-1 samples were asked for"),
        (["--samples", "49"], "49 samples were asked for"),
        (["--samples", "1"], "at least two labels; seen: "),
        (["--encoder", "magic"], "The encoder “magic” is unknown"),
        (["--data", "nothing"], "There is no data “nothing”"),
    ],
)
def test_train_refuses_and_writes_nothing(refused, tiny_folder, data, tmp_path, argv, message):
    out = tmp_path / "mine"
    line = refused("train", "--encoder", tiny_folder, "--data", data, "--out", out, *argv)
    assert message in line
    assert not out.exists()


def test_train_leaves_an_existing_folder_alone(refused, data, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "mine.txt").write_text("mine", encoding="utf-8")
    for out in (kept, data):
        assert "exists and is not empty" in refused("train", "--data", data, "--out", out)
    assert [path.read_text("utf-8") for path in kept.iterdir()] == ["mine"]


# --- dataset


@pytest.fixture
def wikidata(tmp_path):
    """Twenty mothers and twenty siblings, and one triple that is dropped."""
    paths = tmp_path / "triples.txt", tmp_path / "entities.txt"
    relations = ["P25", "P3373"] * 20
    triples = [f"Q{2 * n + 1}\t{p}\tQ{2 * n + 2}\n" for n, p in enumerate(relations)]
    paths[0].write_text("".join([*triples, "Q2\tP3373\tQ2\n"]), encoding="utf-8")
    labels = "".join(f"Q{n}\tperson {n}\n" for n in range(1, 81))
    paths[1].write_text(labels, encoding="utf-8")
    return ("--triples", paths[0], "--entities", paths[1], "--out", tmp_path / "out")


def test_dataset_makes_a_folder_that_evaluate_and_train_take(
    run, with_models, quick, wikidata, tiny_folder, tmp_path
):
    code, out, err = run("dataset", *wikidata, "--test-share", 0.2, "--seed", 1, "--json")
    assert (code, err) == (0, "")
    content = json.loads(out)
    assert content == json.loads((tmp_path / "out" / "dataset.json").read_text("utf-8"))
    assert content["pairs"] == {"train": 64, "test": 16}
    code, out, _ = run("evaluate", "--model", "tiny", "--data", tmp_path / "out", "--json")
    assert (code, json.loads(out)["n"], json.loads(out)["data"]["part"]) == (0, 16, "test")
    given = ("--encoder", tiny_folder, "--data", tmp_path / "out", "--out", tmp_path / "mine")
    code, out, _ = run("train", *given, "--json")
    assert (code, json.loads(out)["data"]["pairs"]) == (0, 64)


def test_dataset_says_what_it_made_and_what_it_dropped(run, wikidata):
    code, out, err = run("dataset", *wikidata, "--relations", "P3373,P25", "--limit", 15)
    assert (code, err) == (0, "")
    assert "30 facts from 41 triples" in out
    assert "1  head and tail are the same entity" in out
    assert "10  above the limit of its relation" in out
    assert "P25    contradiction" in out


def test_dataset_says_when_it_made_more_than_can_be_read_back(run, wikidata, monkeypatch):
    monkeypatch.setattr("symdemo.pairs.MAX_FILE_ROWS", 10)
    code, _, err = run("dataset", *wikidata)
    assert code == 0
    assert "more than the 10 rows" in err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--triples", "none.txt"], "There is no file none.txt; Wikidata5m's triples"),
        (["--entities", "none.txt"], "There is no file none.txt; Wikidata5m's labels"),
        (["--relations", "P25,P31"], "The relation “P31” is unknown"),
        (["--relations", ""], "No relation is named"),
        (["--relations", "P22"], "has no triple of P22 among its 41 lines"),
        (["--test-share", "1.5"], "The test share is 1.5; a number between 0 and 1"),
        (["--limit", "0"], "The limit is 0"),
        (["--seed", "x"], "invalid int value: 'x'"),
    ],
)
def test_dataset_refuses_and_writes_nothing(refused, wikidata, tmp_path, argv, message):
    assert message in refused("dataset", *wikidata, *argv)
    assert not (tmp_path / "out").exists()


def test_dataset_names_a_broken_line_and_keeps_an_existing_folder(refused, wikidata, tmp_path):
    triples = wikidata[1]
    triples.write_text(triples.read_text("utf-8") + "Q1 P25 Q2\n", encoding="utf-8")
    assert "triples.txt, line 42: “Q1 P25 Q2”; expected" in refused("dataset", *wikidata)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    assert "exists and is not empty" in refused("dataset", *wikidata)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


# --- a terminal, an interrupt, a folder that may not be written


def test_progress_is_shown_on_a_terminal_only(run, monkeypatch, with_models, data, wikidata):
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True, raising=False)
    _, out, err = run("evaluate", "--model", "tiny", "--data", data, "--json")
    assert json.loads(out)["n"] == 48
    assert "\rencoded 48 of 48\n" in err
    _, _, err = run("dataset", *wikidata)
    assert err.startswith("\rreading triples.txt 100%\n\rreading entities.txt 100%\n")
    assert err.endswith("\rwriting test-delexicalized.jsonl 100%\n")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "symdemo: stopped.\n"),
        (PermissionError(13, "Permission denied", "/x"), 2, "symdemo: /x: Permission denied.\n"),
        (OSError("no space"), 2, "symdemo: no space.\n"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_what_the_system_raises_ends_in_one_line(run, monkeypatch, error, code, message):
    def fail():
        raise error

    monkeypatch.setattr("symdemo.checkpoints.list_models", fail)
    assert run("models") == (code, "", message)
