"""The console and the downloads of a running explorer: they end at their limit, when nobody waits, and never short."""

import http.client
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from demur.reports.explorer.app import Explorer
from demur.reports.pages.rendering import to
from demur.warehouse.home import Home
from demur.warehouse.results.snapshots import MOST_AT_ONCE
from demur.warehouse.results.statement_process import PROCESS_MEGABYTES
from tests.reports.explorer.conftest import served


@pytest.fixture(scope="module")
def address(made_home: Home) -> Iterator[str]:
    """Where an explorer answers over a socket, so that connections can be cut."""
    with served(Explorer(made_home).application()) as found:
        yield found.removeprefix("http://")


def asked(address: str, path: str) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection(address)
    connection.request("GET", path)
    return connection


def test_download_holds_every_row(browser: TestClient) -> None:
    text = browser.get(to("csv", q="SELECT range AS n FROM range(120001)")).text
    assert text.splitlines() == ["n", *map(str, range(120_001))]
    assert browser.get(to("csv", q="SELECT 1 AS n WHERE false")).text == "n\n"


def test_download_that_meets_an_error_late_breaks_off(address: str) -> None:
    late = "SELECT CASE WHEN range = 700000 THEN error('too late') ELSE range END AS n FROM range(900000)"
    answer = asked(address, to("csv", q=late)).getresponse()
    assert answer.status == 200
    with pytest.raises(http.client.IncompleteRead):
        answer.read()


def test_download_that_cannot_begin_is_an_error_page(browser: TestClient) -> None:
    answer = browser.get(to("csv", q="SELECT error('none of it')"))
    assert answer.status_code == 400 and "none of it" in answer.text


def test_cells_that_spreadsheets_would_compute_are_texts_in_a_download(browser: TestClient) -> None:
    cells = "SELECT '=HYPERLINK(\"http://x\")' AS a, '+1' AS b, '-1+1' AS c, '@SUM(1)' AS d, -1.5 AS e, 'a=b' AS f"
    text = browser.get(to("csv", q=cells)).text
    assert text.splitlines()[1] == """"'=HYPERLINK(""http://x"")",'+1,'-1+1,'@SUM(1),-1.5,a=b"""


GREEDY = (
    "SELECT length(repeat('x', 2000000000))",
    "SELECT string_agg(range::VARCHAR, '') FROM range(30000000)",
    "SELECT list(repeat('x', 1000) || range) FROM range(2000000)",
)


@pytest.mark.parametrize("sql", GREEDY)
def test_statement_that_wants_too_much_memory_is_told_so_and_harms_no_other(address: str, sql: str) -> None:
    greedy = [asked(address, to("console", q=sql)) for _ in range(MOST_AT_ONCE - 1)]
    page = asked(address, to("console", q="SELECT 41 + 1")).getresponse().read().decode()
    assert '<td class="number">42</td>' in page
    for connection in greedy:
        said = connection.getresponse().read().decode()
        assert f"more memory than the {PROCESS_MEGABYTES} MB" in said and 'role="alert"' in said
    download = asked(address, to("csv", q=sql)).getresponse()
    assert download.status == 400 and "more memory than" in download.read().decode()


def test_rows_too_large_for_a_page_are_refused_and_downloaded_in_parts(address: str) -> None:
    wide = "SELECT repeat('x', 100000) AS t FROM range(400)"
    assert "have more than 16 MB" in asked(address, to("console", q=wide)).getresponse().read().decode()
    text = asked(address, to("csv", q=wide)).getresponse().read()
    assert len(text) == len("t\n") + 400 * 100_001
    cell = "SELECT repeat('x', 20000000)"
    assert "a row has more than 16 MB" in asked(address, to("console", q=cell)).getresponse().read().decode()
