"""The rows of `experiments/general.py`: how each arm is taught and asked, and what decides it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from experiments.general_bench import (
    FOLDS,
    SPLIT_SEED,
    TEST_SEED,
    Answers,
    Bench,
    Run,
    hash_of,
    judge,
    own_shares,
)
from experiments.recipes.averaging import average_models
from experiments.recipes.general import METHOD, MODIFIED, REMEMBERED, fit_general, remembered_pairs
from experiments.recipes.general_kinds import fit_kinds, without_relatives
from symdemo.classifier import SymmetryClassifier
from symdemo.evaluation.baselines.leak_check import refuse_leaks
from symdemo.evaluation.baselines.ngrams import (
    INNER_FOLDS,
    STRENGTHS,
    fit_ngrams,
    majority_shares,
    words_in,
)
from symdemo.evaluation.baselines.setfit import setfit_shares
from symdemo.evaluation.baselines.skeleton import FUNCTION_WORDS, skeleton
from symdemo.files.paths import MODELS

ASKED = ("pairs", "text", "data.bank", "data.bank_phrasings")
RIVAL = (*ASKED, "evaluation.baselines")
LEARNT = (*ASKED, "geometry", "losses", "encoders", "training", "classifier", "recipes.general")
BOTH_STAGES = (*LEARNT, "recipes.general_kinds")
"""What answers depend on in the code: those of rivals from elsewhere, those of what is trained
here, and those of a model that goes on to the kinds of sentences that the bank has not."""


SCALED: Mapping[str, Any] = {"method": "fine-tuning", "loss": "scaled"}
"""A head whose logits are as steep as those of prototypes."""


@dataclass(frozen=True)
class Arm:
    """A row of the tables.

    Attributes:
        title: in the tables.
        answer: from a bench and a run to the answers.
        settings: what decides them beside data and folds.
        folds: how many of the folds are asked.
        all_seeds: whether it is trained with all seeds of the bench, or with one.
        code: what of the code decides its answers, as `provenance` names it.
    """

    title: str
    answer: Callable[[Bench, Run], Answers]
    settings: Callable[[Bench], Mapping[str, Any]]
    folds: int = FOLDS
    all_seeds: bool = False
    code: Sequence[str] = LEARNT


def runs(arms: Sequence[str], seeds: int) -> Iterator[Run]:
    """All runs of some arms."""
    for name in arms:
        for seed in range(seeds if ARMS[name].all_seeds else 1):
            for fold in range(ARMS[name].folds):
                yield Run(name, fold, seed)


def fingerprint(bench: Bench, run: Run) -> str:
    """A hash of all that decides what a run answers, but for the code: data, folds, settings."""
    folds = [FOLDS, SPLIT_SEED, TEST_SEED, run.fold, run.seed]
    return hash_of([bench.data_hash, folds, run.arm, dict(ARMS[run.arm].settings(bench))])


def measure(bench: Bench, run: Run) -> Answers:
    """Teach and ask.

    Raises:
        InputError: what is asked was taught: the folds leak.
    """
    if run.arm != "wikidata14":  # it is taught none of the bank
        refuse_leaks(bench.taught(run), bench.asked(run))
    return ARMS[run.arm].answer(bench, run)


# Arms without a language model


def _majority(bench: Bench, run: Run) -> Answers:
    taught, asked = bench.taught(run), bench.asked(run)
    return own_shares(
        majority_shares(taught, len(asked)),
        majority_shares(taught, len(asked)),
        {name: majority_shares(taught, len(own)) for name, (own, _) in bench.sentences.items()},
    )


def _ngrams(read: Callable[[str], str]) -> Callable[[Bench, Run], Answers]:
    def answer(bench: Bench, run: Run) -> Answers:
        taught, asked = bench.taught(run), bench.asked(run)
        began = time.perf_counter()
        rival = fit_ngrams(taught, [bench.group_of[str(p.relation)] for p in taught], read)
        about = {"seconds": time.perf_counter() - began, "C": rival.strength}
        return own_shares(
            rival.shares(asked),
            rival.shares([pair.reversed() for pair in asked]),
            {name: rival.shares_of_phrasings(own) for name, (_, own) in bench.sentences.items()},
            about=about,
        )

    return answer


def _setfit(bench: Bench, run: Run, rounds: int | None = None) -> Answers:
    asked, taught = bench.asked(run), bench.taught(run, rounds)
    names, others = list(bench.sentences), [own for own, _ in bench.sentences.values()]
    back = [pair.reversed() for pair in asked]
    found, seconds = setfit_shares(
        bench.encoder, taught, asked, [back, *others], run.seed, bench.setfit[run.arm]
    )
    sentences = dict(zip(names, found[2:], strict=True))
    return own_shares(found[0], found[1], sentences, about={"seconds": seconds})


# Arms with an encoder


def _untouched(bench: Bench, run: Run) -> Answers:
    start = SymmetryClassifier.from_encoder(bench.remembering, "knn")
    return judge(
        bench, start.teach(remembered_pairs(bench.bank, bench.relations(run)[0], None)), run
    )


def _wikidata14(bench: Bench, run: Run) -> Answers:
    return judge(bench, SymmetryClassifier.from_pretrained("wikidata14"), run)


def _fitted(**changes: Any) -> Callable[[Bench, Run], Answers]:
    def answer(bench: Bench, run: Run) -> Answers:
        return judge(bench, _fit(bench, run, **changes), run)

    return answer


def _scaled_head(bench: Bench, run: Run) -> Answers:
    return judge(bench, _made_once(bench, replace(run, arm="fine-tuning-scaled"), **SCALED), run)


def _without_head(bench: Bench, run: Run) -> Answers:
    """What a head of the right scale taught the encoder; asked as `general` is, by neighbours."""
    taught = _made_once(bench, replace(run, arm="fine-tuning-scaled"), **SCALED)
    return judge(bench, replace(taught, readout=None), run)


def _fit(bench: Bench, run: Run, method: str = METHOD, **changes: Any) -> SymmetryClassifier:
    config = replace(bench.config, **changes)
    return fit_general(
        bench.encoder,
        bench.bank,
        bench.relations(run)[0],
        run.seed,
        config,
        method,
        rounds=bench.rounds,
    )


def _made_once(bench: Bench, run: Run, **changes: Any) -> SymmetryClassifier:
    """Trained once, then read from its folder, since other arms go on from it or ask it again."""
    place = bench.folder / "models" / f"{run.name}-{fingerprint(bench, run)}"
    if not place.exists():  # another share may be faster, and is then overwritten
        _fit(bench, run, **changes).save_pretrained(place, overwrite=True)
    return SymmetryClassifier.from_pretrained(place)


def first_stage(bench: Bench, run: Run) -> SymmetryClassifier:
    """That of a fold and seed, trained where its folder is not there."""
    return _made_once(bench, replace(run, arm="first-stage"))


def _general(bench: Bench, run: Run) -> Answers:
    """Both stages, but for the facts of the 14 relations.

    Some of these relations stand in the bank in other words, and nothing says which.
    """
    taught, asked = bench.relations(run)
    kinds = without_relatives(bench.kinds, asked)
    first = first_stage(bench, run)
    return judge(bench, fit_kinds(first, bench.bank, kinds, run.seed, taught), run)


def _averaged(bench: Bench, run: Run) -> Answers:
    models = [first_stage(bench, replace(run, seed=seed)) for seed in range(bench.seeds)]
    return judge(bench, average_models(models, bench.encoder), run)


def _settings(**own: Any) -> Callable[[Bench], Mapping[str, Any]]:
    return lambda bench: own | {"rounds": bench.rounds}


def _ngram_settings(**own: Any) -> Callable[[Bench], Mapping[str, Any]]:
    return _settings(strengths=STRENGTHS, chosen_by="accuracy", inner_folds=INNER_FOLDS, **own)


def _training(method: str = METHOD, **changes: Any) -> Callable[[Bench], Mapping[str, Any]]:
    return lambda bench: {
        "method": method,
        "config": replace(bench.config, **changes).values(),
        "encoder": bench.encoder.base_hash,
        "rounds": bench.rounds,
        "modified": MODIFIED,
        "remembered": REMEMBERED,
    }


def _general_settings(bench: Bench) -> Mapping[str, Any]:
    kinds = [[kind.name, list(map(repr, kind.bank.relations))] for kind in bench.kinds]
    return {**_training()(bench), "kinds": hash_of(kinds)}


def _averaged_settings(bench: Bench) -> Mapping[str, Any]:
    return {**_training()(bench), "seeds": bench.seeds}


def _shipped_settings(bench: Bench) -> Mapping[str, Any]:
    text = (MODELS / "wikidata14" / "config.json").read_text(encoding="utf-8")
    return {"files": json.loads(text)["files"]}


def _arm(title: str, all_seeds: bool = False, folds: int = FOLDS, **training: Any) -> Arm:
    return Arm(title, _fitted(**training), _training(**training), folds, all_seeds)


ARMS: Mapping[str, Arm] = {
    "general": Arm(
        "**general**, both stages",
        _general,
        _general_settings,
        all_seeds=True,
        code=BOTH_STAGES,
    ),
    "first-stage": Arm(
        "**general**, first stage alone",
        lambda bench, run: judge(bench, first_stage(bench, run), run),
        _training(),
        all_seeds=True,
    ),
    "averaged": Arm(
        "the mean weights of three first stages",
        _averaged,
        _averaged_settings,
        code=(*LEARNT, "recipes.averaging"),
    ),
    "fine-tuning": _arm("fine-tuning, no retention", method="fine-tuning", retention=0.0),
    "fine-tuning-retention": _arm("fine-tuning with retention", method="fine-tuning"),
    "fine-tuning-scaled": Arm(
        "fine-tuning with retention, logits scaled", _scaled_head, _training(**SCALED)
    ),
    "scaled-votes": Arm(
        "the encoder of that scaled head, its neighbours vote", _without_head, _training(**SCALED)
    ),
    "knn": _arm("k-NN with Eq. 5, read apart", method="knn", loss="contrast"),
    "setfit": Arm(
        "SetFit",
        _setfit,
        lambda bench: {**bench.setfit["setfit"], "rounds": bench.rounds},
        code=RIVAL,
    ),
    "setfit-short": Arm(
        "SetFit, as many sentences read as by ours",
        lambda bench, run: _setfit(bench, run, rounds=1),
        lambda bench: {**bench.setfit["setfit-short"], "rounds": 1},
        code=RIVAL,
    ),
    "words": Arm(
        "word 1-to-3-grams",
        _ngrams(words_in),
        _ngram_settings(read="words, entities masked"),
        code=RIVAL,
    ),
    "skeleton": Arm(
        "function words alone",
        _ngrams(skeleton),
        _ngram_settings(read="skeleton", kept=sorted(FUNCTION_WORDS)),
        code=RIVAL,
    ),
    "majority": Arm("the commonest label", _majority, _settings(), code=RIVAL),
    "untouched": Arm(
        "untouched encoder, all taught pairs vote",
        _untouched,
        lambda bench: {"encoder": bench.encoder.base_hash},
    ),
    "wikidata14": Arm(
        "`wikidata14`, which knows 14 relations and two answers", _wikidata14, _shipped_settings
    ),
    "phrasings": Arm(
        "**general**, first stage, the relation known, the phrasing new",
        _fitted(),
        _training(),
        folds=1,
        all_seeds=True,
    ),
}
"""Name → arm, in the order of the tables. `phrasings` is taught all relations but one phrasing of
each, and asked about that one; all others are asked about relations that they were not taught."""
