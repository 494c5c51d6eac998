"""The tab “Try it” in a real browser: what it shows, and where it asks."""

import json
from urllib.parse import quote

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

import waiting
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page import grid_value
from try_page import (
    box,
    emulate_latency,
    forget,
    judged,
    opened,
    press,
    resize,
    text,
    type_into,
    until,
    wait_for_pair,
)
from waiting import wait

pytestmark = pytest.mark.slow

SIBLINGS = "Serena Williams is a sibling of Venus Williams."
NASTY = "<img src=x onerror=document.title='broken'> is a sibling of ${1+1} {{value}} Ann."


@pytest.fixture(autouse=True)
def newcomer(browser, app_url):
    """Start with an empty browser storage."""
    forget(browser, app_url)


def show(browser, url, width=1440, theme="light"):
    resize(browser, width, 900, touch=width < 500)
    opened(browser, url, f"?__theme={theme}")


def test_the_page_opens_with_an_answer(browser, app_url):
    show(browser, app_url)
    assert "does the sentence still hold?" in text(browser, "h1").replace("\n", " ")
    assert judged(browser) == ["Kenya borders Uganda.", "Uganda borders Kenya."]
    assert box(browser, "hypothesis").get_attribute("value") == ""  # the swap
    wait(browser, lambda b: "Right on" in text(b, "#about-line"))
    assert not browser.find_elements(By.ID, "about")  # folded away


def test_a_typed_sentence_gets_a_verdict_and_what_it_rests_on(browser, app_url):
    show(browser, app_url)
    browser.execute_script("window.region = document.querySelector('p[role=status]')")
    type_into(browser, "sentence", SIBLINGS + Keys.ENTER)
    swapped = "Venus Williams is a sibling of Serena Williams."
    assert wait_for_pair(browser, SIBLINGS) == [SIBLINGS, swapped]
    assert "Yes, it still holds" in text(browser, "#verdict h2")
    assert text(browser, "#why").startswith("Why\n")
    assert "true both ways" in text(browser, "#why")
    distances = [float(e.text) for e in browser.find_elements(By.CSS_SELECTOR, ".near__distance b")]
    assert len(distances) >= 1
    assert distances == sorted(distances)
    # Read aloud from a region that stays.
    until(browser, "window.region.isConnected && window.region.textContent.includes('Serena')")
    assert browser.execute_script("return region.textContent").startswith("Yes, it still holds.")


def test_markup_stays_text(browser, app_url):
    show(browser, app_url)
    press(browser, "#pictures button")
    until(browser, "document.querySelector('#map .js-plotly-plot')")
    type_into(browser, "sentence", NASTY + Keys.ENTER)
    wait_for_pair(browser, NASTY)
    press(browser, "#asked-before summary")
    assert not browser.find_elements(
        By.CSS_SELECTOR, "#verdict img, #map img, #asked-before img, #why img, #words img"
    )
    assert browser.title != "broken"
    browser.execute_script("sessionStorage.clear()")


def test_an_example_and_the_three_boxes(browser, app_url):
    show(browser, app_url)
    example = "Priya is a colleague of Omar."
    waiting.press(browser, By.XPATH, f"//button[normalize-space(.)='{example}']")
    wait_for_pair(browser, example)
    assert box(browser, "sentence").get_attribute("value") == example
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


def test_a_model_with_a_rotation_shows_it_and_one_without_does_not(browser, app_url):
    show(browser, app_url)
    press(browser, "#pictures button")
    until(browser, "document.querySelector('#map .js-plotly-plot')")
    assert not browser.find_elements(By.CSS_SELECTOR, "#rotation .js-plotly-plot")
    opened(browser, app_url, f"?model=wikidata14&sentence={quote(SIBLINGS)}")
    wait_for_pair(browser, SIBLINGS)
    press(browser, "#pictures button")
    until(browser, "document.querySelector('#rotation .js-plotly-plot')")
    wait(browser, lambda b: "Most like entailment" in b.page_source)


@pytest.mark.parametrize("model", ["mine/v000001-0123abcd", "no-such-model"])
def test_a_link_to_a_model_that_is_not_here_is_answered_by_the_base_model(browser, app_url, model):
    opened(browser, app_url, f"?model={quote(model)}&sentence={quote(SIBLINGS)}")
    until(browser, "document.querySelector('#linked').innerText.includes('The base model answers')")
    wait_for_pair(browser, SIBLINGS)
    assert browser.execute_script("return document.querySelector('#model input').value")
    assert "model=general" in browser.current_url
    press(browser, "#check")  # it stays so
    wait_for_pair(browser, SIBLINGS)
    assert not browser.find_elements(By.CSS_SELECTOR, ".toast-body, .problem")


def test_a_correction_is_a_row_about_the_pair_that_is_shown(browser, app_url):
    show(browser, app_url)
    emulate_latency(browser, 400)
    try:
        type_into(browser, "sentence", SIBLINGS + Keys.ENTER)
        press(browser, "[data-teach]")  # while the answer is on its way
        wait_for_pair(browser, SIBLINGS)
    finally:
        emulate_latency(browser, 0)
    press(browser, "[data-teach]")
    until(browser, "document.querySelector('#taught .said')?.innerText.includes('row 2')")
    press(browser, "[data-tab=teach]")
    until(browser, "document.querySelector('#tab-teach-button').ariaSelected === 'true'")
    rows = wait(browser, lambda b: (rows := grid_value(b))[1:] and rows)
    assert [(row[0], row[2], row[3]) for row in rows] == [
        ("Kenya", "Uganda", "contradiction"),
        ("Serena Williams", "Venus Williams", "contradiction"),
    ]


@pytest.mark.parametrize(("width", "theme"), [(375, "dark"), (1440, "light")])
def test_no_sideways_scrolling(browser, app_url, width, theme):
    show(browser, app_url, width, theme)
    for name in ("another", "pictures", "many", "about-box"):
        press(browser, f"#{name} > button")
        until(browser, f"document.querySelector('#{name} > button.open')")
    # Gradio hides what sticks out, so check each part's own edge, not the page's width.
    outside = browser.execute_script(
        "return [...document.querySelectorAll('header, .card, .block, button')]"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML)"
    )
    assert outside == []


def test_nothing_is_fetched_from_outside(browser, app_url):
    browser.get_log("performance")
    show(browser, app_url)
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    outside = [u for u in urls if not u.startswith((app_url, "data:", "blob:", "chrome"))]
    assert len(urls) > 5
    assert outside == []
