"""The tab “Benchmark” in a real browser, on a made-up report: opened, read, taken home."""

import json
from functools import partial

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from bench_fakes import FIRST, SECOND, make_report
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page import go_to
from try_page import resize
from ui_fakes import launched, make_store
from waiting import find, landed, press, until, wait

from symdemo.evaluation.results import PaperReport
from symdemo.ui.app import TABS, Tab, build_app
from symdemo.ui.benchmark.tab import build_benchmark_tab

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report():
    return make_report()


@pytest.fixture(scope="module")
def path(tmp_path_factory, report):
    path = tmp_path_factory.mktemp("results") / PaperReport.NAME
    path.write_text(json.dumps(report), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def bench_url(path):
    """The address of an app that shows the report."""
    tab = Tab("Benchmark", "benchmark", partial(build_benchmark_tab, folder=path.parent))
    demo = build_app(make_store(), (TABS[0], tab))
    with launched(demo) as url:
        yield url


def show(browser, url, width=1440, theme="light"):
    resize(browser, width, 900, touch=width < 500)
    browser.get(f"{url}?__theme={theme}")
    go_to(browser, "Benchmark")


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


def test_the_tab_shows_the_numbers_of_the_report(browser, bench_url, report):
    show(browser, bench_url)
    drawn(browser)
    assert k_nn_accuracy(browser) == expected(report, FIRST)
    unfold(browser, "source")
    command = "document.querySelector('#bench-command textarea').value"
    until(browser, f"{command}.includes({json.dumps(report['command'])})")
    assert "abcdef012345" in browser.page_source


def test_encoder_and_version_are_chosen(browser, bench_url, report):
    show(browser, bench_url)
    drawn(browser)
    before = heights(browser)
    find(browser, "#bench-version input")[1].send_keys(Keys.SPACE)
    wait(browser, lambda b: heights(b) not in ([], before))
    press(browser, By.CSS_SELECTOR, "#bench-encoder input")
    press(browser, By.XPATH, f"//*[@role='option'][contains(., '{SECOND}')]")
    wait(browser, lambda b: SECOND in find(b, "#bench-lead")[0].text)
    wait(browser, lambda b: k_nn_accuracy(b) == expected(report, SECOND))


def test_the_files_can_be_taken_home(browser, bench_url, report, tmp_path):
    allow = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", allow)
    show(browser, bench_url)
    drawn(browser)
    unfold(browser, "source")
    wait(browser, lambda b: find(b, "#bench-csv"))
    for name in ("bench-json", "bench-csv"):
        find(browser, f"#{name}")[0].send_keys(Keys.ENTER)
    whole, table = landed(browser, tmp_path, "json"), landed(browser, tmp_path, "csv")
    assert (whole.name, table.name) == ("reproduce.json", "reproduce.csv")
    assert json.loads(whole.read_text(encoding="utf-8")) == report
    assert table.read_text(encoding="utf-8").startswith("encoder,method,samples,")


def test_without_a_report_it_says_how_to_make_one_and_then_shows_it(browser, bench_url, path):
    text = path.read_text(encoding="utf-8")
    path.unlink()
    try:
        show(browser, bench_url)
        wait(browser, lambda b: "symdemo reproduce" in find(b, "#bench-lead")[0].text)
        assert not find(browser, "#bench-table")
    finally:
        path.write_text(text, encoding="utf-8")
    go_to(browser, "Try it")
    go_to(browser, "Benchmark")
    drawn(browser)
