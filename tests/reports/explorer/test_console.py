"""The console and the downloads of a running explorer: they end at their limit, when nobody waits, and never short."""

import http.client
import time
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from demur.reports.explorer.app import Explorer
from demur.reports.pages.links import to
from demur.warehouse.explorer.snapshot import MOST_AT_ONCE
from demur.warehouse.home import Home
from tests.reports.explorer.conftest import served

ENDLESS = "SELECT sum(sin(a.range) * cos(b.range)) FROM range(10000000) a, range(10000000) b"


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


def test_statement_ends_when_its_reader_stops_waiting(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demur.reports.explorer.console.CONSOLE_SECONDS", 300.0)

    def refused() -> bool:
        page = asked(address, to("console", q="SELECT 41 + 1")).getresponse().read().decode()
        assert ("still ending" in page) != ('<td class="number">42</td>' in page)
        return "still ending" in page

    waiting: list[http.client.HTTPConnection] = []
    while not refused():
        waiting += [asked(address, to(page, q=ENDLESS)) for page in ("console", "csv")]
    assert len(waiting) >= MOST_AT_ONCE
    for connection in waiting:
        assert connection.sock is not None
        connection.sock.close()
    deadline = time.monotonic() + 60
    while refused():
        assert time.monotonic() < deadline
        time.sleep(0.05)
