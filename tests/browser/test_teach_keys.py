"""The key of a project in a browser: it stays, it is typed in, and another takes its place."""

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page import answer, cell, click, grid_value, open_accordion, show, text
from ui_fakes import make_tiny_store, project_ids
from waiting import shown, wait

from symdemo.ui.shared.sessions import Sessions

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sessions(fitted, tmp_path_factory):
    return Sessions(make_tiny_store(fitted["knn"]), tmp_path_factory.mktemp("projects"))


def test_a_key_outlives_a_fault_and_gives_way_only_where_asked(browser, url, sessions):
    browser.get(url)
    browser.execute_script("localStorage.clear()")
    show(browser, url)
    click(browser, "example-company")
    wait(browser, lambda b: "usable rows" in text(b, "report"))
    rows = grid_value(browser)
    (key,) = project_ids(sessions)

    file = sessions.root / key / "project.json"
    whole = file.read_text()
    copy = file.with_name("project.json.copy")
    for damaged in (file, copy):
        damaged.write_text("{")
    show(browser, url)
    wait(browser, lambda b: key in text(b, "lost"))
    cell(browser, 0, 0).send_keys("A", Keys.TAB)
    wait(browser, lambda b: "key stays" in text(b, "lost"))
    assert project_ids(sessions) == [key]
    for mended in (file, copy):
        mended.write_text(whole)
    show(browser, url)
    wait(browser, lambda b: grid_value(b) == rows)

    open_accordion(browser, "More: ")
    open_accordion(browser, "Open or begin")
    click(browser, "begin-anew")
    answer(browser, yes=True)
    wait(browser, lambda b: "This is an empty project." in text(b, "open-said"))
    show(browser, url)  # it is empty for whoever sits down next
    wait(browser, lambda b: "Nothing written yet" in text(b, "report"))
    assert grid_value(browser) == []
    open_accordion(browser, "More: ")
    open_accordion(browser, "Open or begin")
    box = wait(browser, lambda b: shown(b, "#typed-key textarea, #typed-key input"))[0]
    box.send_keys(key.upper().replace("-", " "))
    click(browser, "open-key")
    answer(browser, yes=True)
    wait(browser, lambda b: grid_value(b) == rows)
    assert browser.find_elements(By.CSS_SELECTOR, "#lost:not(.hide)") == [] or not text(
        browser, "lost"
    )
