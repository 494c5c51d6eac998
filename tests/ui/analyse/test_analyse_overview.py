"""The overview: each number is that of the analysis, and each press shows that many rows."""

import re

import numpy as np
import pytest
from analyse_tools import presses, tags_of, text_of

SOME = {"kind": "one_of", "column": "label", "values": ["entailment", "neutral", None]}


def check_presses(page):
    """Check that every number, and every group's, is that of the rows its press shows."""
    html = str(page.look(part="overview")["parts"]["main"])
    before = page.view.get("query", {}).get("conditions", [])
    adds = presses(html, "data-add")
    cells = [press for press in adds if re.fullmatch(r"[\d,]+", press[1])]
    groups = re.findall(r'data-add="[^"]*"[^>]*>[^<]*</button></th>\s*<td>([\d,]+)</td>', html)
    named = [add for add, text in adds if not re.fullmatch(r"[\d,]*", text)]
    asked = [*cells, *zip(named, groups, strict=True)]
    for add, number in asked:
        rows = page.shown(query={"conditions": [*before, *add]}).rows
        assert len(rows) == int(number.replace(",", "")), add
    return len(asked)


@pytest.mark.parametrize("model", ["tiny", "system"])  # the system is often wrong
def test_every_press_shows_as_many_rows_as_it_says(page, model):
    page.view |= {"model": model, "versus": "other"}
    assert check_presses(page) > 12
    page.view["query"] = {"conditions": [SOME]}
    assert check_presses(page) > 6


@pytest.mark.parametrize("query", [{}, {"conditions": [{"set": "marked", "negated": True}]}])
def test_presses_of_values_that_need_escaping_show_as_many_rows_as_they_say(nasty, query):
    nasty.view["query"] = query
    assert check_presses(nasty) > 12


def test_quick_filters_show_what_they_say(page, service):
    page.workspace.mark([1, 2], True)
    page.workspace.note([3], "x")
    html = str(page.look(model="other", versus="system")["parts"]["filters"])
    analysis = service.opened(page.workspace).analysis
    rows, system = analysis.of("other"), analysis.of("system")
    wrong = int((rows.right == False).sum())  # noqa: E712
    both = rows.verdict.notna() & system.verdict.notna()
    adds = {text: page.count(query={"conditions": add}) for add, text in presses(html, "data-add")}
    assert adds == {
        "Errors only": wrong,
        "Models differ": int((both & (rows.verdict != system.verdict)).sum()),
        "Marked": 2,
        "With a note": 1,
    }
    queries = {text: query for query, text in presses(html, "data-query")}
    assert page.count(query=queries["Most confident errors"]) == wrong
    html = str(page.look(query=queries["Least certain"], part="rows")["parts"]["main"])
    shown = [int(row) for row, _ in presses(html, "data-row")]
    assert shown == rows.probability.sort_values(kind="stable").index.tolist()
    first, text = rows.loc[shown[0]], text_of(re.sub("<", " <", html))
    assert re.search(f"{first.verdict} (wrong )?{first.probability:.0%}", text)
    assert f" {first.probability:.0%} – {first.distance:.3f} " in text


def test_a_filter_offers_the_values_of_a_column_or_its_range(page, service):
    rows = service.opened(page.workspace).analysis.rows
    html = page.look(adding="words")["parts"]["filters"]
    ends = [attrs["placeholder"] for _, attrs in tags_of(html) if "placeholder" in attrs]
    assert ends == [f"{rows.words.min():.4g}", f"{rows.words.max():.4g}"]
    for name in ("label", "relation", "tiny: right"):
        html = page.look(adding=name, query={})["parts"]["filters"]
        n = [page.count(query={"conditions": add}) for add, _ in presses(html, "data-add")]
        own = rows[name].value_counts(dropna=False).tolist()
        assert sorted(n[-2 * len(own) :]) == sorted([*own, *(24 - one for one in own)])


@pytest.mark.parametrize("query", [{}, {"conditions": [SOME]}])
def test_every_number_is_that_of_the_analysis(page, service, query):
    html = page.ready(model="other", versus="tiny", query=query)["parts"]["main"]
    text = text_of(re.sub("<", " <", str(html)))
    analysis = service.opened(page.workspace).analysis
    rows = analysis.rows[[not query or one in (None, "entailment") for one in analysis.rows.label]]
    known = rows[rows.label.notna()]
    words = np.array(analysis.word_answers["other"], object)[known.index]
    right, theirs = (known[f"{name}: right"].astype(bool) for name in ("other", "tiny"))

    def share(values):
        return f"{np.mean(np.asarray(values, float)):.1%}"

    assert f"{len(rows)} pairs, {len(known)} with a true label" in text
    assert f"Model or rule Right other {share(right)}" in text
    assert f" tiny {share(theirs)} " in text
    assert f"without their meaning {share(words == known.label.to_numpy(object))} " in text
    same = share(rows["other: verdict"] == rows["other: exchanged"])
    assert f"Same verdict on the reverse pair: {same} of {len(rows)} pairs" in text
    assert f"{int((theirs & right).sum())} both are right" in text
