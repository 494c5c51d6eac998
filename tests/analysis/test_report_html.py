"""The report: whole, offline, and nothing in a cell does anything but stand there."""

from dataclasses import replace

import pytest
from analyse_tools import tags_of, text_of

from symdemo.analysis import analyse_predictions, report_html

EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>'


def read(page):
    """Return the text of a page, with spaces between cells."""
    return text_of(page.replace("</t", " </t").replace("</d", " </d"))


@pytest.fixture
def page(tmp_path):
    def page(analysis, **options) -> str:
        path = tmp_path / "new" / "report.html"
        report_html(analysis, path, **options)
        assert [entry.name for entry in path.parent.iterdir()] == ["report.html"]
        return path.read_text(encoding="utf-8")

    return page


def test_figures_stand_beside_the_rules(page, asked, answered, other):
    analysis = analyse_predictions(asked, {"m": answered, "o": other}, {"m": other})
    text = page(analysis, made={"Data": "a.csv"}, words=True)
    tags = [tag for tag, _ in tags_of(text)]
    for expected in (
        "8 pairs were tested, all labelled",
        "Right on 5 of 8 pairs: 62.5%.",
        "30.6% to 86.3%",
        "The relation’s name alone 87.5%",
        "It said neutral (45.0% sure) and was right.",
        "It said entailment (99.0% sure); the label is neutral.",
        "both are right on 2 and neither on 1; only m on 3, only o on 2",
        "Data a.csv",
    ):
        assert expected in read(text), expected
    assert {"script", "link", "img", "iframe"}.isdisjoint(tags)
    assert tags.count("circle") == tags.count("title") - 1 > 6
    assert "http" not in text.replace("http-equiv", "")
    assert "nan" not in read(text).casefold().split()


def test_whatever_stands_in_a_cell_is_text(page, asked, answered):
    pairs = [
        replace(pair, premise=f"{pair.premise} {EVIL}", relation=EVIL, label=f"{EVIL}{n % 2}")
        for n, pair in enumerate(asked)
    ]
    made = {EVIL: EVIL}
    text = page(analyse_predictions(pairs, {EVIL: answered}), made=made)
    assert {"script", "img"}.isdisjoint(tag for tag, _ in tags_of(text))
    assert not [name for _, own in tags_of(text) for name in own if name.startswith("on")]
    assert 'alert("x")' in read(text)


def test_pairs_without_labels_give_answers_alone(page, asked, answered):
    pairs = [replace(pair, label=None) for pair in asked]
    text = read(page(analyse_predictions(pairs, {"m": answered})))
    assert "none is labelled" in text
    assert "Verdicts Verdict Pairs entailment 4" in text
    for absent in ("Right on", "Accuracy", "the label is", "errors"):
        assert absent not in text
