"""Who is answered, with which headers, and what a browser may do."""

import re
import shutil
from pathlib import Path

import duckdb
import pytest
from starlette.testclient import TestClient

from demur.configuration.settings import is_loopback
from demur.errors import FlowError
from demur.reports.explorer.app import Explorer, serve
from demur.warehouse.errors import WarehouseVersionError
from demur.warehouse.home import Home
from tests.reports.pages import Page

TOKEN = "0123456789abcdef0123"


def test_every_answer_has_a_policy_without_inline_script_and_no_sniffing(browser: TestClient) -> None:
    for address in ("/", "/rounds/r1", "/nowhere", "/sql.csv?q=SELECT+1", "/static/page.js", "/sql.csv?q=SELEC"):
        headers = browser.get(address).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_pages_load_nothing_but_our_style_and_script(browser: TestClient) -> None:
    for address in ("/", "/rounds/r1", "/rounds/r1/items", "/rounds/r1/compare", "/rounds/r1/audit", "/sql"):
        page = Page(browser.get(address).text)
        loading = [one.attributes for one in page.all("script", "img", "iframe", "link")]
        sources = [str(one.get("src") or one.get("href")) for one in loading]
        assert sources == ["data:,", "/static/page.css", "/static/page.js"]
        assert not page.all("style") and not [one for one in page.all("script") if one.text.strip()]
        assert not [name for one in page.elements for name in one.attributes if name == "style" or name[:2] == "on"]
    assert not re.search(r"https?://", browser.get("/static/page.js").text + browser.get("/static/page.css").text)


def test_another_host_name_is_refused_so_that_no_page_can_point_one_here(made_home: Home) -> None:
    asking = TestClient(Explorer(made_home).application(), base_url="http://rebound.example")
    assert asking.get("/").status_code == 403


def test_form_of_another_page_is_refused(browser: TestClient) -> None:
    for headers in ({}, {"origin": "http://elsewhere.example"}, {"origin": "null"}):
        answer = browser.post("/rounds/r1/audit", content="reader=Ada", headers=headers)
        assert answer.status_code == 403


def test_token_is_asked_for_once_and_kept_in_a_cookie(made_home: Home) -> None:
    asking = TestClient(
        Explorer(made_home).application(TOKEN), base_url="http://machine.example:8766", follow_redirects=False
    )
    assert asking.get("/rounds/r1").status_code == 403
    assert asking.get("/rounds/r1?token=wrong").status_code == 403
    first = asking.get(f"/rounds/r1/items?status=sampled&token={TOKEN}")
    assert first.status_code == 303 and first.headers["location"] == "/rounds/r1/items?status=sampled"
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert asking.get("/rounds/r1/items?status=sampled").status_code == 200
    asking.cookies.clear()
    assert asking.get("/", headers={b"Cookie": b"demur_token=\xff\xfe"}).status_code == 403
    assert asking.get("/?token=%ff%fe").status_code == 403
    asking.cookies.set("demur_token", TOKEN[:-1] + "x")
    assert asking.get("/").status_code == 403


def test_explorer_that_only_reads_takes_no_mark_and_offers_none(made_home: Home) -> None:
    reading = TestClient(
        Explorer(made_home, read_only=True).application(TOKEN), base_url="http://machine.example:8766",
        headers={"origin": "http://machine.example:8766"},
    )  # fmt: skip
    assert reading.get(f"/rounds/r1/audit?token={TOKEN}").status_code == 200
    page = reading.get("/rounds/r1/audit").text
    assert "<form" not in page.partition("Audit of r1</h1>")[2] and "Pass rates" in page
    for address in ("/rounds/r1/audit", "/rounds/r1/items/i1/read"):
        assert reading.post(address, content="reader=Ada").status_code in (404, 405)


def test_short_token_and_taken_port_are_refused(made_home: Home) -> None:
    explorer = Explorer(made_home)
    arguments = {"host": "127.0.0.1", "open_browser": False, "started": print}
    with pytest.raises(FlowError, match="at least 16"):
        serve(explorer, port=0, token="short", **arguments)  # type: ignore[arg-type]
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(FlowError, match="give another --host or --port"):
            serve(explorer, port=taken.getsockname()[1], token=None, **arguments)  # type: ignore[arg-type]


def test_copy_of_another_version_is_refused_with_what_to_do(made_home: Home, tmp_path: Path) -> None:
    home = Home(tmp_path)
    shutil.copyfile(made_home.published, home.published)
    with duckdb.connect(str(home.published)) as con:
        con.execute("ALTER TABLE items DROP COLUMN is_known; UPDATE schema_views SET digest = 'of another version'")
    told = "was published by a version of demur with other tables: publish it again with demur warehouse rebuild"
    with pytest.raises(WarehouseVersionError, match=told):
        Explorer(home).check()


@pytest.mark.parametrize(
    ("host", "known"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("10.1.2.3", False), ("x", False)],
)
def test_loopback_is_known_by_its_address(host: str, known: bool) -> None:
    assert is_loopback(host) is known
