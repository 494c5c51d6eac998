"""The tab “Sentence lab” in a real browser, with encoders made of the words."""

import csv
import io
import json
import threading
from functools import partial
from importlib.util import find_spec
from urllib.parse import unquote

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from lab_fakes import FakeLoader, fake_tokens, make_lab_values
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from test_axe import AT_REST, UNFOLD, axe, violations  # noqa: F401
from try_page import box, resize, text, type_into, until
from ui_fakes import make_store

from symdemo.encoders.decoders.smollm2 import PACKAGE
from symdemo.evaluation.results import SentenceReport
from symdemo.ui.app import TABS, Tab, build_app, launch_options
from symdemo.ui.sentences import words
from symdemo.ui.sentences.answers import EXAMPLES
from symdemo.ui.sentences.tab import build_sentences_tab
from symdemo.ui.shared.encoders import SharedEncoders
from symdemo.ui.shared.sessions import Sessions

pytestmark = pytest.mark.slow

ANSWERED = (
    "document.querySelectorAll('#lab-answer .lab-likeness').length === 3"
    " && !document.querySelector('#lab-answer .lab-waiting')"
)
DRAWN = "document.querySelector('#lab-after .main-svg')"


@pytest.fixture(scope="module")
def gate():
    """Not set, the language models answer no one."""
    event = threading.Event()
    event.set()
    return event


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def lab_url(tmp_path_factory, gate, results):
    """The address of an app with made-up encoders."""
    encoders = SharedEncoders(FakeLoader(gate=gate))
    sessions = Sessions(make_store(), tmp_path_factory.mktemp("projects"), encoders=encoders)
    tab = Tab(
        "Sentence lab", "sentences", partial(build_sentences_tab, folder=results), personal=True
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "token_similarities", fake_tokens)
        demo = build_app(sessions.store, (TABS[0], tab), sessions)
        options = launch_options() | {"prevent_thread_lock": True, "quiet": True}
        _, url, _ = demo.launch(server_name="127.0.0.1", server_port=None, **options)
        yield url
        gate.set()
        demo.close()
        sessions.queue.close(2)


def show(browser, url, width=1440, theme="light"):
    resize(browser, width, 900, touch=width < 500)
    browser.get(f"{url}?__theme={theme}")
    until(browser, "document.querySelector('#tab-sentences-button')?.offsetHeight")
    browser.find_element(By.ID, "tab-sentences-button").send_keys(Keys.ENTER)
    until(browser, "document.querySelector('#lab-compare')?.offsetHeight")


def hit(browser, selector):
    browser.find_element(By.CSS_SELECTOR, selector).send_keys(Keys.ENTER)


def test_two_sentences_are_compared_by_all_and_drawn(browser, lab_url):
    show(browser, lab_url)
    type_into(browser, "lab-first", "A cat sleeps on the sofa.")
    type_into(browser, "lab-second", "A cat sleeps on the roof." + Keys.ENTER)
    until(browser, ANSWERED)
    assert (
        text(browser, ".lab-pair") == "“A cat sleeps on the sofa.” and “A cat sleeps on the roof.”"
    )
    places = browser.find_elements(By.CSS_SELECTOR, ".lab-place")
    assert all("unrelated pairs" in place.text for place in places)
    until(browser, DRAWN)
    ticks = "[...document.querySelectorAll('#lab-before .ytick text')].map(e => e.textContent)"
    until(browser, f"{ticks}.includes('sofa')")
    browser.find_elements(By.CSS_SELECTOR, "#lab-shown input")[1].send_keys(Keys.SPACE)
    until(browser, f"{ticks}.includes('roof')")
    until(browser, "document.querySelector('#lab-after .js-plotly-plot[role=img]')")


def test_an_example_fills_the_boxes_and_is_answered(browser, lab_url):
    show(browser, lab_url)
    first, second, _ = EXAMPLES[3]
    browser.find_elements(By.CSS_SELECTOR, "[data-compare]")[3].send_keys(Keys.ENTER)
    until(browser, ANSWERED)
    assert first in text(browser, ".lab-pair")
    assert box(browser, "lab-first").get_attribute("value") == first
    assert box(browser, "lab-second").get_attribute("value") == second


def test_bad_input_is_told_in_place_and_no_answer_stays(browser, lab_url):
    show(browser, lab_url)
    hit(browser, "#lab-compare")
    until(browser, ANSWERED)
    type_into(browser, "lab-second", "123" + Keys.ENTER)
    until(browser, "document.querySelector('#lab-problem .problem')")
    assert "second sentence" in text(browser, "#lab-problem")
    assert text(browser, "#lab-answer") == ""


def test_who_types_faster_than_it_answers_sees_the_last_answer_alone(browser, lab_url, gate):
    show(browser, lab_url)
    hit(browser, "#lab-compare")
    until(browser, ANSWERED)
    browser.execute_script(
        "window.pairs = new Set();"
        "new MutationObserver(() => window.pairs.add("
        "  document.querySelector('.lab-pair')?.textContent"
        "   + document.querySelectorAll('#lab-answer .lab-likeness').length))"
        ".observe(document.querySelector('#lab-answer'), {childList: true, subtree: true})"
    )
    gate.clear()
    try:
        for word in ("one", "two", "three"):
            type_into(browser, "lab-first", f"Number {word}." + Keys.ENTER)
            until(browser, "document.querySelector('#lab-answer .lab-waiting')")
    finally:
        gate.set()
    until(browser, f"{ANSWERED} && document.querySelector('.lab-pair').innerText.includes('three')")
    seen = browser.execute_script("return [...window.pairs]")
    whole = [pair for pair in seen if "Number" in pair and pair.endswith("3")]
    assert len(whole) == 1
    assert "three" in whole[0]


def test_the_nearest_of_a_list_and_the_file(browser, lab_url):
    show(browser, lab_url)
    type_into(browser, "lab-query", "The snow is deep.")
    lines = "\n".join(("A dog barks.", "The snow is very deep.", "Nobody knows."))
    field = box(browser, "lab-pasted")
    browser.execute_script(
        "arguments[0].value = arguments[1];"
        "arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
        field,
        lines,
    )
    hit(browser, "#lab-find")
    until(browser, "document.querySelectorAll('#lab-found .lab-nearest').length === 3")
    first = [
        e.text for e in browser.find_elements(By.CSS_SELECTOR, ".lab-nearest li:first-child span")
    ]
    assert first == ["The snow is very deep."] * 3
    link = browser.find_element(By.CSS_SELECTOR, "#lab-found a[download]").get_attribute("href")
    rows = list(csv.reader(io.StringIO(unquote(link.split(",", 1)[1]).removeprefix("\ufeff"))))
    assert [row[1] for row in rows[1:]] == lines.split("\n")
    assert len(rows[0]) == 2 + 2 * 3


def test_a_list_in_a_file_and_an_empty_one(browser, lab_url, tmp_path):
    show(browser, lab_url)
    type_into(browser, "lab-query", "A dog." + Keys.ENTER)
    until(browser, "document.querySelector('#lab-list-problem .problem')")
    assert "The list is empty" in text(browser, "#lab-list-problem")
    path = tmp_path / "list.txt"
    path.write_text("A dog barks.\nA bee hums.", encoding="utf-8")
    browser.find_element(By.CSS_SELECTOR, ".lab-list input[type=file]").send_keys(str(path))
    until(browser, "document.querySelector('#lab-pasted textarea').value.includes('bee')")


def test_recorded_results_come_with_their_file(browser, lab_url, results):
    show(browser, lab_url)
    until(browser, "document.querySelector('#lab-recorded').innerText.includes('symdemo sts')")
    assert not browser.find_elements(By.CSS_SELECTOR, "#lab-layers .main-svg")
    (results / SentenceReport.NAME).write_text(json.dumps(make_lab_values()), encoding="utf-8")
    try:
        show(browser, lab_url)
        for name in ("layers", "settings", "tokens"):
            until(browser, f"document.querySelector('#lab-{name} .main-svg')")
        assert "Shared words" in text(browser, "#lab-scores")
    finally:
        (results / SentenceReport.NAME).unlink()


@pytest.mark.parametrize(("width", "theme"), [(1440, "dark"), (375, "light")])
def test_nothing_sticks_out_and_axe_finds_nothing(
    browser,
    lab_url,
    results,
    axe,  # noqa: F811
    width,
    theme,
):
    (results / SentenceReport.NAME).write_text(json.dumps(make_lab_values()), encoding="utf-8")
    try:
        show(browser, lab_url, width, theme)
        hit(browser, "#lab-compare")
        hit(browser, "#lab-example-list")
        until(browser, "document.querySelector('#lab-pasted textarea').value")
        hit(browser, "#lab-find")
        until(browser, f"{ANSWERED} && {DRAWN}")
        until(browser, "document.querySelector('#lab-found .lab-nearest')")
        until(browser, "document.querySelector('#lab-tokens .main-svg')")
        browser.execute_script(UNFOLD)
        until(browser, AT_REST.strip().removeprefix("return ").removesuffix(";"))
        outside = browser.execute_script(
            "return [...document.querySelectorAll('.card, .block, button, .main-svg')]"
            ".filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML)"
        )
        assert outside == []
        found = violations(browser, axe)
        assert not found, "\n".join(found)
    finally:
        (results / SentenceReport.NAME).unlink()


@pytest.mark.skipif(
    find_spec(PACKAGE) is None or find_spec("gguf") is None,
    reason="the packages of the language model are not installed",
)
def test_the_real_language_model_is_loaded_when_it_is_asked(browser, app_url):
    show(browser, app_url)
    hit(browser, "#lab-compare")
    loading = "'Loading the language model, about'"
    until(browser, f"document.querySelector('#lab-answer').innerText.includes({loading})")
    until(
        browser,
        "document.querySelector('[data-encoder=\"smollm2-135m\"] .lab-likeness')"
        " && document.querySelector('[data-encoder=\"all-MiniLM-L6-v2\"] .lab-likeness')",
        300,
    )
    until(browser, DRAWN, 300)
