"""The explorer in a browser: what axe finds, widths, keys, marks, hostile texts, exported pages."""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from demur.levers.vocabulary import AuditCriterion, ReadObject
from demur.reports.audits.page import Card, ReadingPage, render_audit, render_page
from demur.reports.audits.questions import QUESTIONS
from demur.reports.explorer.app import Explorer
from demur.reports.explorer.export import export_round
from demur.reports.explorer.pages import results_page
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.results.query import query
from demur.warehouse.results.snapshots import Snapshots
from tests.flows.finished_rounds import FinishedRound
from tests.reports.explorer.conftest import served
from tests.reports.test_audit_page import item, sample

if TYPE_CHECKING:
    from playwright.sync_api import Page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytest.importorskip("playwright", reason="Playwright is not installed (pip install 'demur[dev]')")
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed (apt-get install chromium)"),
    pytest.mark.slow(seconds=25),
    pytest.mark.exhaustive,
]


@pytest.fixture(scope="module")
def home(made_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("browsed") / "home"
    shutil.copytree(made_home.root, folder)
    return Home(folder)


@pytest.fixture(scope="module")
def address(home: Home) -> Iterator[str]:
    """Where the explorer answers."""
    with served(Explorer(home).application()) as found:
        yield found


@pytest.fixture(scope="module")
def page() -> Iterator["Page"]:
    """A page of a browser without a window, which must log no error and open no dialog."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        found = browser.new_page(viewport={"width": 1000, "height": 800})
        said: list[str] = []
        found.on(
            "console",
            lambda message: said.append(f"{message.text} {message.location}") if message.type == "error" else None,
        )
        found.on("pageerror", lambda error: said.append(str(error)))
        found.on("dialog", lambda dialog: (said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        yield found
        browser.close()
    assert said == []


LINES_OF_NUMBERS = r"""() => {
  const NUMBER = /[+\u2212]?\d[\d.,\u202f]*([\u2013 ]+(to |\u00d7 )?[+\u2212]?\d[\d.,]*[^\s,]*)?/g;
  const numbers = [];
  for (const element of document.querySelectorAll(".number, .value, .right")) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const found of node.data.matchAll(NUMBER)) {
        const range = document.createRange();
        range.setStart(node, found.index);
        range.setEnd(node, found.index + found[0].length);
        numbers.push([found[0], new Set([...range.getClientRects()].map(box => Math.round(box.top))).size]);
      }
    }
  }
  return numbers;
}"""
"""On how many lines each number of a page stands."""
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


def faults(page: "Page", address: str, width: int, dark: bool, opened: bool = False, axe: bool = True) -> list[str]:
    """Go to an address in a window of a width; return what axe finds there, and how far it is too wide."""
    from axe_playwright_python.sync_playwright import Axe

    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.goto(address)
    if opened:
        page.evaluate(OPEN_ALL)
    where = f"{address} at {width}"
    beyond = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    found = [f"{where}: {beyond} px too wide"] if beyond > 0 else []
    violations = Axe().run(page).response["violations"] if axe else []
    return found + [f"{where}: {one['id']} {one['nodes'][0]['html']}" for one in violations]


def test_no_page_has_what_axe_finds_or_is_wider_than_the_window(page: "Page", address: str) -> None:
    page.goto(f"{address}/rounds/r1/items?text=onerror")
    one = page.locator("th.q a").first.get_attribute("href")
    page.goto(f"{address}{one}")
    calls = page.locator("a[href*='/calls/']").first.get_attribute("href")
    page.goto(f"{address}/rounds/r1/items?status=sampled")
    sampled = str(page.locator("th.q a").first.get_attribute("href")).partition("?")[0].rpartition("/")[2]
    pages = [
        "/", "/rounds/r1", "/rounds/r1/results", "/rounds/r1/items?outcome=wrong&respondent=poor", one, calls,
        "/rounds/r1/levers", "/rounds/r1/levers/lever.4", "/rounds/r1/compare", "/rounds/r1/judges", "/compare",
        "/rounds/r1/audit",
        "/rounds/r1/differences", f"/rounds/r1/read/{sampled}", "/sql?q=SELECT+*+FROM+leaderboard",
    ]  # fmt: skip
    found = []
    for at, shown in enumerate(pages):
        found += faults(page, f"{address}{shown}", 1600, dark=at % 2 == 0, axe=False)
        found += faults(page, f"{address}{shown}", 400, dark=at % 2 == 1)
    assert found == []


def test_report_as_one_file_has_nothing_that_axe_finds_opened_or_not(page: "Page", tmp_path: Path) -> None:
    from demur.reports.round_report.page import render_report
    from tests.reports.rounds import full_report

    file = tmp_path / "report.html"
    file.write_text(render_report(full_report()), "utf-8")
    assert faults(page, file.as_uri(), 1400, dark=False) == []
    assert page.evaluate("document.documentElement.scrollHeight") < 3000, "three screens, and not more"
    for width, dark, opened in ((400, True, False), (1400, True, True), (400, False, True)):
        assert faults(page, file.as_uri(), width, dark, opened) == []
    numbers = page.evaluate(LINES_OF_NUMBERS)
    assert len(numbers) > 500 and [number for number, lines in numbers if lines > 1] == []


def test_page_of_an_audit_marks_with_keys_keeps_the_marks_and_gives_them_out(page: "Page", tmp_path: Path) -> None:
    file = tmp_path / "audit.html"
    file.write_text(render_audit(sample(item(0), item(1), item(2))), "utf-8")
    page.goto(file.as_uri())
    for key in "a3n11cp":
        page.keyboard.press(key)
    checked = page.locator("fieldset[data-criterion] input:checked").all()
    expected = {name: name != "uncertainty_induced" for name in AuditCriterion}
    assert [one.get_attribute("value") == "pass" for one in checked] == list(expected.values())
    page.keyboard.press("u")
    assert page.locator("article.item:visible").get_attribute("data-item") == "i1", "the next that is unread"
    page.keyboard.press("d")
    assert page.evaluate("document.activeElement.id") == "reader", "a name is asked for"
    page.fill("#reader", "Ada B.")
    page.fill("#note", "</script>")
    page.reload()
    assert page.locator("#done").inner_text() == "1 of 3 read"
    with page.expect_download() as download:
        page.click("#take")
    assert download.value.suggested_filename == "audit-r-7-Ada-B..json"
    found = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert (found["round"], found["seed"], found["reader"]) == ("r", 7, "Ada B.")
    assert [(one["item_id"], one["criteria"], one["note"]) for one in found["items"]] == [
        ("i0", expected, ""),
        ("i1", dict.fromkeys(AuditCriterion), "</script>"),
        ("i2", dict.fromkeys(AuditCriterion), ""),
    ]


def test_page_of_questions_keeps_drops_and_mends_with_keys_and_gives_only_what_was_mended(
    page: "Page", tmp_path: Path
) -> None:
    passage = {"document": "Quays", "path": "q.md", "headings": "", "text": "It opened.", "page": None, "date": None}
    cards = [
        Card(one, {"question": one, "passages": [{**passage, "stretches": []}]}, lines=["1904", "</article>"])
        for one in ("q0", "q1", "q2")
    ]
    file = tmp_path / "questions.html"
    shown = ReadingPage(ReadObject.QUESTIONS, "question", "Questions", "r", 7, "How.", QUESTIONS, cards)
    file.write_text(render_page(shown), "utf-8")
    assert faults(page, file.as_uri(), 1280, dark=False) == faults(page, file.as_uri(), 400, dark=True) == []
    page.goto(file.as_uri())
    page.fill("#reader", "Ada")
    for key in (
        "Escape",
        "k",
        "m",
        "Control+A",
        "m",
        "9",
        "Escape",
        "n",
        "k",
        "m",
        "x",
        "Backspace",
        "Escape",
        "n",
        "x",
    ):
        page.keyboard.press(key)
    page.reload()
    assert page.locator("#done").inner_text() == "3 of 3 read"
    with page.expect_download() as download:
        page.keyboard.press("d")
    found = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert [one["criteria"] for one in found["items"]] == [
        {"keep": True, "answers": ["m9"]},
        {"keep": True, "answers": None},
        {"keep": False, "answers": None},
    ]


def test_page_of_boards_has_nothing_that_axe_finds_opened(
    page: "Page", rules_round: FinishedRound, tmp_path: Path
) -> None:
    from demur.flows.evaluations.boards import boards
    from demur.reports.boards import render_boards

    with reading(rules_round.home) as con:
        board = boards(con)[0]
    file = tmp_path / "boards.html"
    file.write_text(render_boards([board, board], "Boards"), "utf-8")
    assert faults(page, file.as_uri(), 1400, dark=False, opened=True) == []
    assert faults(page, file.as_uri(), 400, dark=True, opened=True) == []


def test_keys_go_through_the_list_and_back(page: "Page", address: str) -> None:
    page.set_viewport_size({"width": 1000, "height": 800})
    page.goto(f"{address}/rounds/r1/items?status=sampled&sort=difficulty")
    first, second = (page.locator("th.q a").nth(at).get_attribute("href") for at in (0, 1))
    page.goto(f"{address}{first}")
    for key, there in (("n", second), ("p", first), ("l", "/rounds/r1/items?status=sampled&sort=difficulty")):
        with page.expect_navigation():
            page.keyboard.press(key)
        assert page.url.removeprefix(address).split("?")[0] == str(there).split("?")[0]
    assert page.locator("select[name=sort]").input_value() == "difficulty"


def test_slash_searches_everything_from_any_page_of_a_round(page: "Page", address: str) -> None:
    for here in ("items", "levers"):
        page.goto(f"{address}/rounds/r1/{here}")
        page.keyboard.press("/")
        page.keyboard.type("lever 8")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.locator("main input[type=search]").input_value() == "lever 8"
        assert "text=lever+8" in page.url and page.locator("table.items tbody tr").count() == 3


def test_heads_sort_tables_and_the_address_keeps_it(page: "Page", address: str) -> None:
    page.goto(f"{address}/rounds/r1/levers")
    levers = "section:has(h2:text-is('All levers')) table"
    column = page.locator(f"{levers} tbody tr > :nth-child(5)")
    before = [int(text) for text in column.all_inner_texts()]
    page.click(f"{levers} th:nth-child(5) button")
    assert [int(text) for text in column.all_inner_texts()] == sorted(before)
    page.click(f"{levers} th:nth-child(5) button")
    assert [int(text) for text in column.all_inner_texts()] == sorted(before, reverse=True)
    page.reload()
    assert [int(text) for text in column.all_inner_texts()] == sorted(before, reverse=True)


def test_marks_are_given_with_keys_and_land_in_the_warehouse(page: "Page", address: str, home: Home) -> None:
    page.goto(f"{address}/rounds/r1/audit")
    page.fill("input[name=reader]", "Ada")
    with page.expect_navigation():
        page.click("text=Read the next item")
    read = page.url.rpartition("/")[2].partition("#")[0]
    for key in "12345":
        page.keyboard.press(key)
    page.keyboard.press("5")
    with page.expect_navigation():
        page.keyboard.press("m")
    assert read not in page.url
    columns = ", ".join(AuditCriterion)
    assert page.evaluate("window.scrollY") == 0 and page.locator("p.text.question").is_visible()
    assert "1 of" in page.locator(".found").inner_text()
    rows, deadline = [], time.monotonic() + 60
    while not rows and time.monotonic() < deadline:  # stored behind the pages
        time.sleep(0.05)
        rows = query(home, f"SELECT item_id, reader, {columns} FROM live_audits", limit=None).rows
    assert rows == [(read, "Ada", True, True, True, True, False)]


def test_statement_is_stopped_by_its_button_and_the_next_one_runs(page: "Page", address: str) -> None:
    page.goto(f"{address}/sql")
    assert not page.locator("button[data-stop]").is_visible()
    page.fill("textarea[name=q]", "SELECT sum(sin(a.range)) FROM range(10000000) a, range(10000000) b")
    page.evaluate(  # in the page, since Playwright itself waits for a navigation that has begun
        "const stop = document.querySelector('[data-stop]');"
        "setTimeout(() => { window.wasShown = !stop.hidden; stop.click(); }, 500);"
        "document.querySelector('.console button[type=submit]').click()"
    )
    page.wait_for_function("window.wasShown === true", timeout=5000)
    assert page.url == f"{address}/sql" and page.locator("textarea[name=q]").input_value().startswith("SELECT sum")
    page.fill("textarea[name=q]", "SELECT 41 + 1")
    with page.expect_navigation():
        page.click(".console button[type=submit]")
    assert page.locator("td.number").inner_text() == "42"


def test_exported_pages_open_from_a_disk_with_their_style_and_filter(
    page: "Page", made_home: Home, tmp_path: Path
) -> None:
    snapshot = Snapshots(made_home).current()
    export_round(snapshot, "r1", tmp_path / "pages", results=results_page(snapshot, made_home, "r1"))
    page.goto((tmp_path / "pages" / "items.html").as_uri())
    assert page.evaluate("getComputedStyle(document.querySelector('.masthead ul')).display") == "flex"
    rows = page.locator("table.items tbody tr")
    assert rows.count() == 22
    page.fill("input[type=search]", "Lever 8")
    assert page.locator("table.items tbody tr:visible").count() == 3
    with page.expect_navigation():
        page.click("table.items tbody tr:visible a")
    assert page.locator("h1").inner_text().endswith("Lever 8")
    with page.expect_navigation():
        page.keyboard.press("n")
    assert page.url.startswith("file:")
