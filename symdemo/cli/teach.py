"""`symdemo teach`: teach a model your own relations, instantly or by few-shot retraining."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symdemo.cli import shared
from symdemo.data.columns import FIELDS, check_mapping
from symdemo.data.tables import TableFile
from symdemo.errors import InputError
from symdemo.jobs.reporting import StopAsked
from symdemo.pairs import Pair, check_pair
from symdemo.text import count, shorten

if TYPE_CHECKING:
    from symdemo.classifier import SymmetryClassifier
    from symdemo.teaching.plan import TeachSettings
    from symdemo.teaching.project import Project
    from symdemo.teaching.rows import TeachRow

_EXAMPLE = "--columns premise=Satz,label=Urteil"
_ODD = ("unfinished", "unreadable", "conflict")  # problems of single rows, which are then set aside
_TRAINING = ("method", "epochs", "samples", "rate", "retention", "replay")


def teach_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `symdemo teach`."""
    add = parser.add_argument
    add(
        "--data",
        help="CSV, TSV, TXT, Excel, JSON, JSONL or Parquet: subject, relation, object, label; or "
        "premise[, hypothesis], label",
    )
    add(
        "--columns", action="append", metavar="FIELD=COLUMN,...",
        help="what the columns of --data hold, where their names do not say it: "
        "premise=Satz,label=Urteil; “hypothesis=” leaves a field out",
    )  # fmt: skip
    add("--instant", action="store_true", help="teach in seconds, without retraining the encoder")
    add("--method", help="one of the paper's four (default: the model's own)")
    add("--epochs", type=int, help="passes over all pairs")
    add("--samples", type=int, help="pairs to learn from, evenly over relations")
    add("--rate", type=float, help="learning rate")
    add("--retention", type=float, help="weight of keeping generic sentences")
    add("--replay", type=int, help="known pairs to mix in")
    add("--seed", type=int, default=0)
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--out", help="the model folder to write")
    place.add_argument(
        "--project", metavar="DIR",
        help="a project's folder, which gets a new version (and its rows from --data, if given); "
        "or a folder of projects, in which a new one is made; of a project, --model names what to "
        "retrain: one of its versions, or a built-in model (default: the version in use)",
    )  # fmt: skip
    shared.add_model(parser, backend=False)
    shared.add_labels(parser)
    shared.add_examples(
        parser,
        "symdemo teach --data rows.csv --instant --out my-model",
        "symdemo teach --data saetze.xlsx --columns premise=Satz,label=Urteil --out my-model",
        "symdemo teach --data rows.csv --project projects --epochs 10",
    )


def teach(arguments: argparse.Namespace) -> None:
    """Teach a model, print the change, and write the result."""
    with shared.waiting("loading the libraries", arguments.quiet):
        from symdemo.classifier import SymmetryClassifier
        from symdemo.teaching.instant import teach_instantly
        from symdemo.teaching.plan import RetrainingData
        from symdemo.teaching.retraining import retrain_on
        from symdemo.teaching.rows import pairs_to_teach

    settings = _settings(arguments)
    if arguments.columns and not arguments.data:
        raise InputError("--columns is about the file of --data, which is missing.")
    if arguments.project:
        _teach_project(arguments, settings)
        return
    if not arguments.data:
        raise InputError("There is nothing to teach; --data with a file of rows is expected.")
    out = Path(arguments.out) if arguments.out else None
    shared.check_out(out)
    name = arguments.model or shared.default_model()
    with shared.waiting("loading the model", arguments.quiet):
        base = SymmetryClassifier.from_pretrained(name, arguments.device)
    rows, left_out = _read_rows(arguments, base.check)
    pairs = pairs_to_teach(rows, base)
    if arguments.instant:
        with shared.waiting("teaching, and measuring what it changes", arguments.quiet):
            model, comparison = teach_instantly(base, pairs)
    else:
        data = RetrainingData.of(base, pairs, settings)
        model, comparison, _ = retrain_on(base, data, _Progress(arguments.quiet))
    if out:
        card = model.card.with_(name=out.name)
        type(model)(model.encoder, model.index, card, model.readout).save_pretrained(out)
    about = {"base": base.card.name, "pairs": len(pairs), "set_aside": left_out}
    kept = {"folder": str(out)} if out else {}
    _print(arguments, about | kept, comparison.to_json())


def _teach_project(arguments: argparse.Namespace, settings: TeachSettings) -> None:
    from symdemo.teaching.instant import teach_project_instantly
    from symdemo.teaching.plan import make_plan
    from symdemo.teaching.retraining import retrain_planned

    rows, left_out = _read_rows(arguments, check_pair) if arguments.data else (None, 0)
    project = _project(arguments, rows)
    if rows is not None:
        project.save_rows(rows)
    if arguments.instant:
        with shared.waiting("teaching, and measuring what it changes", arguments.quiet):
            version = teach_project_instantly(project)
    else:
        settings = replace(settings, base=arguments.model or project.selected)
        with shared.waiting("loading the model", arguments.quiet):
            plan = make_plan(project, settings, timed=False)
        version = retrain_planned(project, plan, _Progress(arguments.quiet))
    about = {
        "base": version.base,
        "start": project.version(version.parent).name if version.parent else version.base,
        "pairs": version.rows,
        "set_aside": left_out,
        "project": str(project.folder),
        "version": version.id,
    }
    _print(arguments, about, version.scores)


def _project(arguments: argparse.Namespace, rows: list[TeachRow] | None) -> Project:
    from symdemo.classifier import SymmetryClassifier
    from symdemo.encoders import pick_device
    from symdemo.teaching.store import ProjectStore

    def load_base(name: str) -> SymmetryClassifier:
        return SymmetryClassifier.from_pretrained(name, arguments.device)

    folder = Path(arguments.project)
    if (folder / "project.json").is_file():
        store = ProjectStore(folder.absolute().parent, load_base=load_base)
        project = store.open(folder.absolute().name)
        if arguments.instant and arguments.model not in (None, project.base):
            raise InputError(
                f"--model is {arguments.model}, but --instant goes on from the version in use; "
                "leave it out."
            )
        return project
    if rows is None:
        raise InputError(
            f"There is no project in {folder}; --data with a file of rows is expected for one."
        )
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; a folder is expected under --project.")
    pick_device(arguments.device)  # refused before anything is made
    store = ProjectStore(folder, load_base=load_base)
    return store.create(Path(arguments.data).stem, arguments.model)


def _settings(arguments: argparse.Namespace) -> TeachSettings:
    from symdemo.teaching.plan import TeachSettings

    given = {name: value for name in _TRAINING if (value := getattr(arguments, name)) is not None}
    if arguments.instant and given:
        raise InputError(f"--{min(given)} is for retraining; leave it out with --instant.")
    rate = {"learning_rate": given.pop("rate")} if "rate" in given else {}
    return TeachSettings(seed=arguments.seed, **given, **rate)


def _read_rows(
    arguments: argparse.Namespace, check: Callable[[Pair], Pair]
) -> tuple[list[TeachRow], int]:
    """Return the rows of a file that can be taught and pass `check`, and the number set aside."""
    from symdemo.teaching.row_sources import read_file
    from symdemo.teaching.rows import check_rows

    path = Path(arguments.data)
    table = TableFile(path)
    mapping = choose_columns(table, arguments.columns or ())
    rows, unread = read_file(path, mapping, label_names=shared.named_labels(arguments))
    odd = [problem for problem in check_rows(rows, check=check).problems if problem.kind in _ODD]
    numbers = {number for problem in odd for number in problem.rows}
    kept = [row for number, row in enumerate(rows, start=1) if number not in numbers]
    reasons = [*unread.values(), *(problem.message for problem in odd)]
    if reasons and (arguments.strict or not kept):
        raise InputError(f"{path.name}: {reasons[0]}")
    shared.print_set_aside(f"set aside: {reason}" for reason in reasons)
    guessed = [f"{f} from “{column}”" for f, column in mapping.items() if f != column.casefold()]
    if guessed and not arguments.columns:
        print(f"symdemo: {path.name} is read as {', '.join(guessed)}", file=sys.stderr)
    return kept, len(unread) + len(numbers)


def choose_columns(table: TableFile, chosen: Sequence[str]) -> dict[str, str]:
    """Return field → column: as chosen, else as guessed.

    `chosen` are texts such as “field=column”, or several with commas between; “field=” leaves a
    field out. `InputError` for an unknown field or column, or without a sentence and a label.
    """
    named, columns = {}, table.columns
    for text in chosen:
        is_whole = text.partition("=")[2].strip() in columns  # its name may have a comma
        for part in [text] if is_whole else text.split(","):
            field, sign, column = map(str.strip, part.partition("="))
            if not sign:
                raise InputError(f"--columns has “{shorten(part, 30)}”; expected: {_EXAMPLE}.")
            named[field] = column
    guessed = {f: c for f, c in table.guess().items() if c not in named.values()}
    mapping = {field: column for field, column in (guessed | named).items() if column}
    try:
        check_mapping(mapping, columns)
    except InputError as error:
        raise InputError(f"{str(error).rstrip('.')}; name columns such as {_EXAMPLE}.") from None
    return {field: mapping[field] for field in FIELDS if field in mapping}


class _Progress(shared.ProgressShown):
    """Progress of a retraining on stderr; Ctrl-C ends training with the best state so far."""

    def __init__(self, quiet: bool):
        super().__init__("trained", quiet)
        self._asked = StopAsked("step")

    def stopped(self) -> bool:
        return self._asked()

    def event(self, values: dict) -> None:
        if values["accuracy"] is not None:
            self.note = f"{values['accuracy']:.1%} of held-out pairs"

    def log(self, text: str) -> None:
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)


def _print(arguments: argparse.Namespace, about: dict[str, Any], comparison: dict) -> None:
    if arguments.json:
        shared.print_json(about | {"comparison": comparison})
        return
    print(f"taught      {about['pairs']} pairs to {about.get('start', about['base'])}")
    if n := about["set_aside"]:
        print(f"left out    {count(n, 'row')} that cannot be used")
    own, n = _change(comparison, "own"), comparison["own_n"]
    how = comparison["how_held_out"]
    print(f"your pairs  {own} ({n}, {how})" if n else "your pairs  not checked: too few")
    print(f"benchmark   {_change(comparison, 'benchmark')} ({comparison['benchmark_n']} facts)")
    print(f"neighbours  {comparison['drift']:.1%} of the nearest generic sentences kept")
    for probe in comparison["probes"]:
        sides = (probe["before"], probe["after"])
        before, after = (side["label"] if side else "-" for side in sides)
        right = "" if after == probe["label"] else f"  (it is {probe['label']})"
        print(f"  {before} → {after}{right}  {probe['premise']}")
    for relation in comparison["unchecked"]:
        print(f"  not checked, add a second example: {relation}")
    for name in ("folder", "project"):
        if name in about:
            print(f"written to {about[name]}")


def _change(comparison: dict, what: str) -> str:
    before, after = (comparison[f"{what}_{side}"] for side in ("before", "after"))
    told = ("untaught" if share is None else f"{share:.1%}" for share in (before, after))
    return " → ".join(told)
