"""The tab “Try it” in a real browser: what it shows, and that the right pair is answered."""

import json
import re
import time
from urllib.parse import quote
from urllib.request import urlopen

import pytest
import waiting
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page import grid_value
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
from waiting import still, wait

from symdemo.ui.shared import events
from symdemo.ui.shared.sessions import Sessions

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("newcomer")]

SIBLINGS = "Serena Williams is a sibling of Venus Williams."
NASTY = "<img src=x onerror=document.title='broken'> is a sibling of ${1+1} {{value}} Ann."
LOADING = 9.0
"""Seconds: longer than the page waits before it says so, and than a request may take here."""


def ask(browser, sentence):
    """Type a sentence and wait until nothing but its verdict is shown."""
    type_into(browser, "sentence", sentence + Keys.ENTER)
    wait_for_pair(browser, sentence)


def test_a_verdict_is_read_aloud_from_a_region_that_stays(browser, app_url):
    opened(browser, app_url)
    browser.execute_script("window.region = document.querySelector('p[role=status]')")
    ask(browser, SIBLINGS)
    until(browser, "window.region.isConnected && window.region.textContent.includes('Serena')")
    assert browser.execute_script("return region.textContent").startswith("Yes, 100% sure.")


def test_markup_stays_text(browser, app_url):
    opened(browser, app_url)
    press(browser, "#more button")
    press(browser, "#pictures button")
    until(browser, "document.querySelector('#map .js-plotly-plot')")
    ask(browser, NASTY)
    press(browser, "#asked-before summary")
    assert not browser.find_elements(
        By.CSS_SELECTOR, "#verdict img, #map img, #asked-before img, #why img, #words img"
    )
    assert browser.title != "broken"
    browser.execute_script("sessionStorage.clear()")


def test_an_example_and_the_three_boxes(browser, app_url):
    opened(browser, app_url)
    example = "Marie Curie was married to Pierre Curie."
    waiting.press(browser, By.XPATH, f"//button[normalize-space(.)='{example}']")
    wait_for_pair(browser, example)
    assert box(browser, "sentence").get_attribute("value") == example
    press(browser, "#more button")
    assert box(browser, "hypothesis").get_attribute("value") == ""
    press(browser, "#another button")
    until(browser, "document.querySelector('.parts input, .parts textarea')?.offsetHeight > 0")
    for label, words in (("Subject", "Maria"), ("Relation", "is taller than"), ("Object", "Otto")):
        path = f"//label[.//span[normalize-space(.)='{label}']]//*[self::input or self::textarea]"

        def typed(b, path=path, words=words):
            field = b.find_element(By.XPATH, path)
            field.send_keys(Keys.CONTROL, "a")
            field.send_keys(words)
            return field.get_attribute("value") == words

        wait(browser, typed)
    press(browser, "#use-parts")
    wait_for_pair(browser, "Maria is taller than Otto.")
    until(browser, "document.querySelector('#sentence textarea').value.startsWith('Maria')")


@pytest.mark.parametrize("model", ["mine/v000001-0123abcd", "no-such-model"])
def test_a_link_to_a_model_that_is_not_here_is_answered_by_the_base_model(browser, app_url, model):
    opened(browser, app_url, f"?model={quote(model)}&sentence={quote(SIBLINGS)}")
    until(browser, "document.querySelector('#linked').innerText.includes('The base model answers')")
    wait_for_pair(browser, SIBLINGS)
    assert "model=general" in browser.current_url
    press(browser, "#more button")
    until(browser, "document.querySelector('#model input').value")
    press(browser, "#check")  # it stays so
    wait_for_pair(browser, SIBLINGS)
    assert not browser.find_elements(By.CSS_SELECTOR, ".toast-body, .problem")


PRESS_MEANWHILE = """
const verdict = document.querySelector("#verdict"), button = "[data-teach*=contradiction]";
new MutationObserver((_, seen) => {
  if (!verdict.matches(".verdict--asked")) return;
  seen.disconnect();
  verdict.querySelector(button).click();
}).observe(verdict, {attributes: true});
"""
"""JavaScript: correct the verdict as soon as another is on its way; a hand could be too late."""


def correct(browser, label="contradiction"):
    press(browser, ".wrong summary")
    press(browser, f"[data-teach*={label}]")


def test_a_correction_is_a_row_about_the_pair_that_is_shown(browser, app_url):
    opened(browser, app_url)
    emulate_latency(browser, 400)
    browser.execute_script(PRESS_MEANWHILE)
    ask(browser, SIBLINGS)
    emulate_latency(browser, 0)
    until(browser, "document.querySelector('#taught .said')?.innerText.includes('row 1')")
    until(browser, "document.querySelector('#verdict:not(.verdict--asked) h2')")
    correct(browser)
    until(browser, "document.querySelector('#taught .said')?.innerText.includes('row 2')")
    press(browser, "[data-tab=teach]")
    until(browser, "document.querySelector('#tab-teach-button').ariaSelected === 'true'")
    rows = wait(browser, lambda b: (rows := grid_value(b))[1:] and rows)
    assert [(row[0], row[2], row[3]) for row in rows] == [
        ("Kenya", "Uganda", "contradiction"),
        ("Serena Williams", "Venus Williams", "contradiction"),
    ]


def test_a_correction_changes_the_verdict_at_once_and_can_be_undone(browser, app_url):
    opened(browser, app_url)
    correct(browser)
    until(browser, "document.querySelector('#verdict:not(.verdict--asked) h2').innerText === 'No'")
    assert "The verdict above is its new one." in text(browser, "#taught")
    assert "model=mine" in browser.current_url
    press(browser, "[data-tab=teach]")
    until(browser, "document.querySelector('#versions').innerText.includes('Version 1')")
    assert [row[3] for row in grid_value(browser)] == ["contradiction"]
    press(browser, "#tab-try-button")
    press(browser, "#taught [data-teach]")
    until(browser, "document.querySelector('#verdict:not(.verdict--asked) h2').innerText === 'Yes'")
    assert "Undone" in text(browser, "#taught")
    until(browser, "location.href.includes('model=general')")
    wait(browser, lambda b: not grid_value(b))


def test_the_page_comes_with_a_preview_for_links(app_url):
    head = urlopen(app_url).read().decode().split("</head>")[0]
    (picture,) = re.findall(r'<meta property="og:image" content="([^"]*)"', head)
    assert re.search('"og:title" content="symdemo', head)
    assert "Gradio" not in re.sub(r"(?s)<script.*?</script>", "", head)
    assert urlopen(picture).read(4) == b"\x89PNG"


PLACES = """return ["h1", ".ask", ".sentence + .arrow", ".verdict h2", ".why h2"].map((name) => {
  const {x, y, width, height} = document.querySelector(arguments[0] + " " + name)
    .getBoundingClientRect();
  return [x, y, width, height];
})"""


GRADIO_LAYOUT = """document.head.appendChild(document.createElement("style")).textContent =
  ".gradio-container { display: flex; flex-direction: column; box-sizing: border-box }" """


def prefer(browser, name, value):
    """Emulate a setting of the visitor's system."""
    media = {"features": [{"name": f"prefers-{name}", "value": value}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (375, "dark")])
def test_the_first_view_is_painted_before_gradio_and_gives_way_in_place(
    browser, app_url, width, scheme
):
    opened(browser, app_url)  # the model is loaded
    resize(browser, width, 800, touch=width < 500)
    prefer(browser, "color-scheme", scheme)
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/assets/*.js"]})
    browser.get(f"{app_url}?sentence=Ann+pays+Ben.")
    assert not browser.find_elements(By.ID, "first")  # another answer than the page's own
    wait(browser, lambda b: b.get(app_url) or b.find_elements(By.ID, "first"))
    shown = text(browser, "#first")
    assert "Uganda borders Kenya." in shown
    assert "Yes" in shown.splitlines()
    assert browser.execute_script("return first.inert && !document.querySelector('#verdict')")
    dark = browser.execute_script("return document.body.className")
    places = browser.execute_script(PLACES, "#first")
    browser.execute_script(GRADIO_LAYOUT)  # its style sheet may come before the picture goes
    assert browser.execute_script(PLACES, "#first") == places
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    opened(browser, app_url)
    assert browser.execute_script("return document.body.className") == dark
    found = browser.execute_script(PLACES, "gradio-app")
    assert places == [pytest.approx(place, abs=2) for place in found]


@pytest.mark.parametrize(("reduced", "moves"), [("reduce", 0), ("no-preference", 2)])
def test_the_two_things_change_places_unless_motion_is_reduced(browser, app_url, reduced, moves):
    prefer(browser, "reduced-motion", reduced)
    opened(browser, app_url)
    browser.execute_script(
        "window.moved = []; const usual = Element.prototype.animate;"
        "Element.prototype.animate = function (...how) {"
        " moved.push(this.className); return usual.apply(this, how); }"
    )
    ask(browser, SIBLINGS)
    until(browser, f"moved.filter(name => name.includes('part--')).length === {moves}")


def test_nothing_is_fetched_from_outside(browser, app_url):
    browser.get_log("performance")
    opened(browser, app_url)
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
    urls = [request["request"]["url"] for request in sent]
    outside = [u for u in urls if not u.startswith((app_url, "data:", "blob:", "chrome"))]
    (page,) = (one["loaderId"] for one in sent if one["request"]["url"] == app_url)
    asked = [one for one in sent if one["loaderId"] == page]
    assert 5 < len(asked) < 75  # other tabs load what they alone need when they are opened
    assert outside == []


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
    assert not [part for part in ("verdict", "why", "words") if text(browser, f"#{part}")]
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
    ask(browser, sentence)
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
        ask(browser, sentence)
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
        ask(browser, sentence)
    press(browser, "#asked-before summary")
    press(browser, "#asked-before .asked__list li:nth-child(2) .asked__pin")
    until(browser, "document.querySelector('#asked-before .pins .asked__pair')")
    assert MANY_SENTENCES[0][0] in text(browser, "#asked-before .pins")
    press(browser, "#asked-before .pins .asked__pair")
    assert wait_for_pair(browser, MANY_SENTENCES[0][0]) == list(MANY_SENTENCES[0])
