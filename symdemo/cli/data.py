"""`symdemo evaluate`, `train` and `dataset`: commands that read or make labelled pairs."""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symdemo.cli import shared
from symdemo.data.pair_files import MAX_FILE_ROWS, NO_LABEL, SET_ASIDE, PairData
from symdemo.data.relations import RELATION_BY_ID, sample_balanced
from symdemo.data.sources import NAMES, load_data
from symdemo.data.wikidata import MADE_TEST_SHARE, build_dataset
from symdemo.errors import InputError
from symdemo.jobs.reporting import StopAsked
from symdemo.pairs import NOT_ENTAILMENT, Pair, hash_pairs

if TYPE_CHECKING:
    from symdemo.analysis.analysing import Answers
    from symdemo.classifier import SymmetryClassifier
    from symdemo.evaluation.scores import Evaluation
    from symdemo.training.loop import TrainingStep

_DATA = (
    "file (CSV, TSV, TXT, Excel, JSON, JSONL, Parquet) with premise, hypothesis, label[, "
    "relation]; standard input (-); a folder made by `symdemo dataset`; a hub id; or a name: "
    "facts, facts-delexicalized, asymmetricity"
)
_PART = "part of the data, if it has parts; a file is read whole (default: %(default)s)"


def evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `symdemo evaluate`."""
    add = parser.add_argument
    add("--data", required=True, help=_DATA)
    add("--part", choices=("train", "test", "all"), default="test", help=_PART)
    add("--report", metavar="FILE", help="also write figures, errors and reasons as a web page")
    some: dict[str, Any] = {"action": "extend", "nargs": "+", "default": []}
    text = "NLI or zero-shot classifiers of transformers, to compare with on the same rows"
    add("--compare", metavar="FOLDER_OR_HUB_ID", help=text, **some)
    text = "columns of the file with the labels that other systems gave, to compare with"
    add("--columns", metavar="NAME", help=text, **some)
    shared.add_parts(parser)
    shared.add_labels(parser)
    shared.add_model(parser)
    shared.add_examples(
        parser,
        "symdemo evaluate --data snli_1.0_dev.txt",
        "symdemo evaluate --data pairs.csv --labels entailment,neutral,contradiction",
        "symdemo evaluate --data pairs.xlsx --report report.html",
        "symdemo evaluate --data pairs.csv --compare FacebookAI/roberta-large-mnli --columns gpt",
        "symdemo evaluate --data 'folder/*.parquet' --out answers --engine ray",
    )


def evaluate(arguments: argparse.Namespace) -> None:
    """Print the accuracy of a model on labelled pairs, beside baselines."""
    if arguments.out:
        _evaluate_parts(arguments)
        return
    if arguments.engine != "local":
        raise InputError("--engine ray answers Parquet files into a folder; --out is expected.")
    report, quiet = None if arguments.report is None else Path(arguments.report), arguments.quiet
    if report and report.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"The report {report.name} does not end in .html; a web page is written.")
    if report and report.is_dir():
        raise InputError(f"The report {report} is a folder; a file is expected.")
    with shared.waiting("reading the data", quiet):
        from symdemo.analysis.loading import build_pair
        from symdemo.evaluation.nli import comparable
        from symdemo.evaluation.scores import score_predictions

        asked = arguments.data, arguments.part, arguments.strict, shared.named_labels(arguments)
        data = load_data(*asked, arguments.columns, build_pair)
    model = shared.load_model(arguments)
    others = _ask_others(arguments, model.card.name, data)
    began = time.perf_counter()
    predictions = model.predict_checked(data.pairs, progress=shared.show_asking("encoded", quiet))
    result = score_predictions(data.pairs, predictions, time.perf_counter() - began)
    answers: dict[str, Answers] = {model.card.name: predictions, **others}
    pairs = comparable(data.pairs, others.values())
    compared = _compare(pairs, answers) if others else None
    if report:
        _write_report(report, model, data, pairs, answers, quiet)
    _print_set_aside(data)
    _tell(arguments, model.card.name, model.labels, data, result, compared)


def _evaluate_parts(arguments: argparse.Namespace) -> None:
    if arguments.report or arguments.compare or arguments.columns:
        raise InputError("--report, --compare and --columns need all rows at once: without --out.")
    began = time.perf_counter()
    tally = shared.answer_parts(arguments, labelled=True)
    result = tally.score(time.perf_counter() - began)
    dropped = {NO_LABEL: tally.unlabelled, SET_ASIDE: tally.errors}
    data = PairData(arguments.data, (), "all", "Parquet files", "its owner's", dropped)
    _tell(arguments, arguments.model or shared.default_model(), tally.labels, data, result)


def _print_set_aside(data: PairData) -> None:
    shared.print_set_aside(
        f"line {n} was set aside: {reason}" for n, reason in data.set_aside.items()
    )


def _tell(
    arguments: argparse.Namespace,
    model: str,
    labels: Sequence[str],
    data: PairData,
    result: Evaluation,
    compared: Mapping[str, Any] | None = None,
) -> None:
    counts = {label: sum(own.values()) for label, own in sorted(result.confusion.items())}
    unknown = {label: n for label, n in counts.items() if label not in (*labels, NOT_ENTAILMENT)}
    if arguments.json:
        about = {"model": model, "data": data.to_json() | {"pairs": result.n}}
        more = {"compared": compared} if compared else {}
        shared.print_json(about | {"labels_unknown": unknown} | result.to_json() | more)
        return
    _print(data, result, unknown)
    if compared:
        _print_compared(compared)
    if made := arguments.out or arguments.report:
        print(f"written to {Path(made)}")


def _print(data: PairData, result: Evaluation, unknown: Mapping[str, int]) -> None:
    print(f"data               {data.name}, part {data.part}: {data.source}")
    for reason in (SET_ASIDE, NO_LABEL):
        if n := data.dropped.get(reason):
            print(f"left out           {n:,} {reason.replace('row', 'rows', n > 1)}")
    print(f"accuracy           {result.accuracy:.2%} of {result.n:,} pairs")
    if result.not_judged:
        print(f"not judged         {result.not_judged:.2%}; these count as wrong")
    for label, n in unknown.items():
        of_all = f"{n:,} of {result.n:,} pairs ({n / result.n:.1%})"
        print(f"cannot be right    {of_all}: the model never answers {label}")
    if result.lookup_baseline is not None:
        print(f"relation look-up   {result.lookup_baseline:.2%}")
    print(f"most frequent label {result.majority_baseline:.2%}")
    if result.unfamiliar is not None:
        print(f"called unfamiliar  {result.unfamiliar:.2%}")
    for label, share in result.by_label.items():
        print(f"  label {label:<24} {share:.2%}")
    for relation, (share, n) in result.by_relation.items():
        if relation:
            print(f"  relation {relation:<21} {share:.2%} of {n:,}")


def _ask_others(
    arguments: argparse.Namespace, own: str, data: PairData
) -> dict[str, Sequence[str | None]]:
    """Return the verdicts of other systems; all are loaded before the first is asked."""
    if not arguments.compare and not data.systems:
        return {}
    from symdemo.analysis.workspace import check_names
    from symdemo.evaluation.nli import load_cross_encoder, nli_verdicts

    check_names([own, *data.systems, *arguments.compare])
    quiet, labels, loaded = arguments.quiet, shared.named_labels(arguments), {}
    for name in arguments.compare:
        with shared.waiting(f"loading {name}", quiet):
            loaded[name] = load_cross_encoder(name, arguments.device, labels)
    found: dict[str, Sequence[str | None]] = {**data.systems}
    for name, other in loaded.items():
        show = shared.show_progress(f"asked {name} about", quiet)
        found[name] = nli_verdicts(other, data.pairs, show)
    return found


def _compare(pairs: Sequence[Pair], answers: Mapping[str, Answers]) -> dict[str, Any]:
    """Return the accuracy of each system, and McNemar's test of all against the first, ours."""
    from symdemo.analysis import Share, analyse_predictions

    analysis, ours = analyse_predictions(pairs, answers), next(iter(answers))
    found: dict[str, dict[str, float]] = {}
    for name in answers:
        share = Share.of(analysis.of(name).right.astype(bool))
        found[name] = {"accuracy": share.share, "low": share.low, "high": share.high}
        if name != ours:
            both = analysis.compare(ours, name)
            alone = {"alone_right": len(both.only_b), "ours_alone_right": len(both.only_a)}
            found[name] |= {**alone, "p_value": both.p_value}
    return {"labels": sorted(set(analysis.rows.label)), "systems": found}


def _print_compared(compared: Mapping[str, Any]) -> None:
    print(f"compared           on the labels {', '.join(compared['labels'])}; 95% intervals")
    for name, own in compared["systems"].items():
        interval = f"[{100 * own['low']:.1f}–{100 * own['high']:.1f}]"
        line = f"  {name:<24} {own['accuracy']:.2%} {interval}"
        if "p_value" in own:
            alone = f"{own['alone_right']:,} and {own['ours_alone_right']:,}"
            line += f"; it alone and ours alone right: {alone}, McNemar's p = {own['p_value']:.2g}"
        print(line)


def _write_report(
    path: Path,
    model: SymmetryClassifier,
    data: PairData,
    pairs: Sequence[Pair],
    answers: Mapping[str, Answers],
    quiet: bool,
) -> None:
    """Predict the reverse pairs too, and write the page; `pairs` have the labels to compare by."""
    from symdemo.analysis import analyse_predictions, report_html
    from symdemo.analysis.analysing import find_changes
    from symdemo.files.provenance import provenance

    turned = [pair.reversed() for pair in data.pairs]
    show = shared.show_asking("encoded the other way round", quiet)
    turned_answers = {model.card.name: model.predict_checked(turned, progress=show)}
    changes = find_changes(data.pairs, shared.ProgressShown("compared the sentences", quiet))
    name, about, encoder = model.card.name, provenance(), model.card.encoder
    encoder = Path(encoder).name if Path(encoder).is_dir() else encoder
    with shared.waiting("analysing", quiet):
        analysis = analyse_predictions(pairs, answers, turned_answers, changes=changes)
    made = {
        "Model": f"{name}: {model.card.method} on {encoder}, taught {len(model.index):,} pairs",
        "Data": f"{Path(data.name).name}, part {data.part}, {len(data.pairs):,} pairs",
        "SHA-256 of the data": _data_hash(data),
        "symdemo": f"{about['symdemo']}, commit {about['commit']}",
        "Versions": ", ".join(f"{key} {value}" for key, value in about["versions"].items()),
    }
    with shared.waiting("writing the report", quiet):
        report_html(analysis, path, made, words=True)


def _data_hash(data: PairData) -> str:
    """Return the SHA-256 of the file, or of sentences and labels if the data is not a file."""
    path = Path(data.name)
    if data.name in NAMES or not path.is_file():
        return f"{hash_pairs(data.pairs)} (sentences and labels)"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def train_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `symdemo train`."""
    add = parser.add_argument
    add("--method", default="knn", help="one of the paper's four (default: knn)")
    add("--encoder", default="all-MiniLM-L6-v2", help="registered name or folder")
    add("--data", default="facts", help=f"{_DATA} (default: facts)")
    add("--part", choices=("train", "test", "all"), default="train", help=_PART)
    add("--samples", type=int, help="pairs drawn evenly over relations")
    add("--seed", type=int, default=0)
    add("--hyperparameters", choices=("own", "paper"), default="own")
    add("--name", help="of the model (default: the folder's)")
    add("--out", required=True, help="the model folder to write")
    add("--device", help="cpu, cuda or mps (default: the best there is)")
    add("--json", action="store_true", help="print JSON")
    shared.add_quiet(parser)
    shared.add_labels(parser)
    shared.add_examples(
        parser,
        "symdemo train --data pairs.csv --out my-model",
        "symdemo train --samples 140 --method knn --out few-shot",
    )


def train(arguments: argparse.Namespace) -> int:
    """Retrain an encoder and write the model folder; Ctrl-C ends the training, not the command."""
    out, quiet = Path(arguments.out), arguments.quiet
    shared.check_out(out)
    with shared.waiting("loading encoder and data", quiet):
        from symdemo.analysis.loading import build_pair
        from symdemo.classifier import SymmetryClassifier
        from symdemo.encoders import load_encoder
        from symdemo.training.config import defaults
        from symdemo.training.loop import any_of, processes

        others = processes()  # before the encoder: it chooses this process's GPU
        names = shared.named_labels(arguments)
        data = load_data(arguments.data, arguments.part, arguments.strict, names, build=build_pair)
        _print_set_aside(data)
        pairs = list(data.pairs)
        if arguments.samples is not None:
            pairs = sample_balanced(pairs, arguments.samples, arguments.seed)
        encoder = load_encoder(arguments.encoder, arguments.device)
    first = others is None or others.is_main_process
    show = shared.show_progress("trained", quiet or not first)
    asked = StopAsked("step")
    steps: list[TrainingStep] = []
    silent = ExitStack()  # what comes before the first step and after the last one

    def keep(step: TrainingStep) -> None:
        silent.close()
        steps.append(step)
        show(step.step, step.total, f"loss {step.loss:.4f}")
        if step.step == step.total:
            silent.enter_context(shared.waiting("encoding what was taught", quiet or not first))

    config = defaults(arguments.method, encoder, arguments.hyperparameters)
    with silent:
        silent.enter_context(shared.waiting("preparing the training", quiet or not first))
        model = SymmetryClassifier.from_encoder(encoder, arguments.method).fit(
            pairs,
            config=replace(config, seed=arguments.seed),
            callback=keep,
            should_stop=lambda: bool(steps) and any_of(others, asked()),
            name=arguments.name or out.name,
        )
    if not first:
        return 0
    source = {"source": data.source, "part": data.part}
    model = model.with_card(data=dict(model.card.data) | source)
    with shared.waiting("writing the model", quiet):
        model.save_pretrained(out)
    if model.card.training["stopped"]:
        print(
            f"symdemo: stopped after step {len(steps)} of {steps[-1].total}; {out} holds the model "
            "so far. To train it to the end, run the same command with another --out.",
            file=sys.stderr,
        )
    if arguments.json:
        shared.print_json(model.card.to_json() | {"folder": str(out)})
    else:
        print(f"{model.card.name}: {len(pairs)} pairs, written to {out}")
    return 130 if model.card.training["stopped"] else 0


def dataset_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `symdemo dataset`."""
    add = parser.add_argument
    add("--triples", required=True, help="QID, PID, QID with tabs between; may be gzipped")
    add("--entities", required=True, help="QID, label, aliases with tabs between; may be gzipped")
    add("--out", required=True, help="the folder to write")
    text = "share of each relation's entity pairs on the test side (default: %(default)s)"
    add("--test-share", type=float, default=MADE_TEST_SHARE, help=text)
    add("--seed", type=int, default=0, help="of split, order and limit (default: 0)")
    add("--limit", type=int, help="facts of each relation, at most")
    add("--relations", help="property ids with commas between (default: all 14)")
    add("--most-popular", type=int, metavar="N", help="the N of them with the most triples")
    add("--json", action="store_true", help="print the content of dataset.json")
    shared.add_quiet(parser)
    shared.add_examples(
        parser,
        "symdemo dataset --triples wikidata5m_all_triplet.txt --entities wikidata5m_entity.txt "
        "--out data",
    )


def dataset(arguments: argparse.Namespace) -> None:
    """Make pairs from Wikidata5m's files and write the data set folder."""
    named = arguments.relations
    shown = cache(lambda what: shared.show_progress(f"{what}, percent", arguments.quiet))
    content = build_dataset(
        arguments.triples,
        arguments.entities,
        arguments.out,
        relations=tuple(RELATION_BY_ID) if named is None else named.split(","),
        test_share=arguments.test_share,
        seed=arguments.seed,
        limit=arguments.limit,
        most_popular=arguments.most_popular,
        progress=lambda what, share: shown(what)(round(100 * share), 100),
    )
    if arguments.json:
        shared.print_json(content)
        return
    print(f"{content['facts']:,} facts from {content['triples']:,} triples of these relations")
    for reason, n in content["dropped"].items():
        if n:
            print(f"  dropped {n:>9,}  {reason}")
    for name, counts in content["by_relation"].items():
        sides = f"train {counts['train_facts']:>9,}  test {counts['test_facts']:>9,}"
        print(f"  {name:<6} {counts['label']:<13} {sides}  {counts['name']}")
    pairs = content["pairs"]
    print(f"{pairs['train']:,} training and {pairs['test']:,} test pairs in each of two versions")
    print(f"written to {arguments.out}")
    if max(pairs.values()) > MAX_FILE_ROWS:
        print(
            f"symdemo: one file has more than the {MAX_FILE_ROWS:,} rows that `evaluate` and "
            "`train` read; --limit makes a smaller set.",
            file=sys.stderr,
        )
