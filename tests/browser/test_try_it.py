"""The tab “Try it” in a real browser: a sentence typed, the verdict and the neighbours read."""

import json
import time

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = pytest.mark.browser

SIBLINGS = "Serena Williams is a sibling of Venus Williams."
NASTY = "<img src=x onerror=document.title='broken'> is a sibling of ${1+1} {{value}} Ann."


def box(browser, name):
    return browser.find_element(By.CSS_SELECTOR, f"#{name} textarea, #{name} input")


def text(browser, selector):
    return " ".join(e.text for e in browser.find_elements(By.CSS_SELECTOR, selector))


def wait(browser, condition, seconds=30):
    redrawn = [StaleElementReferenceException]
    return WebDriverWait(browser, seconds, ignored_exceptions=redrawn).until(condition)


def type_into(browser, name, words):
    field = box(browser, name)
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(words)
    return field


def show(browser, url, width=1440, theme="light"):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(f"{url}?__theme={theme}")
    wait(browser, lambda b: b.find_elements(By.CSS_SELECTOR, ".verdict__word"), 60)
    wait(browser, lambda b: b.find_elements(By.CSS_SELECTOR, "#map .js-plotly-plot"))


def answered(browser, sentence):
    wait(browser, lambda b: sentence in text(b, "#verdict .sentence"))


def test_the_page_opens_with_an_answer(browser, app_url):
    show(browser, app_url)
    assert "does the sentence still hold?" in text(browser, "h1").replace("\n", " ")
    assert box(browser, "hypothesis").get_attribute("value") == "Uganda borders Kenya."
    assert len(browser.find_elements(By.CSS_SELECTOR, "#rotation .js-plotly-plot")) == 1


def test_a_typed_sentence_gets_a_verdict_and_neighbours(browser, app_url):
    show(browser, app_url)
    type_into(browser, "sentence", SIBLINGS + Keys.ENTER)
    answered(browser, SIBLINGS)
    swapped = "Venus Williams is a sibling of Serena Williams."
    assert box(browser, "hypothesis").get_attribute("value") == swapped
    assert "Yes, it still holds" in text(browser, "#verdict h2")
    rows = browser.find_elements(By.CSS_SELECTOR, "#neighbours-table tbody tr")
    assert len(rows) >= 1
    distances = [float(row.find_elements(By.TAG_NAME, "td")[-1].text) for row in rows]
    assert distances == sorted(distances)


def test_the_swapped_sentence_is_filled_in_on_leaving_and_then_left_alone(browser, app_url):
    show(browser, app_url)
    type_into(browser, "sentence", SIBLINGS + Keys.TAB)
    wait(browser, lambda b: box(b, "hypothesis").get_attribute("value").startswith("Venus"))
    own = "Venus Williams and Serena Williams are siblings."
    type_into(browser, "hypothesis", own + Keys.ENTER)
    answered(browser, own)
    box(browser, "sentence").click()
    browser.find_element(By.ID, "check").click()
    time.sleep(1)
    assert box(browser, "hypothesis").get_attribute("value") == own


def test_bad_input_is_told_in_place_and_changes_nothing(browser, app_url):
    show(browser, app_url)
    before = text(browser, "#verdict")
    type_into(browser, "sentence", "Nonsense" + Keys.ENTER)
    wait(browser, lambda b: "Nonsense" in text(b, "#problem"))
    assert text(browser, "#verdict") == before
    assert "Traceback" not in browser.page_source
    type_into(browser, "sentence", SIBLINGS + Keys.ENTER)
    answered(browser, SIBLINGS)
    wait(browser, lambda b: text(b, "#problem") == "")


def test_markup_stays_text(browser, app_url):
    show(browser, app_url)
    type_into(browser, "sentence", NASTY + Keys.ENTER)
    answered(browser, NASTY)
    assert not browser.find_elements(By.CSS_SELECTOR, "#verdict img, #map img")
    assert browser.title != "broken"


def test_an_example_and_the_three_boxes(browser, app_url):
    show(browser, app_url)
    example = "Jazz is a type of music."
    button = f"//button[normalize-space(.)='{example}']"
    browser.find_element(By.XPATH, button).click()
    answered(browser, example)
    browser.find_element(By.XPATH, "//button[contains(., 'apart')]").click()
    for label, words in (("Subject", "Maria"), ("Relation", "is taller than"), ("Object", "Otto")):
        path = f"//label[.//span[normalize-space(.)='{label}']]//*[self::input or self::textarea]"
        wait(browser, lambda b, path=path: b.find_element(By.XPATH, path).is_displayed())
        browser.find_element(By.XPATH, path).send_keys(words)
    browser.find_element(By.XPATH, "//button[contains(., 'Build the sentence')]").click()
    answered(browser, "Maria is taller than Otto.")
    assert box(browser, "sentence").get_attribute("value") == "Maria is taller than Otto."


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1440])
def test_no_sideways_scrolling(browser, app_url, width, theme):
    show(browser, app_url, width, theme)
    # Gradio hides what sticks out, so each part's own edge is looked at, not the page's width.
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
