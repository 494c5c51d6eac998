"""The tab “Sentence lab” in a real browser, with encoders made of the words."""

import csv
import io
from importlib.util import find_spec
from urllib.parse import unquote

import pytest
from lab_fakes import FakeLoader, fake_tokens
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from test_axe import UNFOLD, axe, sticking_out, unfold, violations  # noqa: F401
from try_page import box, resize, text, type_into, until
from ui_fakes import make_store, served

from symdemo.encoders.decoders.smollm2 import PACKAGE
from symdemo.ui.sentences import words
from symdemo.ui.shared.sessions import Sessions
from symdemo.ui.shared.store import SharedEncoders

pytestmark = pytest.mark.slow

ANSWERED = (
    "document.querySelectorAll('#lab-answer .lab-likeness').length === 3"
    " && !document.querySelector('#lab-answer .lab-waiting')"
)
DRAWN = "document.querySelector('#lab-after .main-svg')"


@pytest.fixture(scope="module")
def lab_url(tmp_path_factory):
    """The address of an app with fake encoders."""
    encoders = SharedEncoders(FakeLoader())
    sessions = Sessions(make_store(), tmp_path_factory.mktemp("projects"), encoders=encoders)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "token_similarities", fake_tokens)
        with served(sessions) as (_, url):
            yield url


def show(browser, url, width=1440, theme="light"):
    resize(browser, width, 900, touch=width < 500)
    browser.get(f"{url}?__theme={theme}")
    until(browser, "document.querySelector('#tab-sentences-button')?.offsetHeight")
    hit(browser, "#tab-sentences-button")
    until(browser, "document.querySelector('#lab-compare')?.offsetHeight")
    until(browser, "document.querySelector('#lab-lead .chart')")
    browser.execute_script(UNFOLD)


def hit(browser, selector, at=0, key=Keys.ENTER):
    browser.find_elements(By.CSS_SELECTOR, selector)[at].send_keys(key)


def test_two_sentences_are_compared_drawn_and_linked_to(browser, lab_url):
    show(browser, lab_url)
    first, second = "A cat sleeps on the sofa.", "A cat sleeps on the roof."
    type_into(browser, "lab-first", first)
    type_into(browser, "lab-second", second + Keys.ENTER)
    until(browser, ANSWERED)
    assert text(browser, ".lab-pair") == f"“{first}” and “{second}”"
    places = browser.find_elements(By.CSS_SELECTOR, ".lab-place")
    assert all("unrelated pairs" in place.text for place in places)
    until(browser, DRAWN)
    ticks = "[...document.querySelectorAll('#lab-before .ytick text')].map(e => e.textContent)"
    until(browser, f"{ticks}.includes('sofa')")
    hit(browser, "#lab-shown input", 1, Keys.SPACE)
    until(browser, f"{ticks}.includes('roof')")
    until(browser, "location.href.includes('second=')")
    link = browser.execute_script("return symdemo.link()")
    browser.get("about:blank")
    browser.get(link)
    until(browser, ANSWERED)
    assert text(browser, "#lab-answer .lab-pair") == f"“{first}” and “{second}”"
    assert box(browser, "lab-second").get_attribute("value") == second


def test_a_list_is_uploaded_and_searched(browser, lab_url, tmp_path):
    show(browser, lab_url)
    type_into(browser, "lab-query", "The snow is deep." + Keys.ENTER)
    until(browser, "document.querySelector('#lab-list-problem .problem')")
    assert "The list is empty" in text(browser, "#lab-list-problem")
    lines = ["A dog barks.", "The snow is very deep.", "Nobody knows."]
    path = tmp_path / "list.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    browser.find_element(By.CSS_SELECTOR, ".lab-list input[type=file]").send_keys(str(path))
    until(browser, "document.querySelector('#lab-pasted textarea').value.includes('snow')")
    hit(browser, "#lab-find")
    until(browser, "document.querySelectorAll('#lab-found .lab-nearest').length === 3")
    first = browser.find_elements(By.CSS_SELECTOR, ".lab-nearest li:first-child span")
    assert [element.text for element in first] == ["The snow is very deep."] * 3
    link = browser.find_element(By.CSS_SELECTOR, "#lab-found a[download]").get_attribute("href")
    rows = list(csv.reader(io.StringIO(unquote(link.split(",", 1)[1]).removeprefix("\ufeff"))))
    assert [row[1] for row in rows[1:]] == lines
    assert len(rows[0]) == 2 + 2 * 3


@pytest.mark.parametrize(("width", "theme"), [(1440, "dark"), (375, "light")])
def test_everything_fits_and_axe_finds_nothing(browser, lab_url, axe, width, theme):  # noqa: F811
    show(browser, lab_url, width, theme)
    hit(browser, "#lab-compare")
    hit(browser, "#lab-example-list")
    until(browser, "document.querySelector('#lab-pasted textarea').value")
    hit(browser, "#lab-find")
    until(browser, f"{ANSWERED} && {DRAWN}")
    until(browser, "document.querySelector('#lab-found .lab-nearest')")
    for name in ("layers", "settings", "tokens"):
        until(browser, f"document.querySelector('#lab-{name} .main-svg')")
    assert "word overlap" in text(browser, "#lab-scores")
    unfold(browser)
    found = sticking_out(browser) + violations(browser, axe)
    assert not found, "\n".join(found)


@pytest.mark.skipif(
    find_spec(PACKAGE) is None or find_spec("gguf") is None,
    reason="the packages of the language model are not installed",
)
def test_the_real_language_model_is_loaded_on_demand(browser, app_url):
    show(browser, app_url)
    hit(browser, "#lab-compare")
    loading = "'Loading the language model, about'"
    until(browser, f"document.querySelector('#lab-answer').innerText.includes({loading})")
    for name in ("smollm2-135m", "all-MiniLM-L6-v2"):
        until(browser, f"document.querySelector('[data-encoder=\"{name}\"] .lab-likeness')", 300)
    until(browser, DRAWN, 300)
