"""The command line: `symdemo` and `python -m symdemo`.

Answers go to stdout, everything else to stderr; bad input ends in one sentence and exit code 2.
Each subcommand is one function, and imports what it needs when it runs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from symdemo import __version__
from symdemo.errors import InputError, SymdemoError
from symdemo.pairs import Pair, load_pairs

DEFAULT_MODELS = ("general", "wikidata14")
"""The first of these that is in `models/` answers where no model is named."""


def default_model() -> str:
    """The name of the model that answers where none is named."""
    from symdemo.checkpoints import list_models

    here = [card.name for card in list_models()]
    return next((name for name in (*DEFAULT_MODELS, *here) if name in here), DEFAULT_MODELS[0])


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        return arguments.run(arguments) or 0
    except SymdemoError as error:
        print(f"symdemo: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("symdemo: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="symdemo",
        description="When subject and object change places, does the sentence still hold?",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, add_arguments, text in _COMMANDS:
        command = commands.add_parser(name, help=text, description=text)
        add_arguments(command)
        command.set_defaults(run=run)
    return parser


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", help="name in models/, folder, or hub id (default: the best)")
    parser.add_argument("--device", help="cpu, cuda or mps (default: the best there is)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _load(arguments: argparse.Namespace):
    from symdemo.classifier import SymmetryClassifier

    return SymmetryClassifier.from_pretrained(arguments.model or default_model(), arguments.device)


def _predict_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("premise", metavar="PREMISE")
    parser.add_argument(
        "hypothesis", metavar="HYPOTHESIS", nargs="?", help="made by swapping if left out"
    )
    parser.add_argument("-k", type=int, help="how many neighbours vote (default: the model's)")
    _add_model(parser)


def _predict(arguments: argparse.Namespace) -> None:
    from symdemo import swap

    if arguments.k is not None and arguments.k < 1:
        raise InputError(f"-k is {arguments.k}; at least 1 is expected.")
    hypothesis = arguments.hypothesis
    if hypothesis is None:
        hypothesis = swap(arguments.premise).hypothesis
    prediction = _load(arguments).predict([Pair(arguments.premise, hypothesis)], arguments.k)[0]
    if arguments.json:
        _print_json(prediction.to_json())
        return
    print(f"premise     {prediction.pair.premise}")
    print(f"hypothesis  {prediction.pair.hypothesis}")
    shares = ", ".join(f"{label} {p:.0%}" for label, p in prediction.probabilities.items())
    print(f"verdict     {prediction.label}  ({shares})")
    if prediction.familiar is False:
        print("            unlike anything this model was taught: do not rely on it")
    for neighbour in prediction.neighbours:
        print(f"neighbour   {neighbour.distance:.4f}  {neighbour.label}  {neighbour.pair.premise}")


def _evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", required=True, help="CSV or JSONL: premise, hypothesis, label[, relation]"
    )
    _add_model(parser)


def _evaluate(arguments: argparse.Namespace) -> None:
    from symdemo.evaluation import evaluate

    pairs = load_pairs(arguments.data, labels=None)
    model = _load(arguments)
    result = evaluate(model, pairs, _show_progress("encoded"))
    if arguments.json:
        _print_json({"model": model.card.name} | result.to_json())
        return
    print(f"accuracy           {result.accuracy:.2%} of {result.n:,} pairs")
    if result.lookup_baseline is not None:
        print(f"relation look-up   {result.lookup_baseline:.2%}")
    print(f"most frequent label {result.majority_baseline:.2%}")
    for label, share in result.by_label.items():
        print(f"  label {label:<24} {share:.2%}")
    for relation, (share, n) in result.by_relation.items():
        if relation:
            print(f"  relation {relation:<21} {share:.2%} of {n:,}")


def _train_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--method", default="knn", help="one of the paper's four (default: knn)")
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2", help="registered name or folder")
    parser.add_argument("--data", help="CSV or JSONL of labelled pairs (default: our own facts)")
    parser.add_argument("--samples", type=int, help="pairs drawn evenly over relations")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hyperparameters", choices=("own", "paper"), default="own")
    parser.add_argument("--name", help="of the model (default: the folder's)")
    parser.add_argument("--out", required=True, help="the model folder to write")
    parser.add_argument("--device", help="cpu, cuda or mps (default: the best there is)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _train(arguments: argparse.Namespace) -> None:
    from symdemo.classifier import SymmetryClassifier
    from symdemo.encoders import load_encoder
    from symdemo.hyperparameters import defaults
    from symdemo.relations import load_facts, pairs_of_facts, sample_balanced

    out = Path(arguments.out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"The folder {out} exists and is not empty; choose another --out.")
    pairs = load_pairs(arguments.data, None) if arguments.data else pairs_of_facts(load_facts())
    if arguments.samples is not None:
        pairs = sample_balanced(pairs, arguments.samples, arguments.seed)
    encoder = load_encoder(arguments.encoder, arguments.device)
    config = defaults(arguments.method, encoder, arguments.hyperparameters)
    model = SymmetryClassifier.from_encoder(encoder, arguments.method).fit(
        pairs,
        config=replace(config, seed=arguments.seed),
        callback=_show_step if sys.stderr.isatty() else None,
        name=arguments.name or out.name,
    )
    model.save_pretrained(out)
    if arguments.json:
        _print_json(model.card.to_json() | {"folder": str(out)})
    else:
        print(f"{model.card.name}: {len(pairs)} pairs, written to {out}")


def _models_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _models(arguments: argparse.Namespace) -> None:
    from symdemo.checkpoints import list_models

    cards = list_models()
    if arguments.json:
        _print_json([card.to_json() for card in cards])
        return
    for card in cards:
        print(f"{card.name:<14} {card.summary}")
        for name, value in card.scores.items():
            print(f"{'':<14} {name}: {value}")
    if not cards:
        print("none; `symdemo train` makes one")


def _serve_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=7860)


def _serve(arguments: argparse.Namespace) -> None:
    from symdemo.ui.app import serve

    serve(arguments.host, arguments.port)


_COMMANDS = (
    ("predict", _predict, _predict_arguments, "does the swapped sentence still hold?"),
    ("evaluate", _evaluate, _evaluate_arguments, "how often is a model right on a file of pairs?"),
    ("train", _train, _train_arguments, "retrain an encoder on a few labelled pairs"),
    ("models", _models, _models_arguments, "which models are here, and how good they are"),
    ("serve", _serve, _serve_arguments, "start the app"),
)


def _print_json(value) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def _show_progress(verb: str):
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        end = "\n" if done == total else ""
        print(f"\r{verb} {done:,} of {total:,}", end=end, file=sys.stderr, flush=True)

    return show


def _show_step(step) -> None:
    end = "\n" if step.step == step.total else ""
    text = f"\rstep {step.step} of {step.total}, loss {step.loss:.4f}, {step.eta:.0f} s left  "
    print(text, end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
