"""The right pair is answered, whatever the network does, by mouse and by touch."""

import time

import pytest
from selenium.webdriver.common.keys import Keys
from try_page import (
    MANY_SENTENCES,
    box,
    emulate_latency,
    judged,
    opened,
    press,
    resize,
    tap,
    text,
    type_into,
    until,
    wait_for_pair,
)
from ui_fakes import make_store, served
from waiting import still

from symdemo.ui.shared import events
from symdemo.ui.shared.sessions import Sessions

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("newcomer")]

LOADING = 9.0
"""Seconds: longer than the page waits before it says so, and than a request may take here."""


@pytest.fixture
def slow_url(tmp_path, monkeypatch):
    """Start an app whose model loads longer than any request may take."""
    store = make_store()
    load = store._load
    store._load = lambda name: time.sleep(LOADING) or load(name)
    monkeypatch.setattr(events, "SECONDS", LOADING / 3)
    with served(Sessions(store, tmp_path)) as (_, url):
        yield url


def test_the_first_visitor_is_asked_to_wait_for_the_model_and_is_answered(browser, slow_url):
    browser.get(slow_url)
    until(browser, "document.querySelector('#verdict.verdict--asked')")
    assert "within a minute" in text(browser, "#verdict")
    until(browser, "document.querySelector('#verdict .verdict__word')")
    until(browser, "!document.querySelector('.verdict--asked, #problem .problem')")


def test_only_the_last_question_is_answered_and_what_is_typed_since_stays(browser, app_url):
    opened(browser, app_url)
    emulate_latency(browser, 400)
    for sentence, _ in MANY_SENTENCES[:4]:
        type_into(browser, "sentence", sentence + Keys.ENTER)
    press(browser, "#check")
    type_into(browser, "sentence", "Someone is still typi")
    assert wait_for_pair(browser, sentence) == list(MANY_SENTENCES[3])
    assert box(browser, "sentence").get_attribute("value") == "Someone is still typi"
    assert text(browser, "#problem") == ""


def test_after_a_broken_connection_one_can_try_again(browser, app_url):
    opened(browser, app_url)
    sentence, swapped = MANY_SENTENCES[0]
    type_into(browser, "sentence", sentence)
    emulate_latency(browser, None)
    press(browser, "#check")
    until(browser, "document.querySelector('#problem .problem')")
    assert "Couldn’t reach the server" in text(browser, "#problem")
    assert text(browser, "#verdict") == ""
    emulate_latency(browser, 0)
    press(browser, "#check")
    assert wait_for_pair(browser, sentence) == [sentence, swapped]
    assert text(browser, "#problem") == ""


def in_sight(selector):
    """In JavaScript: the whole of an element is on the screen."""
    box = f"document.querySelector({selector!r}).getBoundingClientRect()"
    return f"{box}.top >= 0 && {box}.bottom <= innerHeight"


def test_on_a_phone_the_verdict_is_seen_without_scrolling(browser, app_url):
    resize(browser, 375, 667, touch=True)
    opened(browser, app_url)
    still(browser, "#verdict h2")  # what is above it may be drawn later, and would scroll the page
    sentence, _ = MANY_SENTENCES[0]
    tap(browser, "#sentence textarea")
    type_into(browser, "sentence", sentence)
    tap(browser, "#check")
    wait_for_pair(browser, sentence)
    for part in ("#sentence textarea", "#verdict h2", "#verdict .arrow + .sentence"):
        until(browser, in_sight(part))
    # The keyboard, which would hide the lower half of such a screen, closes.
    until(browser, "document.activeElement.tagName !== 'TEXTAREA'")


def test_a_refused_sentence_leaves_no_verdict_and_offers_the_words(browser, app_url):
    resize(browser, 375, 667, touch=True)
    opened(browser, app_url)
    type_into(browser, "sentence", "Nonsense word here" + Keys.ENTER)
    until(browser, "document.querySelector('#problem .problem')")
    assert text(browser, "#verdict") == ""
    until(browser, "document.querySelectorAll('#words .word').length === 3")
    until(browser, "document.querySelector('#words .word')?.offsetHeight > 0")
    until(browser, in_sight("#problem"))
    tap(browser, "#words .word:nth-child(1)")
    tap(browser, "#words .word:nth-child(3)")
    tap(browser, "[data-swap-words]")
    until(browser, "document.querySelector('#verdict .sentence')")
    assert judged(browser) == ["Nonsense word here", "Here word nonsense"]
    assert text(browser, "#problem") == ""


def test_a_link_and_a_reload_show_the_same(browser, app_url):
    opened(browser, app_url)
    sentence, swapped = MANY_SENTENCES[2]
    type_into(browser, "sentence", sentence + Keys.ENTER)
    wait_for_pair(browser, sentence)
    address = browser.current_url
    browser.refresh()
    assert wait_for_pair(browser, sentence) == [sentence, swapped]
    browser.get("about:blank")
    browser.get(address)
    assert wait_for_pair(browser, sentence) == [sentence, swapped]
    assert box(browser, "sentence").get_attribute("value") == sentence
    opened(browser, app_url, "?tab=benchmark&sentence=%00&swapped=%07")
    until(browser, in_tab("benchmark"))
    assert judged(browser) == ["Kenya borders Uganda.", "Uganda borders Kenya."]


def in_tab(name):
    return f"document.querySelector('#tab-{name}-button').ariaSelected === 'true'"


def test_each_question_and_each_tab_is_a_step_back(browser, app_url):
    opened(browser, app_url)
    for sentence, _ in MANY_SENTENCES[:5]:
        type_into(browser, "sentence", sentence + Keys.ENTER)
        wait_for_pair(browser, sentence)
    emulate_latency(browser, 400)
    for tab in ("benchmark", "sentences"):
        press(browser, f"#tab-{tab}-button")
        until(browser, f"location.href.includes('tab={tab}')")
    for tab in ("benchmark", "try"):
        browser.back()
        until(browser, in_tab(tab))
    assert judged(browser) == list(MANY_SENTENCES[4])
    for place in (3, 2, 1, 0):
        browser.back()
        assert wait_for_pair(browser, MANY_SENTENCES[place][0]) == list(MANY_SENTENCES[place])
    for place in (1, 2, 3, 4):
        browser.forward()
        assert wait_for_pair(browser, MANY_SENTENCES[place][0]) == list(MANY_SENTENCES[place])
    browser.forward()
    until(browser, in_tab("benchmark"))


def test_what_was_asked_can_be_pinned_and_asked_again(browser, app_url):
    opened(browser, app_url)
    for sentence, _ in MANY_SENTENCES[:2]:
        type_into(browser, "sentence", sentence + Keys.ENTER)
        wait_for_pair(browser, sentence)
    press(browser, "#asked-before summary")
    press(browser, "#asked-before .asked__list li:nth-child(2) .asked__pin")
    until(browser, "document.querySelector('#asked-before .pins .asked__pair')")
    assert MANY_SENTENCES[0][0] in text(browser, "#asked-before .pins")
    press(browser, "#asked-before .pins .asked__pair")
    assert wait_for_pair(browser, MANY_SENTENCES[0][0]) == list(MANY_SENTENCES[0])
