"""Helpers of the browser tests of the tab “Analyse”: they do what a visitor does."""

from selenium.webdriver.common.by import By
from teach_page import upload
from try_page import forget, resize  # noqa: F401
from waiting import find, press, wait
from waiting import shown as seen


def show(browser, url, width=1440, theme="light", more=""):
    resize(browser, width, 900, touch=width < 500)
    browser.get(f"{url}?__theme={theme}&tab=analyse{more}")
    wait(browser, lambda b: seen(b, "#analyse-setup"))


def part(browser, name):
    return browser.execute_script(
        "return document.querySelector(`[data-part=${arguments[0]}]`)?.innerText ?? ''", name
    )


def hit(browser, selector):
    press(browser, By.CSS_SELECTOR, selector)


def at_rest(browser):
    """Wait until no request of the explorer is under way."""
    busy = "return document.querySelector('.analyse').hasAttribute('aria-busy')"
    wait(browser, lambda b: not b.execute_script(busy))


def go(browser, name):
    hit(browser, f"#analyse-{name}")
    wait(browser, lambda b: find(b, f"#analyse-{name}[aria-current]"))
    at_rest(browser)


def count(browser):
    words = part(browser, "filters").split()
    return int(words[0].replace(",", "")) if words else None


def pairs(browser):
    """Return the first sentences of the listed rows."""
    return browser.execute_script(
        "return [...document.querySelectorAll('.an-pair span:first-child')].map(e => e.innerText)"
    )


def set_kind(browser, words):
    press(browser, By.XPATH, f"//*[@id='analyse-kind']//label[contains(., '{words}')]")


def paste(browser, *lines):
    set_kind(browser, "Paste")
    box = wait(browser, lambda b: seen(b, "#analyse-pasted textarea"))[0]
    box.send_keys("\n".join(lines))
    hit(browser, "#analyse-start")


def show_answers(browser, url, lines):
    """Open the page, paste lines, and wait until they are answered."""
    show(browser, url)
    paste(browser, *lines)
    finished(browser)


def bring_file(browser, path):
    set_kind(browser, "Upload")
    upload(browser, "analyse-file", path)
    wait(browser, lambda b: seen(b, "#analyse-field-premise"))


def finished(browser, seconds=120):
    """Wait until all models have answered."""
    wait(browser, lambda b: part(b, "main") and not part(b, "job"), seconds)
    at_rest(browser)


def choose_word(browser, label, word):
    box = f"#analyse-means-{label} input"
    wait(browser, lambda b: seen(b, box))
    hit(browser, box)
    press(browser, By.XPATH, f"//*[@role='option'][@aria-label='{word}']")
    wait(browser, lambda b: word in find(b, f"#analyse-means-{label}")[0].text)
