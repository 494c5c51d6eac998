"""The tab “Teach” in a real browser: rows typed, taught, watched over a reload, and undone."""

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page import (
    ROWS,
    cell,
    click,
    go_to,
    grid_value,
    open_accordion,
    show,
    text,
    type_rows,
)
from ui_fakes import NASTY
from waiting import wait

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def newcomer(browser, url):
    """A browser that keeps nothing."""
    browser.get(url)
    browser.execute_script("localStorage.clear()")


def test_rows_typed_by_keyboard_are_checked_and_found_again(browser, url, sessions):
    show(browser, url)
    assert not list(sessions.projects.root.glob("[!.]*"))
    type_rows(browser, ROWS)
    wait(browser, lambda b: "Ready to teach" in text(b, "report"))
    assert "4 usable rows" in text(browser, "report")
    cell(browser, 0, 3).send_keys(Keys.CONTROL, "a")
    cell(browser, 0, 3).send_keys(f"{NASTY}" + Keys.TAB)
    wait(browser, lambda b: "◆ <img" in text(b, "report"))
    assert not browser.find_elements(By.CSS_SELECTOR, "#report img")
    show(browser, url)
    wait(browser, lambda b: len(grid_value(b)) == 4)
    assert grid_value(browser)[1] == ["Carl", "is married to", "Dan", "entailment"]
    assert grid_value(browser)[0][3] == NASTY


def test_teach_watch_reload_finish_undo(browser, url):
    show(browser, url)
    click(browser, "example-family")
    wait(browser, lambda b: "20 usable rows" in text(b, "report"))
    open_accordion(browser, "More: ")
    open_accordion(browser, "Train deeper")
    label = "//label[.//span[normalize-space(.)='Rounds over all rows']]//*[self::input or " \
        "self::textarea]"  # fmt: skip
    wait(browser, lambda b: b.find_element(By.XPATH, label).is_displayed())
    browser.find_element(By.XPATH, label).send_keys("30")
    click(browser, "retrain")
    wait(browser, lambda b: "About" in text(b, "plan") and "processor" in text(b, "plan"))
    click(browser, "start")
    wait(browser, lambda b: "Step" in text(b, "job-text"))
    open_accordion(browser, "Curve and log")
    wait(browser, lambda b: b.find_elements(By.CSS_SELECTOR, "#job-curve .js-plotly-plot"))
    show(browser, url)  # in the middle of it
    wait(browser, lambda b: "Step" in text(b, "job-text") or "Done" in text(b, "job-text"))
    wait(browser, lambda b: "Done. Version 1 is ready" in text(b, "job-text"), 300)  # it gives way
    wait(browser, lambda b: "made from Base model (tiny)" in text(b, "changes"))
    wait(browser, lambda b: len(b.find_elements(By.CSS_SELECTOR, "#changes .probe")) >= 5)
    go_to(browser, "Try it")
    open_accordion(browser, "More ways to ask, models, pictures")
    chosen = "#model input"
    name = lambda b: b.find_element(By.CSS_SELECTOR, chosen).get_attribute("value")  # noqa: E731
    wait(browser, lambda b: name(b) == "Version 1 (yours)")
    wait(browser, lambda b: "model=mine" in b.current_url)  # it has answered anew
    open_accordion(browser, "About this model")
    wait(browser, lambda b: "neutral" in text(b, "about"))
    go_to(browser, "Teach")
    click(browser, "undo")
    wait(browser, lambda b: "in use again" in text(b, "teach-problem"))
    go_to(browser, "Try it")
    wait(browser, lambda b: name(b).endswith("(tiny)"))


def test_a_block_from_a_spreadsheet(browser, url):
    show(browser, url)
    block = "\n".join("\t".join(row) for row in ROWS)
    browser.execute_script(
        "const data = new DataTransfer(); data.setData('text', arguments[1]);"
        "const how = {clipboardData: data, bubbles: true, cancelable: true};"
        "arguments[0].dispatchEvent(new ClipboardEvent('paste', how))",
        cell(browser, 0, 0),
        block,
    )
    wait(browser, lambda b: "4 usable rows" in text(b, "report"))
