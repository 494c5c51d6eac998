"""The overview: each number is the analysis's own, and a press shows as many rows as it says."""

import re

import numpy as np
import pytest
from analyse_tools import Page, presses, start, text_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symdemo.analysis.loading import LoadedPairs
from symdemo.pairs import Pair
from symdemo.ui.analyse.explorer import Explorer
from symdemo.ui.analyse.shown import Shown
from symdemo.ui.analyse.state import View

LABELS = st.sampled_from([None, "entailment", "contradiction", "neutral", "a: b", 'it’s "x"'])
ROWS = st.lists(
    st.tuples(
        LABELS, LABELS, LABELS,
        st.sampled_from([None, "P25", "met", "a: b", "“quoted”, really"]),
        st.sampled_from([None, "active", "passive"]), st.integers(1, 25),
    ),
    min_size=1, max_size=14,
)  # fmt: skip


def made_of(rows):
    pairs = tuple(
        Pair(f"Ann{n} {'met ' * words}Ben.", f"Ben met Ann{n}.", label, relation)
        for n, (label, _, _, relation, _, words) in enumerate(rows)
    )
    systems = {"one": tuple(row[1] for row in rows), "a: b": tuple(row[2] for row in rows)}
    return LoadedPairs("made", "a test", pairs, tuple(row[4] for row in rows), systems)


def as_number(text):
    return int(text.replace(",", ""))


def check_presses(page):
    """Every number of the overview and every group's is that of the rows that its press shows."""
    html = str(page.look(part="overview")["parts"]["main"])
    before = page.view.get("query", {}).get("conditions", [])
    cells = [press for press in presses(html, "data-add") if re.fullmatch(r"[\d,]+", press[1])]
    groups = re.findall(r'data-add="[^"]*"[^>]*>[^<]*</button></th>\s*<td>([\d,]+)</td>', html)
    named = [add for add, text in presses(html, "data-add") if not re.fullmatch(r"[\d,]*", text)]
    assert len(groups) == len(named)
    asked = [*((add, text) for add, text in cells), *zip(named, groups, strict=True)]
    for add, number in asked:
        view = View(page.workspace.id, query={"conditions": [*before, *add]})
        rows = Shown.of(page.explorer.desk.opened(page.workspace), view).rows
        assert len(rows) == as_number(number), add
    return len(asked)


@pytest.mark.slow
@given(ROWS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)
def test_every_press_shows_as_many_rows_as_it_says(desk, rows):
    page = Page(Explorer(desk), desk.start(lambda reports: made_of(rows), []), versus="a: b")
    labelled = sum(row[0] is not None for row in rows)
    assert (check_presses(page) > 0) == (labelled > 0)
    short = {"kind": "between", "column": "words", "low": None, "high": 12}
    page.view["query"] = {"conditions": [short]}
    check_presses(page)


def test_the_presses_of_a_model_count_right_too(desk, data):
    workspace = start(desk, data, ["tiny", "other"])
    page = Page(Explorer(desk), workspace, versus="other")
    assert check_presses(page) > 12


def test_quick_filters_show_what_they_say(desk, data):
    workspace = start(desk, data, ["tiny", "other"])
    workspace.mark([1, 2], True)
    workspace.note([3], "x")
    page = Page(Explorer(desk), workspace, model="other", versus="rival")
    html = str(page.look()["parts"]["filters"])
    rows = desk.opened(workspace).analysis.of("other")
    rival = desk.opened(workspace).analysis.of("rival")
    wrong = int((rows.right == False).sum())  # noqa: E712
    both = rows.verdict.notna() & rival.verdict.notna()
    adds = {text: page.count(query={"conditions": add}) for add, text in presses(html, "data-add")}
    assert adds == {
        "Errors only": wrong,
        "Models differ": int((both & (rows.verdict != rival.verdict)).sum()),
        "Marked": 2,
        "With a note": 1,
    }
    queries = {text: query for query, text in presses(html, "data-query")}
    page.look(query=queries["Most confident errors"])
    assert page.count() == wrong
    page.look(query=queries["Least certain"], part="rows")
    html = str(page.look()["parts"]["main"])
    shown = [int(row) for row, _ in presses(html, "data-row")]
    assert shown == rows.probability.sort_values(kind="stable").index.tolist()


SOME = {"kind": "one_of", "column": "label", "values": ["entailment", "neutral", None]}


@pytest.mark.parametrize("query", [{}, {"conditions": [SOME]}])
def test_every_number_is_the_analysis_own(desk, data, query):
    workspace = start(desk, data, ["tiny", "other"])
    page = Page(Explorer(desk), workspace, model="other", versus="tiny")
    text = text_of(re.sub("<", " <", str(page.look(query=query)["parts"]["main"])))
    analysis = desk.opened(workspace).analysis
    rows = analysis.rows
    keep = [not query or label in (None, "entailment") for label in rows.label]
    known = rows[keep][rows[keep].label.notna()]
    words = np.array(analysis.words_rule("other"), object)[known.index]
    right = (known["other: right"]).astype(bool)

    def share(values):
        return f"{np.mean(np.asarray(values, float)):.1%}"

    assert f"{sum(keep)} pairs, {len(known)} of them with a true label" in text
    assert f"Who answers Right other {share(right)}" in text
    assert f" tiny {share(known['tiny: right'].astype(bool))} " in text
    answered_by_words = share(words == known.label.to_numpy(object))
    assert f"words, without their meaning {answered_by_words} " in text
    asked = rows[keep]
    same = share(asked["other: verdict"] == asked["other: exchanged"])
    assert f"it says the same of {same} of {sum(keep)} pairs" in text
    both = int((known["tiny: right"].astype(bool) & right).sum())
    assert f"{both} both are right" in text


def test_the_other_model_stands_beside_the_same_rows(desk, data):
    workspace = start(desk, data, ["tiny", "other"])
    page = Page(Explorer(desk), workspace, model="tiny", versus="other")
    html = str(page.look()["parts"]["main"])
    rows = desk.opened(workspace).analysis.rows
    table = re.search(r"By distance.*?</section>", html, re.DOTALL)[0]
    line = r"</button></th>\s*<td>(\d+)</td>.*?</td>\s*<td>([\d.]+%)</td>"
    seen = re.findall(line, table, re.DOTALL)
    adds = [add for add, _ in presses(table, "data-add")]
    assert len(seen) == len(adds) > 0
    for (number, share), add in zip(seen, adds, strict=True):
        page.look(query={"conditions": add}, part="rows")
        own = [int(row) for row, _ in presses(str(page.look()["parts"]["main"]), "data-row")]
        assert len(own) == int(number)
        assert share == f"{rows.loc[own, 'other: right'].astype(bool).mean():.1%}"
