"""What the tests of the tab “Teach” do in a browser, as a person would."""

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from waiting import CENTRE, find, press, until, wait

ROWS = [
    ("Ann", "is married to", "Ben", "yes"),
    ("Carl", "is married to", "Dan", "yes"),
    ("Eve", "is the boss of", "Finn", "no"),
    ("Greta", "is the boss of", "Hugo", "no"),
]
FIRST_CELL = '#teach-grid [data-at="0-0"]'


def text(browser, name):
    return " ".join(e.text for e in browser.find_elements(By.ID, name))


def cell(browser, row, column):
    """A box of the table, as soon as it is drawn."""
    at = f'#teach-grid [data-at="{row}-{column}"]'
    return wait(browser, lambda b: b.find_element(By.CSS_SELECTOR, at))


def go_to(browser, name):
    def pressed(b):
        tabs = [t for t in find(b, "button[role=tab]") if t.is_displayed()]
        tab = next(t for t in tabs if t.text.strip() == name)
        tab.click()
        return tab.get_attribute("aria-selected") == "true"

    wait(browser, pressed)


def open_page(browser, url, tab, width=1440, theme="light"):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(f"{url}?__theme={theme}")
    wait(browser, lambda b: find(b, ".verdict__word"))
    go_to(browser, tab)


def show(browser, url, width=1440):
    open_page(browser, url, "Teach", width)
    wait(browser, lambda b: cell(b, 0, 0).is_displayed())


def click(browser, name):
    press(browser, By.ID, name)


def open_accordion(browser, title):
    """Unfold what has a title, wherever it is on the page."""

    def unfolded(b):
        button = next(e for e in find(b, "button.label-wrap") if e.text.startswith(title))
        if "open" in button.get_attribute("class").split():
            return True
        b.execute_script(CENTRE, button)
        button.click()
        return False

    wait(browser, unfolded)


def type_row(browser, place, row):
    """As a person who never lifts the hands from the keyboard."""
    cell(browser, place, 0).click()
    for word in row:
        browser.switch_to.active_element.send_keys(word, Keys.TAB)


def paste_rows(browser, rows, sign="\t"):
    until(browser, f"document.querySelector('{FIRST_CELL}')?.offsetHeight")
    browser.execute_script(
        "const data = new DataTransfer(); data.setData('text', arguments[1]);"
        "const how = {clipboardData: data, bubbles: true, cancelable: true};"
        "arguments[0].dispatchEvent(new ClipboardEvent('paste', how))",
        browser.find_element(By.CSS_SELECTOR, FIRST_CELL),
        "\n".join(sign.join(row) for row in rows),
    )


def grid_value(browser):
    script = "return [...document.querySelectorAll('#teach-grid tbody tr')].map(r => " \
        "[...r.querySelectorAll('[data-at]')].map(i => i.value))"  # fmt: skip
    return [row for row in browser.execute_script(script) if any(row)]


def choose(browser, name, option):
    press(browser, By.CSS_SELECTOR, f"#{name} input")
    press(browser, By.XPATH, f"//*[@role='option'][@aria-label='{option}']")
    wait(browser, lambda b: chosen(b, name) == option)


def chosen(browser, name):
    """What a drop-down list shows."""
    return browser.find_element(By.CSS_SELECTOR, f"#{name} input").get_attribute("value")


def upload(browser, name, path):
    def given(b):
        b.find_element(By.CSS_SELECTOR, f"#{name} input[type=file]").send_keys(str(path))
        return True

    wait(browser, lambda b: b.find_element(By.ID, name).is_displayed())
    wait(browser, given)


def answer(browser, yes):
    question = wait(browser, lambda b: b.switch_to.alert)
    asked = question.text
    question.accept() if yes else question.dismiss()
    return asked
