"""The rows of the tab “Teach” in a real browser: taken out, brought back, and on two pages."""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page import cell, click, grid_value, paste_rows, show, text, type_row
from try_page import forget
from ui_fakes import project_ids
from waiting import press, wait

pytestmark = pytest.mark.slow

ROWS = [("Ann", "leads", "Ben", "yes"), ("Cy", "leads", "Di", "no"), ("Eve", "met", "Flo", "yes")]
UNDO = "#teach-grid .grid-undo button"


@pytest.fixture(autouse=True)
def rows(browser, url):
    """A new visitor who has pasted three rows."""
    forget(browser, url)
    show(browser, url)
    paste_rows(browser, ROWS)
    wait(browser, lambda b: "3 usable rows" in text(b, "report"))


def names(browser):
    return [row[0] for row in grid_value(browser)]


def focused(browser):
    return browser.execute_script("return document.activeElement.dataset.at || ''")


def test_rows_are_taken_out_and_brought_back_by_mouse_and_keyboard(browser):
    press(browser, By.CSS_SELECTOR, "#teach-grid tbody tr:nth-child(2) .grid__out button")
    wait(browser, lambda b: "2 usable rows" in text(b, "report"))
    wait(browser, lambda b: names(b) == ["Ann", "Eve"])
    press(browser, By.CSS_SELECTOR, UNDO)
    wait(browser, lambda b: "3 usable rows" in text(b, "report"))
    wait(browser, lambda b: (names(b), focused(b)) == (["Ann", "Cy", "Eve"], "1-0"))
    browser.switch_to.active_element.send_keys(Keys.CONTROL, Keys.DELETE)
    wait(browser, lambda b: "Row 2 removed." in text(b, "teach-grid"))
    wait(browser, lambda b: (names(b), focused(b)) == (["Ann", "Eve"], "1-0"))
    browser.switch_to.active_element.send_keys(Keys.CONTROL, "z")
    wait(browser, lambda b: names(b) == ["Ann", "Cy", "Eve"])
    browser.switch_to.active_element.send_keys(Keys.CONTROL, Keys.DELETE)
    cell(browser, 0, 0).send_keys("a")
    wait(browser, lambda b: not b.find_elements(By.CSS_SELECTOR, UNDO))  # until the next change


def test_two_open_pages_lose_no_row_of_each_other(browser, url, sessions):
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    try:
        show(browser, url)
        wait(browser, lambda b: len(grid_value(b)) == 3)
        type_row(browser, 3, ("Gus", "met", "Hal", "yes"))
        wait(browser, lambda b: "4 usable rows" in text(b, "report"))
        browser.close()
        browser.switch_to.window(first)
        label = cell(browser, 0, 3)
        label.click()
        label.send_keys(Keys.CONTROL, "a")
        label.send_keys("maybe", Keys.TAB)
        wait(browser, lambda b: names(b) == ["Ann", "Cy", "Eve", "Gus"])
        wait(browser, lambda b: "Updated from your other tab" in text(b, "rows-merged"))
        wait(browser, lambda b: cell(b, 0, 3).get_attribute("value") == "neutral")
    finally:
        browser.switch_to.window(first)
    (id,) = [id for id in project_ids(sessions) if len(sessions.find(id).rows) == 4]
    assert [row.label for row in sessions.find(id).rows] == [
        "neutral", "contradiction", "entailment", "entailment",
    ]  # fmt: skip


def test_what_is_typed_while_a_save_is_on_its_way_stays(browser):
    cell(browser, 3, 0).click()
    for letter in "Nora is north of it":
        browser.switch_to.active_element.send_keys(letter)
        if letter == " ":
            click(browser, "whole")  # saves, and draws two more columns
            wait(browser, lambda b: b.find_elements(By.CSS_SELECTOR, "#teach-grid th"))
            box = cell(browser, 3, 0)
            browser.execute_script("arguments[0].focus()", box)
    wait(browser, lambda b: cell(b, 3, 0).get_attribute("value") == "Nora is north of it")


def test_on_a_phone_rows_are_answered_by_a_tap_and_the_button_stays_in_sight(browser, url):
    show(browser, url, 375)
    wait(browser, lambda b: len(grid_value(b)) == 3)
    for label in ("contradiction", ""):  # the second tap takes it back
        press(browser, By.CSS_SELECTOR, "#teach-grid tr [value=contradiction]")
        wait(browser, lambda b, label=label: grid_value(b)[0][3] == label)
    wait(browser, lambda b: "2 usable rows" in text(b, "report"))
    browser.execute_script("scrollTo(0, 0)")
    bottom = "return document.getElementById('instant').getBoundingClientRect().bottom"
    wait(browser, lambda b: 0 < b.execute_script(bottom) < 900)
    bar = "const bar = document.getElementById('teach-bar');"
    wait(browser, lambda b: b.execute_script(f"{bar} return bar.offsetHeight < 120"))
    assert browser.execute_script(f"{bar} return bar.scrollWidth <= bar.clientWidth")
