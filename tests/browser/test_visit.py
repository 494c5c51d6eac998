"""A stranger's visit: five tasks by mouse and by touch, two tabs, and a paste."""

from functools import partial

import pytest
from teach_page import FIRST_CELL, grid_value, paste_rows
from try_page import (
    MANY_SENTENCES,
    emulate_latency,
    forget,
    opened,
    press,
    resize,
    tap,
    type_into,
    until,
    wait_for_pair,
)
from waiting import wait

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("newcomer")]

ROWS = [
    (one, relation, two, label)
    for relation, label in (
        ("jobs with", "yes"), ("is on the payroll of", "no"), ("shares a desk with", "yes"),
        ("writes letters to", "maybe"), ("is understudy to", "no"),
    )
    for one, two in (("Ada", "Ben"), ("Cleo", "Dov"))
]  # fmt: skip


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
def test_five_tasks_of_a_stranger_take_nine_presses(browser, second_browser, app_url, touch):
    """Ask, find out why, send a link, correct the verdict, teach by pasting."""
    hit = partial(tap if touch else press, browser)
    resize(browser, 375 if touch else 1440, 667 if touch else 900, touch)
    opened(browser, app_url)
    emulate_latency(browser, 400)
    sentence, swapped = MANY_SENTENCES[1]
    hit("#sentence textarea")
    type_into(browser, "sentence", sentence)
    hit("#check")
    assert wait_for_pair(browser, sentence) == [sentence, swapped]
    hit("#why summary")
    until(browser, "document.querySelector('#why details .near__distance').offsetHeight")
    browser.execute_script(
        "navigator.clipboard.writeText = async (link) => { window.copied = link; }"
    )
    hit("#verdict [data-copy]")
    until(browser, "window.copied")
    hit(".wrong summary")
    hit("[data-teach*=contradiction]")
    until(browser, "document.querySelector('#verdict:not(.verdict--asked) h2').innerText === 'No'")
    forget(second_browser, app_url)
    second_browser.get(browser.execute_script("return window.copied"))
    assert wait_for_pair(second_browser, sentence) == [sentence, swapped]
    forget(browser, app_url)
    opened(browser, app_url)
    hit("#tab-teach-button")
    hit(FIRST_CELL)
    paste_rows(browser, ROWS)
    until(browser, "document.querySelector('#report').innerText.includes('10 usable')")
    hit("#instant")
    until(browser, "location.href.includes('model=mine')")


def open_two_tabs(browser, url) -> list[str]:
    tabs = [browser.current_window_handle]
    opened(browser, url)
    browser.switch_to.new_window("tab")
    opened(browser, url)
    return [*tabs, browser.current_window_handle]


def test_two_tabs_at_once_teach_one_model(browser, app_url):
    tabs = open_two_tabs(browser, app_url)
    for tab in tabs:  # both were opened before there was a project
        browser.switch_to.window(tab)
        emulate_latency(browser, 400)
        press(browser, ".wrong summary")
        press(browser, "[data-teach*=contradiction]" if tab == tabs[0] else "[data-teach*=neutral]")
    until(browser, "location.href.includes('model=mine')")
    browser.close()
    browser.switch_to.window(tabs[0])
    until(browser, "location.href.includes('model=mine')")
    emulate_latency(browser, 0)
    opened(browser, app_url)
    press(browser, "#tab-teach-button")
    rows = wait(browser, grid_value)
    assert [row[3] for row in rows] == ["neutral"]


def test_an_empty_tab_takes_up_the_project_of_another(browser, app_url):
    tabs = open_two_tabs(browser, app_url)
    typed = "Not asked yet."
    browser.execute_script(  # keys that are sent would give the tab the focus for good
        "const box = document.querySelector('#sentence textarea');"
        "box.value = arguments[0]; box.dispatchEvent(new Event('input', {bubbles: true}))",
        typed,
    )
    browser.switch_to.window(tabs[0])
    press(browser, "#tab-teach-button")
    paste_rows(browser, [("Subject", "Relation", "Object", "Label"), *ROWS], ",")
    until(browser, "document.querySelector('#report').innerText.includes('10 usable')")
    browser.switch_to.window(tabs[1])
    until(browser, "sessionStorage.symdemoJoined && window.symdemo?.ask")
    until(browser, f"document.querySelector('#sentence textarea').value === '{typed}'")
    press(browser, "#tab-teach-button")
    until(browser, "document.querySelector('#report')?.innerText.includes('10 usable')")
    browser.close()
    browser.switch_to.window(tabs[0])


def test_lines_under_headings_of_their_own_go_to_import(browser, app_url):
    opened(browser, app_url)
    press(browser, "#tab-teach-button")
    sentences = [(f"Ann {verb} Ben.", f"Ben {verb} Ann.", "0") for verb in ("jobs with", "pays")]
    paste_rows(browser, [("premise", "hypothesis", "gold"), *sentences])
    until(browser, "document.querySelector('#map-label input')?.value === 'gold'")
    press(browser, "#label-order input")
    press(browser, "[role=option]")
    until(browser, "document.querySelector('#preview').innerText.includes('Ann pays Ben.')")
    press(browser, "#add-rows")
    until(browser, "document.querySelector('#report').innerText.includes('2 usable')")
