"""Trainings, versions, archives and uploads of the tab “Teach”, through the page itself."""

import threading
import time
import zipfile

import pytest
from openpyxl import Workbook
from selenium.webdriver.common.by import By
from teach_page import (
    ROWS,
    answer,
    choose,
    chosen,
    click,
    go_to,
    grid_value,
    open_accordion,
    show,
    text,
    upload,
)
from try_page import forget
from ui_fakes import NASTY, make_tiny_store, project_ids
from waiting import find, keep_downloads, landed, press, shown, wait

from symdemo.training import zero_gpu
from symdemo.ui.shared.sessions import Sessions

pytestmark = pytest.mark.slow

BEST = f"Best {NASTY}"
COLUMNS = ("col A", "Völlig anders", "Q3 (final)", "~urteil~")
FILE = f"""{",".join(COLUMNS)}
Ann,is married to,Ben,yes
Carl,is married to,Dan,yes
Eve,is the boss of,Finn,no
"""


@pytest.fixture(scope="module")
def sessions(fitted, tmp_path_factory):
    store = make_tiny_store(fitted["knn"], second=fitted["knn"])
    return Sessions(store, tmp_path_factory.mktemp("projects"))


@pytest.fixture
def page(browser, url):
    """The tab, of a browser that keeps nothing."""
    forget(browser, url)
    show(browser, url)
    return browser


@pytest.fixture
def go_on(monkeypatch):
    """Trainings stop half-way until this is set."""
    advance, go_on = zero_gpu.advance, threading.Event()

    def step(run, n):
        if run.step >= run.total // 2:
            go_on.wait(120)  # seconds, longer than a page takes to load
        return advance(run, n)

    monkeypatch.setattr(zero_gpu, "advance", step)
    yield go_on
    go_on.set()


def newest(sessions):
    """The project that was begun last."""
    ids = project_ids(sessions)
    return max(map(sessions.projects.open, ids), key=lambda project: project.info.created)


def example_taught(page, times=1):
    for number, example in enumerate(("company", "family")[:times], 1):
        before = len(grid_value(page) or ())
        click(page, f"example-{example}")
        wait(page, lambda b, before=before: len(grid_value(b) or ()) > before)
        click(page, "instant")
        wait(page, lambda b, number=number: f"Version {number}" in text(b, "versions"))


def test_a_training_from_a_chosen_model_is_stopped_and_its_best_state_kept(page, sessions, go_on):
    example_taught(page)
    open_accordion(page, "More: ")
    open_accordion(page, "Train deeper")
    wait(page, lambda b: chosen(b, "start-from") == "Version 1 (in use)")
    choose(page, "start-from", "second (built in): A toy.")
    click(page, "retrain")
    wait(page, lambda b: "It starts from second." in text(b, "plan"))
    click(page, "start")

    def job():
        return sessions.queue.current(newest(sessions).id)

    def measured(_browser):
        return job() and sum(event["accuracy"] is not None for event in job().events) > 1

    wait(page, measured)
    click(page, "stop")
    wait(page, lambda _: job().state == "stopping")
    go_on.set()
    wait(page, lambda b: "has what was learnt until then" in text(b, "job-text"))
    wait(page, lambda b: "Version 2, made from Base model (second)" in text(b, "changes"))
    version = newest(sessions).versions()[-1]
    assert version.training["stopped"]
    assert version.training["steps made"] < version.curve[-1]["total"]


def test_teach_watch_reload_finish_undo(page, url, go_on):
    click(page, "example-family")
    wait(page, lambda b: "20 usable rows" in text(b, "report"))
    open_accordion(page, "More: ")
    open_accordion(page, "Train deeper")
    label = "//label[.//span[normalize-space(.)='Rounds over all rows']]//*[self::input or " \
        "self::textarea]"  # fmt: skip
    wait(page, lambda b: b.find_element(By.XPATH, label).is_displayed())
    page.find_element(By.XPATH, label).send_keys("10")
    click(page, "retrain")
    wait(page, lambda b: "About" in text(b, "plan") and "processor" in text(b, "plan"))
    click(page, "start")
    wait(page, lambda b: "Step" in text(b, "job-text"))
    open_accordion(page, "Curve and log")
    wait(page, lambda b: b.find_elements(By.CSS_SELECTOR, "#job-curve .js-plotly-plot"))
    show(page, url)  # in the middle of it
    wait(page, lambda b: "Step" in text(b, "job-text"))
    go_on.set()
    wait(page, lambda b: "Done. Version 1 is ready" in text(b, "job-text"), 300)  # it gives way
    wait(page, lambda b: "made from Base model (tiny)" in text(b, "changes"))
    wait(page, lambda b: len(b.find_elements(By.CSS_SELECTOR, "#changes .probe")) >= 5)
    go_to(page, "Try it")
    open_accordion(page, "More ways to ask, models, pictures")
    chosen = "#model input"
    name = lambda b: b.find_element(By.CSS_SELECTOR, chosen).get_attribute("value")  # noqa: E731
    wait(page, lambda b: name(b) == "Version 1 (yours)")
    wait(page, lambda b: "model=mine" in b.current_url)  # it has answered anew
    open_accordion(page, "About this model")
    wait(page, lambda b: "neutral" in text(b, "about"))
    go_to(page, "Teach")
    click(page, "undo")
    wait(page, lambda b: "in use again" in text(b, "teach-problem"))
    go_to(page, "Try it")
    wait(page, lambda b: name(b).endswith("(tiny)"))


def test_versions_are_renamed_compared_and_deleted(page, sessions):
    example_taught(page, times=2)
    open_accordion(page, "Rename, compare")
    name = wait(page, lambda b: shown(b, "#new-name textarea, #new-name input"))
    name[0].send_keys(BEST)
    click(page, "rename")
    wait(page, lambda b: BEST in text(b, "versions"))
    assert "Version 2" not in text(page, "versions")
    choose(page, "other", "Version 1")
    wait(page, lambda b: b.find_elements(By.CSS_SELECTOR, "#compared table"))
    heads = "#compared table:first-of-type thead th"
    names = [BEST, "Version 1", "Base model (tiny)"]
    wait(page, lambda b: [head.text for head in find(b, heads)][:3] == names)
    both = len(grid_value(page))
    wait(page, lambda b: f"Rows taught {both} 20 –" in text(b, "compared"))
    rows = "#compared [aria-label='Every row'] tbody tr"
    wait(page, lambda b: len(find(b, rows)) == both)
    click(page, "delete-version")
    assert answer(page, yes=False) == "Delete this version for good?"
    time.sleep(0.3)
    assert len(newest(sessions).versions()) == 2
    click(page, "delete-version")
    answer(page, yes=True)
    wait(page, lambda b: BEST not in text(b, "versions"))
    assert [version.name for version in newest(sessions).versions()] == ["Version 1"]
    in_use = "#version label.selected"
    wait(page, lambda b: find(b, in_use)[0].text.startswith("Base model"))
    press(page, By.CSS_SELECTOR, "#version label")
    wait(page, lambda b: find(b, in_use)[0].text.startswith("Version 1: instant, 20 rows"))
    wait(page, lambda _: newest(sessions).selected)


def test_a_project_is_opened_again_by_its_key_and_from_a_download(page, sessions, tmp_path):
    keep_downloads(page, tmp_path)
    example_taught(page)
    first, rows = newest(sessions), grid_value(page)
    open_accordion(page, "More: ")
    open_accordion(page, "Project key")
    click(page, "show-key")
    key = "return (document.querySelector('#key textarea, #key input') || {}).value"
    wait(page, lambda b: b.execute_script(key) == first.id)
    open_accordion(page, "Download")
    click(page, "save-project")
    path = landed(page, tmp_path, "zip")
    assert f"versions/{first.selected}/model/config.json" in zipfile.ZipFile(path).namelist()
    open_accordion(page, "Open or begin")
    click(page, "begin-anew")
    answer(page, yes=True)
    wait(page, lambda b: "This is an empty project." in text(b, "open-said"))
    wait(page, lambda b: (grid_value(b), text(b, "versions")[:14]) == ([], "No version yet"))
    box = wait(page, lambda b: shown(b, "#typed-key textarea, #typed-key input"))[0]
    box.send_keys(first.id.upper().replace("-", " "))
    click(page, "open-key")
    answer(page, yes=True)
    wait(page, lambda b: grid_value(b) == rows)
    before = {*project_ids(sessions)}
    upload(page, "archive", path)
    wait(page, lambda b: path.stem in text(b, "archive"))
    click(page, "open-archive")
    answer(page, yes=True)
    (new,) = wait(page, lambda _: {*project_ids(sessions)} - before)
    wait(page, lambda b: "The project is open." in text(b, "open-said"))
    wait(page, lambda b: grid_value(b) == rows)
    wait(page, lambda b: "Version 1" in text(b, "versions"))
    again = sessions.projects.open(new)
    assert again.model(again.selected).labels == first.model(first.selected).labels


def test_columns_of_any_name_are_mapped_on_screen(page, sessions, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(FILE, encoding="utf-8")
    open_accordion(page, "Import")
    upload(page, "table-file", path)
    wait(page, lambda b: b.find_element(By.ID, "map-label").is_displayed())
    names = dict(zip(("subject", "relation", "object", "label"), COLUMNS, strict=True))
    fields = [f"map-{field}" for field in (*names, "premise")]
    wait(page, lambda b: [chosen(b, field) for field in fields] == [*COLUMNS, "–"])
    choose(page, "map-label", "–")
    click(page, "add-rows")
    wait(page, lambda b: "are needed" in text(b, "import-said"))
    assert grid_value(page) == []
    for field, column in names.items():
        choose(page, f"map-{field}", column)
    wait(page, lambda b: "as they will be read" in text(b, "preview"))
    assert grid_value(page) == []
    click(page, "add-rows")
    wait(page, lambda b: len(grid_value(b)) == 3)
    wait(page, lambda b: "3 rows added." in text(b, "import-said"))
    meant = {"yes": "entailment", "no": "contradiction"}
    wait(page, lambda b: grid_value(b) == [[*row[:3], meant[row[3]]] for row in ROWS[:3]])
    wait(page, lambda b: "3 usable rows" in text(b, "report"))
    assert len(newest(sessions).rows) == 3
    workbook, other = Workbook(), tmp_path / "other.xlsx"  # takes longer to read
    workbook.active.append(["subject", "relation", "object", "label"])
    workbook.active.append(["Greta", "is the boss of", "Hugo", "no"])
    workbook.save(other)
    upload(page, "table-file", other)
    wait(page, lambda b: other.name in text(b, "table-file").replace("\n", ""))
    click(page, "add-rows")  # before its columns are shown
    wait(page, lambda b: "1 row added." in text(b, "import-said"))
