"""The tab “Analyse” in a real browser: data in, a run over a reload, rows found and exported."""

import csv
import time

import analyse_page as page
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from teach_page import choose, go_to, grid_value, upload
from try_page import emulate_latency
from waiting import CENTRE, keep_downloads, landed, press, still, wait

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("newcomer")]

NASTY = "<img src=x onerror=window.hacked=1>"
LINES = (
    "Kenya borders Uganda. | Uganda borders Kenya. | entailment",
    "Ann is the mother of Bob. | Bob is the mother of Ann. | contradiction",
    "Ann is the mother of Cora. | Cora is the mother of Ann. | entailment",
    "Ida likes Jon. | Jon likes Ida. | neutral",
)
"""The label of the third is wrong, so there is at least one error."""
SET = "&analysis=free-sentences:general"


@pytest.fixture
def german_file(tmp_path):
    """A table with columns and labels that cannot be guessed."""
    path = tmp_path / "urteile.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter=";")
        table.writerow(["Satz A", "Satz B", "Urteil"])
        names = ("Kenya", "Uganda", "Ghana", "Togo", "Chile", "Peru", "Malta", "Nepal", "Qatar")
        verbs = (("borders", "ja"), ("is the capital of", "nein"), ("supports", "offen"))
        for number in range(240):
            a, b = names[number % 9], f"{names[(number + 2) % 9]} {number}"
            verb, label = verbs[number % 3]
            table.writerow([f"{a} {verb} {b}.", f"{b} {verb} {a}.", label])
    return path


def test_a_file_is_mapped_run_over_a_reload_and_exported(browser, app_url, german_file, tmp_path):
    page.show(browser, app_url)
    page.bring_file(browser, german_file)
    for field, column in (("premise", "Satz A"), ("hypothesis", "Satz B"), ("label", "Urteil")):
        choose(browser, f"analyse-field-{field}", column)
    for label, word in (("entailment", "ja"), ("contradiction", "nein"), ("neutral", "offen")):
        page.choose_word(browser, label, word)
    page.hit(browser, "#analyse-start")
    wait(browser, lambda b: "Running" in page.part(b, "job") or "240" in page.part(b, "filters"))
    browser.refresh()  # in the middle of the run
    page.finished(browser)
    assert "urteile.csv" in page.part(browser, "head")
    key = browser.execute_script("return JSON.parse(sessionStorage['symdemo-analysis']).analysis")
    assert key not in browser.current_url
    assert page.count(browser) == 240
    cell = wait(browser, lambda b: page.find(b, ".an-confusion .an-cell"))[0]
    said = cell.get_attribute("aria-label")
    n = int(cell.text.replace(",", ""))
    page.hit(browser, ".an-confusion .an-cell")
    wait(browser, lambda b: page.find(b, "#analyse-rows[aria-current]") and page.count(b) == n)
    page.at_rest(browser)
    wait(browser, lambda b: len(page.pairs(b)) == min(n, 100))
    label, verdict = said.split(" of ")[1].split(": ")[0].split(" called ")
    shown = browser.execute_script(
        "return [...document.querySelectorAll('.an-rows tbody tr')].map(row => "
        "['.an-col--label', '.an-col--verdict'].map(c => row.querySelector(`${c} .tag`).innerText))"
    )
    assert all(row[0].endswith(label) and row[1].endswith(verdict) for row in shown)
    keep_downloads(browser, tmp_path / "out")
    page.hit(browser, '[data-key="out-csv"]')
    with landed(browser, tmp_path / "out", "csv").open(encoding="utf-8-sig") as file:
        assert len(list(csv.DictReader(file))) == n


def test_an_area_on_the_map_keeps_the_rows_inside(browser, app_url):
    page.show(browser, app_url, more=SET)
    page.finished(browser)
    assert not page.find(browser, "script[src*=plotly]")  # 4.8 MB that most visits do without
    page.go(browser, "map")
    wait(browser, lambda b: page.find(b, ".an-map .scatterlayer .point"))
    whole = page.count(browser)
    plot = ".an-map .nsewdrag"
    browser.execute_script(CENTRE, page.find(browser, plot)[0])
    box = still(browser, plot)
    width, height = int(box["width"]) - 20, int(box["height"]) - 20
    corner = (page.find(browser, plot)[0], -width // 2, -height // 2)
    lasso = ActionChains(browser).move_to_element_with_offset(*corner).click_and_hold()
    for x, y in ((width // 2, 0), (0, height), (-width // 2, 0), (0, -height + 4)):
        lasso = lasso.move_by_offset(x, y)
    lasso.release().perform()
    wait(browser, lambda b: 0 < page.count(b) < whole)
    inside = page.count(browser)
    browser.refresh()
    wait(browser, lambda b: page.count(b) == inside)
    page.go(browser, "rows")
    wait(browser, lambda b: len(page.pairs(b)) == min(inside, 100))


def test_an_error_is_opened_varied_and_taught(browser, app_url):
    page.show_answers(browser, app_url, LINES)
    page.go(browser, "rows")
    page.hit(browser, '[data-key="quick-1"]')
    wait(browser, lambda b: 0 < page.count(b) < 4)
    page.at_rest(browser)
    premise = page.pairs(browser)[0]
    page.hit(browser, ".an-pair")
    wait(browser, lambda b: premise in page.part(b, "detail"))
    wait(browser, lambda b: "Test and save" in page.part(b, "variants") and page.part(b, "words"))
    for name, keys in (("premise", ["Mia is the aunt of Noa."]),
                       ("hypothesis", ["Noa is the aunt of Mia.", Keys.ENTER])):  # fmt: skip
        box = page.find(browser, f'.an-other[data-form]:last-of-type [data-name="{name}"]')[0]
        box.clear()
        box.send_keys(*keys)
    kept = "//*[@class='an-other'][.//input[@value='Mia is the aunt of Noa.']]"
    again = f"{kept}[.//button[contains(., 'Test again')]]//*[contains(@class, 'tag')]"
    wait(browser, lambda b: b.find_element(By.XPATH, again).text)
    browser.refresh()
    wait(browser, lambda b: b.find_element(By.XPATH, again).text)
    label = page.find(browser, '[data-part="detail"] [data-name="label"]')[0]
    label.find_element(By.XPATH, "./option[.='contradiction']").click()
    page.hit(browser, '[data-part="detail"] [data-key="teach"]')
    wait(browser, lambda b: any("Open Teach" in e.text for e in page.find(b, "#analyse-taught")))
    go_to(browser, "Teach")
    wait(browser, grid_value)
    (row,) = grid_value(browser)
    assert row[3] == "contradiction"
    assert row[0] in premise
    assert row[2] in premise


def test_the_text_typed_last_wins_over_slow_answers(browser, app_url):
    page.show_answers(browser, app_url, LINES)
    page.go(browser, "rows")
    emulate_latency(browser, 400)
    box = page.find(browser, "#analyse-search")[0]
    box.click()
    for text, pause in (("Kenya", 0.5), (Keys.BACKSPACE * 5 + "Ann", 0.35), (" is", 0.1)):
        box.send_keys(text)
        time.sleep(pause)
    box.send_keys(Keys.ARROW_LEFT)
    wait(browser, lambda b: page.count(b) == 2)
    time.sleep(1.2)  # for late answers
    assert page.count(browser) == 2
    assert all("Ann is" in pair for pair in page.pairs(browser))
    where = "const e = document.activeElement; return [e.id, e.value, e.selectionStart]"
    assert browser.execute_script(where) == ["analyse-search", "Ann is", 5]
    press(browser, By.CSS_SELECTOR, "[data-bind=regex]")
    box.send_keys(Keys.END, "(")
    wait(browser, lambda b: page.find(b, ".an-problem"))
    box.send_keys(Keys.BACKSPACE * 9)
    wait(browser, lambda b: page.count(b) == len(LINES))
    assert not page.find(browser, ".an-problem")


def test_a_link_shows_the_same_view_in_another_browser(browser, app_url):
    page.show(browser, app_url, more=f"{SET},wikidata14")
    page.finished(browser)
    press(browser, By.XPATH, "//select[@data-bind='versus']/option[.='wikidata14']")
    wait(browser, lambda b: "Models differ" in page.part(b, "filters"))
    press(browser, By.XPATH, "//button[.='Models differ']")
    wait(browser, lambda b: page.count(b) < 234)
    page.go(browser, "rows")
    here, rows = browser.current_url, page.pairs(browser)
    assert "analysis=free-sentences%3Ageneral%2Cwikidata14" in here
    page.forget(browser, app_url)
    browser.get(here)
    wait(browser, lambda b: page.pairs(b) == rows)
    assert not page.find(browser, "#analyse-setup .label-wrap.open")  # the setup is folded


def test_a_link_about_a_file_asks_for_it_and_the_example_still_opens(browser, app_url):
    page.show(browser, app_url, more="&analysis=file:0123456789abcdef")
    wait(browser, lambda b: "Upload the file here" in page.part(b, "said"))
    assert not page.seen(browser, ".an-search, .an-parts")
    page.hit(browser, "#analyse-example")
    wait(browser, lambda b: "Accuracy" in page.part(b, "main"))
    assert "Free sentences" in page.part(browser, "head")
    top = "return document.querySelector('.analyse').getBoundingClientRect().top"
    wait(browser, lambda b: b.execute_script(top) < 450)


def test_an_empty_file_is_refused_and_markup_stays_text(browser, app_url, tmp_path):
    path = tmp_path / f"{NASTY.replace('/', '')}.csv"
    path.write_text(
        f'premise,hypothesis,label,relation\n"{NASTY} is Bob.","Bob is {NASTY}.",entailment,'
        f'"{NASTY}"\nAnn is Bob.,Bob is Ann.,"{NASTY}",x\n'
    )
    page.show(browser, app_url)
    page.set_kind(browser, "Upload")
    (tmp_path / "empty.csv").touch()
    upload(browser, "analyse-file", tmp_path / "empty.csv")
    wait(browser, lambda b: page.seen(b, "#analyse-problem .problem"))
    page.hit(browser, "#analyse-file button[aria-label*=lear]")
    page.bring_file(browser, path)
    page.hit(browser, "#analyse-start")
    page.finished(browser)
    for name in ("suggestions", "slices", "map", "overview", "rows"):
        page.go(browser, name)
    page.hit(browser, ".an-pair")
    wait(browser, lambda b: page.part(b, "words") and "Test" in page.part(b, "variants"))
    wait(browser, lambda b: NASTY in page.part(b, "detail"))
    assert "onerror" in page.part(browser, "head")
    assert not page.find(browser, "#analyse-explorer img")
    assert browser.execute_script("return window.hacked") is None


def test_by_keyboard_alone(browser, app_url):
    page.show_answers(browser, app_url, LINES)
    page.go(browser, "rows")
    focused = "const e = document.activeElement; return e.id || e.dataset.key || e.tagName"

    def type_keys(*keys):
        browser.switch_to.active_element.send_keys(*keys)

    def focus_is(key):
        wait(browser, lambda b: b.execute_script(focused) == key)

    page.find(browser, '[data-key="link"]')[0].send_keys("")  # focus it
    reached = []
    while len(reached) < 30 and "row-1" not in reached:
        type_keys(Keys.TAB)
        reached.append(browser.execute_script(focused))
    assert {"analyse-search", "quick-1", "analyse-map", "row-1"} <= set(reached)
    type_keys(Keys.ENTER)
    wait(browser, lambda b: "Row 2" in page.part(b, "detail") and page.part(b, "words"))
    focus_is("row-1")
    type_keys(Keys.ENTER)  # once more: into the row
    focus_is("before-row")
    type_keys(Keys.TAB, Keys.ENTER)
    wait(browser, lambda b: "Row 3" in page.part(b, "detail"))
    focus_is("after-row")
    type_keys(Keys.ESCAPE)
    wait(browser, lambda b: not page.part(b, "detail"))
    focus_is("row-2")


LINKS = [
    ({}, ""),
    ({"referrer": "https://huggingface.co/", "id": "Ann/SymDemo"}, "Ann/SymDemo"),
    ({"referrer": "https://huggingface.co/spaces/ann-b/sym-demo?x=1"}, "ann-b/sym-demo"),
    ({"referrer": "https://huggingface.co/", "href": "https://ann-symdemo.hf.space/"},
     "ann/symdemo"),
    ({"referrer": "https://huggingface.co/"}, ""),  # the owner's name is ambiguous
    ({"referrer": "https://huggingface.co.evil.org/", "id": "Ann/SymDemo"}, ""),
]  # fmt: skip


def test_a_link_is_that_of_the_page_around_a_space(browser, app_url):
    page.show(browser, app_url)
    wait(browser, lambda b: b.execute_script("return Boolean(window.symdemo?.link)"))
    own = "https://ann-b-sym-demo.hf.space/"
    for given, space in LINKS:
        where = {"href": own, "framed": True, "referrer": "", "id": None} | given
        where["href"] += "?tab=analyse&__sign=secret&__theme=dark&seen=e30%3D#top"
        base = f"https://huggingface.co/spaces/{space}" if space else own
        found = browser.execute_script("return symdemo.link(arguments[0])", where)
        assert found == f"{base}?tab=analyse&seen=e30%3D#top", given
