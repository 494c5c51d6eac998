"""The report: whole, offline, and nothing in a cell does anything but stand there."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from symdemo.analysis import analyse_predictions, report_html

EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>'


class Reader(HTMLParser):
    """The tags, their attributes and the text of a page; complains of tags left open."""

    VOID = ("meta",)

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.data, self.open = [], [], [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag in ("td", "th", "dt", "dd"):
            self.data.append(" ")

    def handle_data(self, data):
        self.data.append(data)

    @property
    def text(self):
        return " ".join("".join(self.data).split())


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
    read = Reader(text)
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
        assert expected in read.text, expected
    assert {"script", "link", "img", "iframe"}.isdisjoint(read.tags)
    assert read.tags.count("circle") == read.tags.count("title") - 1 > 6
    assert "http" not in text.replace("http-equiv", "")
    assert "nan" not in read.text.casefold().split()


def test_whatever_stands_in_a_cell_is_text(page, asked, answered):
    pairs = [
        replace(pair, premise=f"{pair.premise} {EVIL}", relation=EVIL, label=f"{EVIL}{n % 2}")
        for n, pair in enumerate(asked)
    ]
    made = {EVIL: EVIL}
    read = Reader(page(analyse_predictions(pairs, {EVIL: answered}), made=made))
    assert {"script", "img"}.isdisjoint(read.tags)
    assert not [name for name in read.attributes if name.startswith("on")]
    assert 'alert("x")' in read.text


def test_pairs_without_labels_give_answers_alone(page, asked, answered):
    pairs = [replace(pair, label=None) for pair in asked]
    read = Reader(page(analyse_predictions(pairs, {"m": answered})))
    assert "none is labelled" in read.text
    assert "Verdicts Verdict Pairs entailment 4" in read.text
    for absent in ("Right on", "Accuracy", "the label is", "errors"):
        assert absent not in read.text
