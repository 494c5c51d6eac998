"""`symdemo reproduce`, `bellm` and `sts`: studies, most of which are in `experiments/`."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

from symdemo.cli.shared import add_examples, print_json, show_progress, waiting
from symdemo.errors import InputError
from symdemo.files.paths import PACKAGE


def study(name: str) -> Any:
    """Import a module of `experiments/`; `InputError` without a checkout around this package."""
    root = PACKAGE.parent
    if not (root / "experiments").is_dir():
        raise InputError(
            "This command runs a study that only a checkout of symdemo holds; "
            "clone the repository and run `python -m symdemo` there."
        )
    if str(root) not in sys.path:
        sys.path.append(str(root))
    with waiting("loading the libraries", quiet=False):
        return import_module(f"experiments.{name}")


def report_arguments(parser: argparse.ArgumentParser, out: str) -> None:
    """Add the options of a command that measures what is missing and writes a report."""
    add = parser.add_argument
    add("--out", default=out, help="folder; run again to continue")
    text = "measure nothing more: write the tables from what was measured so far"
    add("--report-only", action="store_true", help=text)
    text = "also write experiments/results and docs/results.md of this checkout"
    add("--publish", action="store_true", help=text)
    add("--json", action="store_true", help="print the report instead of tables")


def reproduce_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `symdemo reproduce`."""
    add = parser.add_argument
    add("--quick", action="store_true", help="a first table in a few minutes")
    add("--encoders", nargs="+", metavar="NAME", help="names or local folders")
    add("--methods", nargs="+", metavar="METHOD", help="the paper's names (default: all four)")
    add("--seeds", type=int, help="how many (default: 5)")
    add("--other-seeds", type=int, help="of the encoders after the first, at one sample size")
    add("--no-search", action="store_true", help="no smallest sample sizes")
    report_arguments(parser, "runs/reproduce")
    add_examples(parser, "symdemo reproduce --quick", "symdemo reproduce --report-only")


def reproduce(arguments: argparse.Namespace) -> int:
    """Measure the paper's tables."""
    return study("reproduce").run(arguments)


def sts_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `symdemo sts`."""
    add = parser.add_argument
    usual = ["all-MiniLM-L6-v2"]
    text = 'names or folders, such as "smollm2-135m?looking_back=1" (default: all-MiniLM-L6-v2)'
    add("--encoder", nargs="+", metavar="NAME", default=usual, help=text)
    add("--label", nargs="+", metavar="TEXT", help="name of each encoder in the tables")
    text = "of: sts,conditional,transfer,degradation,dependencies,retrieval (default: all)"
    add("--parts", metavar="LIST", help=text)
    add("--tasks", metavar="LIST", help="such as STS-B,MR (default: all of each part)")
    add("--at-most", type=int, metavar="N", help="about N evenly spaced rows of a longer task")
    add("--data", metavar="FOLDER", help="with the data (default: SYMDEMO_DATA)")
    add("--pictures", type=Path, metavar="FILE", help="also draw the measurements, as a web page")
    report_arguments(parser, "runs/bellm")
    add_examples(
        parser,
        "symdemo sts --parts sts",
        'symdemo sts --encoder "smollm2-135m?looking_back=1" --tasks STS-B',
    )


def sts(arguments: argparse.Namespace) -> int:
    """Measure sentence encoders."""
    status = study("sentences").run(arguments)
    if arguments.pictures is not None:
        from symdemo.evaluation.results import SentenceReport
        from symdemo.files.storage import write_text
        from symdemo.ui.sentences.results import pictures_page

        report = SentenceReport.find(Path(arguments.out))
        assert report is not None  # `run` has written it
        write_text(arguments.pictures, pictures_page(report))
    return status


def bellm_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the parts of `symdemo bellm` and their options."""
    from symdemo.encoders.decoders.options import Pooling, Strategy
    from symdemo.training.contrastive import ContrastiveConfig

    add_examples(parser, "symdemo bellm train --out runs/mine", "symdemo bellm score --help")
    parts = parser.add_subparsers(required=True, metavar="PART")
    train = parts.add_parser("train", help="train one, and write its adapter")
    train.add_argument("--out", required=True, type=Path, help="for checkpoints and the result")
    train.add_argument("--looking-back", default="1", metavar="N", help="last layers, or all")
    train.add_argument("--strategy", choices=get_args(Strategy), default="modification")
    train.add_argument("--pooling", choices=get_args(Pooling), default="mean")
    train.add_argument("--prompt", help="a text with {sentence}, or representative-word")
    train.add_argument("--seed", type=int, default=0)
    train.add_argument("--checkpoint-every", type=int, default=50, metavar="STEPS")
    train.add_argument(
        "--dev", type=int, default=0, metavar="PAIRS",
        help="pairs of STS-B dev to measure on at each checkpoint",
    )  # fmt: skip
    train.set_defaults(part=_train)
    score = parts.add_parser("score", help="measure a trained one, and write its card")
    score.add_argument("folder", type=Path, help="of `symdemo bellm train`")
    score.add_argument("--out", type=Path, help="also keep the training curve in this folder")
    score.add_argument("--json", action="store_true", help="print JSON")
    score.set_defaults(part=_score)
    compare = parts.add_parser("compare", help="the ablations of Table 4; run again to continue")
    compare.add_argument("--seeds", type=int, default=3)
    compare.add_argument(
        "--usual", action="store_true",
        help="only the usual setting: for comparing data, or numbers of triplets",
    )  # fmt: skip
    compare.add_argument("--out", type=Path, default=Path("bellm"), help="folder of the results")
    compare.set_defaults(part=_compare)
    for part in (train, compare):
        part.add_argument("--base", default="smollm2-135m", help="a decoder: name, folder, hub id")
        part.add_argument("--data", default="local", help="local, hub, own-sentences or a file")
        part.add_argument("--triplets", type=int, help="number to draw at random (default: all)")
        part.add_argument("--json", action="store_true", help="print JSON")
        hints = get_type_hints(ContrastiveConfig)
        for item in fields(ContrastiveConfig):
            if item.name in ("seed", "checkpoint_every"):
                continue
            options: dict[str, Any] = {"default": item.default, "type": hints[item.name]}
            if choices := get_args(hints[item.name]):
                named = [c for c in choices if isinstance(c, str)]
                options |= {"type": str, "choices": named} if named else {"type": int}
            part.add_argument(f"--{item.name.replace('_', '-')}", **options)


def bellm(arguments: argparse.Namespace) -> int:
    """Run the chosen part."""
    return arguments.part(arguments)


def _config(arguments: argparse.Namespace) -> Any:
    """Return the `ContrastiveConfig` of the options."""
    from symdemo.training.contrastive import ContrastiveConfig

    names = {field.name for field in fields(ContrastiveConfig)}
    return ContrastiveConfig(**{k: v for k, v in vars(arguments).items() if k in names})


def _train(arguments: argparse.Namespace) -> int:
    with waiting("loading the libraries", quiet=False):
        from symdemo.encoders.decoders.options import DecoderOptions
        from symdemo.evaluation.sentences.adapters import train_adapter

    number = arguments.looking_back
    options = DecoderOptions(
        int(number) if number.isdecimal() else number,
        arguments.strategy, arguments.pooling, arguments.prompt,
    )  # fmt: skip
    made = train_adapter(
        arguments.out, arguments.base, options, _config(arguments), arguments.data,
        arguments.triplets, arguments.dev, show=show_progress("trained", False),
    )  # fmt: skip
    if made is None:
        sys.stderr.write("\nstopped; run the same command again to continue.\n")
        return 130
    if arguments.json:
        print_json(made)
    elif not int(os.environ.get("RANK", "0")):
        print(f"{arguments.out}: {made['steps']} steps in {made['seconds']:.0f} s")
    return 0


def _score(arguments: argparse.Namespace) -> int:
    with waiting("scoring the adapter", quiet=False):
        from symdemo.evaluation.sentences.adapters import score_adapter

        made = score_adapter(arguments.folder)
    if arguments.out is not None:
        study("looking_back").keep_curve(arguments.folder.resolve().name, made, arguments.out)
    if arguments.json:
        print_json(made["scores"])
        return 0
    for name, score in made["scores"].items():
        low, high = score["interval"]
        print(f"{name}: {score['value']} [{low}–{high}], {score['pairs']} pairs")
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    trainings = study("looking_back")
    plan = trainings.Comparison(
        base=arguments.base,
        triplets=arguments.triplets or trainings.TRIPLETS,
        seeds=tuple(range(arguments.seeds)),
        config=_config(arguments),
        settings=(trainings.USUAL,) if arguments.usual else trainings.SETTINGS,
        source=arguments.data,
    )
    rows, finished = trainings.compare(plan, arguments.out)
    if arguments.json:
        print_json(rows)
    else:
        print("".join(f"{row['text']}\n" for row in rows), end="")
    return 0 if finished else 130
