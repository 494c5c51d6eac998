"""HTML of the tab “Teach”: what changed from before to after."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from symdemo.pairs import shorten
from symdemo.ui.teach_handlers import Shelf
from symdemo.ui.teach_panels import label_tag

SHOWN_NEIGHBOURS = 3

CHECKED = {
    "held out": "rows that were kept back from the training",
    "leave one out": "rows, each pair of names left out in turn",
    "none": "",
}

NOTHING = (
    '<section class="card"><p class="quiet">Once you have taught the model, this shows what it '
    "says before and after.</p></section>"
)
BASE_IN_USE = (
    '<section class="card"><p class="quiet">The base model is in use. Choose one of your versions '
    "below to see what it changed.</p></section>"
)


def changes_panel(shelf: Shelf) -> str:
    """Before and after, for the version in use."""
    version = shelf.current
    if version is None:
        return BASE_IN_USE if shelf.versions else NOTHING
    scores = version.scores
    figures = "".join(
        _figure(title, scores.get(f"{key}_before"), scores.get(f"{key}_after"), note)
        for title, key, note in (
            ("Your own rows", "own", _own_note(scores)),
            (
                "Built-in benchmark",
                "benchmark",
                f"{scores.get('benchmark_n', 0)} facts that no model was taught",
            ),
        )
    )
    figures += _kept(scores)
    unchecked = scores.get("unchecked")
    unchecked = unchecked if isinstance(unchecked, list) else []
    warning = ""
    if unchecked:
        named = ", ".join(f"“{escape(shorten(str(text), 40))}”" for text in unchecked[:6])
        warning = (
            f'<p class="quiet">Not checked, for want of a second pair of names: {named}. Add rows '
            "with other names to see how well that was learnt.</p>"
        )
    warning += _cut_short(version.training)
    return f"""<section class="card changes" role="status">
<h3>{escape(version.name)}, made from {escape(shelf.origin(version))}</h3>
<div class="figures">{figures}</div>{warning}</section>{_probes(scores)}"""


def _cut_short(training: Mapping[str, Any]) -> str:
    """What is missing of a version whose training was stopped while it was measured."""
    known, remembered = training.get("known"), training.get("remembered")
    if not (_is_number(known) and _is_number(remembered)):
        return ""
    return (
        f'<p class="quiet">Stopped early: it remembers {remembered:,} of the {known:,} examples '
        "that it started with. Retrain it to the end to have them all.</p>"
    )


def _own_note(scores: Mapping[str, Any]) -> str:
    if not scores.get("own_n"):
        return "not checked: every relation has only one pair of names"
    return f"{scores['own_n']} {CHECKED.get(str(scores.get('how_held_out')), 'rows')}"


def _figure(title: str, before: Any, after: Any, note: str) -> str:
    style = ""
    if _is_number(before) and _is_number(after) and abs(after - before) >= 0.005:
        style = " figure--up" if after > before else " figure--down"
    return (
        f'<div class="stat{style}"><p class="stat__title">{title}</p>'
        f'<p class="stat__value"><span>{percent(before)}</span>'
        '<span aria-label="then">→</span>'
        f'<b>{percent(after)}</b></p><p class="quiet">{escape(note)}</p></div>'
    )


def _kept(scores: Mapping[str, Any]) -> str:
    drift = scores.get("drift")
    shown = (
        '<div class="stat"><p class="stat__title">Other sentences</p><p class="stat__value">'
        f'<b>{percent(drift)}</b></p><p class="quiet">of the nearest neighbours among everyday '
        "sentences stayed the same; 100% is nothing forgotten</p></div>"
    )
    before, after = scores.get("sts_before"), scores.get("sts_after")
    if _is_number(after) and _is_number(before):
        shown += (
            '<div class="stat"><p class="stat__title">Sentence similarity</p>'
            f'<p class="stat__value"><span>{before:.1f}</span><span aria-label="then">→</span>'
            f'<b>{after:.1f}</b></p><p class="quiet">agreement with people, at most 100</p></div>'
        )
    return shown


def _probes(scores: Mapping[str, Any]) -> str:
    probes = shown_probes(scores)
    if not probes:
        return ""
    blocks = "".join(_probe(probe) for probe in probes)
    return (
        '<section class="card probes"><h3>Some of your sentences, before and after</h3>'
        '<p class="quiet">Each was asked as if neither version had been taught anything about '
        f"these two names.</p>{blocks}</section>"
    )


def shown_probes(scores: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The probes that can be shown: a version may come from an archive that anybody wrote."""
    probes = _dicts(scores.get("probes"))
    texts = ("premise", "hypothesis")
    return [probe for probe in probes if all(isinstance(probe.get(name), str) for name in texts)]


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []


def _probe(probe: Mapping[str, Any]) -> str:
    verdicts, neighbours = "", ""
    for title, side in (("Before", "before"), ("After", "after")):
        verdict, heading = probe.get(side), f'<div class="probe__side"><h4>{title}</h4>'
        verdicts += f"{heading}{_verdict(verdict, probe.get('label'))}</div>"
        neighbours += f"{heading}{_neighbours(verdict)}</div>"
    return (
        f'<article class="probe"><p class="sentence">{escape(str(probe.get("premise")))}</p>'
        f'<p class="sentence sentence--swap">{escape(str(probe.get("hypothesis")))}</p>'
        f'<p class="quiet">You say: {label_tag(str(probe.get("label")))}</p>'
        f'<div class="probe__sides">{verdicts}</div>'
        "<details><summary>Nearest taught examples</summary>"
        f'<div class="probe__sides">{neighbours}</div></details></article>'
    )


def _verdict(verdict: Any, wanted: Any) -> str:
    if not isinstance(verdict, dict):
        return '<p class="quiet">It knew nothing to answer with.</p>'
    label = str(verdict.get("label"))
    shares = verdict.get("probabilities")
    share = shares.get(label) if isinstance(shares, dict) else None
    sure = f" {percent(share)}" if _is_number(share) else ""
    mark = (
        '<span class="mark mark--yes">right</span>'
        if label == wanted
        else '<span class="mark mark--no">wrong</span>'
    )
    return f"<p>{label_tag(label)}{sure} {mark}</p>"


def _neighbours(verdict: Any) -> str:
    near = _dicts(verdict.get("neighbours")) if isinstance(verdict, dict) else []
    items = "".join(
        f"<li>{escape(shorten(str(one.get('premise')), 90))} {label_tag(str(one.get('label')))} "
        f'<span class="quiet">{_distance(one.get("distance"))}</span></li>'
        for one in near[:SHOWN_NEIGHBOURS]
    )
    return f"<ol>{items}</ol>" if items else '<p class="quiet">None.</p>'


def percent(share: Any) -> str:
    """A share as a whole percentage; a dash where nothing was measured."""
    return f"{share:.0%}" if _is_number(share) else "–"


def _distance(value: Any) -> str:
    return f"{value:.3f}" if _is_number(value) else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
