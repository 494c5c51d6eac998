"""`symdemo bellm`: train a decoder that looks back, choose how, and compare ways of doing it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

from symdemo.cli.shared import print_json, study
from symdemo.encoders.decoders.options import DecoderOptions, Pooling, Strategy
from symdemo.training.contrastive import ContrastiveConfig

HELP = "train a decoder that looks back as a sentence encoder (BeLLM), and compare ways to"
_LEFT_OUT = ("seed", "checkpoint_every")


def bellm_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `symdemo bellm`."""
    parts = parser.add_subparsers(required=True, metavar="PART")
    train = parts.add_parser("train", help="train one, and write what it learnt")
    train.add_argument("--out", required=True, type=Path, help="gets checkpoints and the result")
    train.add_argument("--looking-back", default="1", metavar="N", help="last layers, or all")
    train.add_argument("--strategy", choices=get_args(Strategy), default="modification")
    train.add_argument("--pooling", choices=get_args(Pooling), default="mean")
    train.add_argument("--prompt", help="a text with {sentence}, or representative-word")
    train.add_argument("--seed", type=int, default=0)
    train.add_argument("--checkpoint-every", type=int, default=50, metavar="STEPS")
    train.add_argument(
        "--dev", type=int, default=0, metavar="PAIRS",
        help="measure on so many pairs of STS-B dev at each checkpoint",
    )  # fmt: skip
    train.set_defaults(bellm=_train)
    score = parts.add_parser("score", help="measure a trained one, and write its card")
    score.add_argument("folder", type=Path, help="what `symdemo bellm train` wrote")
    score.add_argument("--out", type=Path, help="keep the curve of the training in this folder too")
    score.add_argument("--json", action="store_true", help="print JSON")
    score.set_defaults(bellm=_score)
    compare = parts.add_parser("compare", help="the ablations of Table 4; run again to continue")
    compare.add_argument("--seeds", type=int, default=3)
    compare.add_argument("--select", action="store_true", help="choose rate and weights first")
    compare.add_argument(
        "--usual", action="store_true",
        help="only the usual setting: for comparing data, or numbers of triplets",
    )  # fmt: skip
    compare.add_argument("--out", type=Path, default=Path("bellm"), help="folder of the results")
    compare.set_defaults(bellm=_compare)
    for part in (train, compare):
        part.add_argument("--base", default="smollm2-135m", help="a decoder: name, folder, hub id")
        part.add_argument("--data", default="local", help="local, hub, own-sentences or a file")
        part.add_argument("--triplets", type=int, help="so many by chance; all if not given")
        part.add_argument("--json", action="store_true", help="print JSON")
        _add_config(part)


def bellm(arguments: argparse.Namespace) -> int:
    """Run the part that was asked for."""
    return arguments.bellm(arguments)


def _add_config(parser: argparse.ArgumentParser) -> None:
    """An option for each setting of the training, by its name."""
    hints = get_type_hints(ContrastiveConfig)
    for item in fields(ContrastiveConfig):
        if item.name in _LEFT_OUT:
            continue
        options: dict[str, Any] = {"default": item.default}
        if choices := get_args(hints[item.name]):
            named = [c for c in choices if isinstance(c, str)]
            options |= {"choices": named} if named else {"type": int}
        else:
            options["type"] = hints[item.name]
        parser.add_argument(f"--{item.name.replace('_', '-')}", **options)


def _config(arguments: argparse.Namespace, **changes: Any) -> ContrastiveConfig:
    given: dict[str, Any] = {
        f.name: getattr(arguments, f.name, f.default) for f in fields(ContrastiveConfig)
    }
    return ContrastiveConfig(**(given | changes))


def _train(arguments: argparse.Namespace) -> int:
    from symdemo.evaluation.sentences.adapters import train_adapter

    number = arguments.looking_back
    options = DecoderOptions(
        int(number) if number.isdecimal() else number,
        arguments.strategy, arguments.pooling, arguments.prompt,
    )  # fmt: skip
    made = train_adapter(
        arguments.out, arguments.base, options, _config(arguments), arguments.data,
        arguments.triplets, arguments.dev, show=_show(),
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
    from symdemo.evaluation.sentences.adapters import score_adapter

    made = score_adapter(arguments.folder)
    if arguments.out is not None:
        study("reproduction.bellm.training_study").keep_curve(
            arguments.folder.resolve().name, made, arguments.out
        )
    if arguments.json:
        print_json(made["scores"])
    else:
        for name, score in made["scores"].items():
            low, high = score["interval"]
            print(f"{name}: {score['value']} [{low}–{high}], {score['pairs']} pairs")
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    trainings = study("reproduction.bellm.trainings")
    plan = trainings.Trainings(
        base=arguments.base,
        triplets=arguments.triplets or trainings.TRIPLETS,
        seeds=tuple(range(arguments.seeds)),
        config=_config(arguments),
        settings=(trainings.USUAL,) if arguments.usual else trainings.SETTINGS,
        grid=trainings.GRID if arguments.select else (),
        source=arguments.data,
    )
    rows, finished = study("reproduction.bellm.training_study").compare(
        plan, arguments.out, _show()
    )
    if arguments.json:
        print_json(rows)
    else:
        for row in rows:
            print(row["text"])
    return 0 if finished else 130


def _show() -> Callable[[str, float], None] | None:
    """Writes what is being done and the minutes left, on one line where a person looks on."""
    if not sys.stderr.isatty():
        return lambda text, left: _line(f"{text}, about {left / 60:.0f} min left\n")
    return lambda text, left: _line(f"\r\033[K{text}, about {left / 60:.0f} min left")


def _line(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
