"""Marks given on the pages stand in the warehouse as imported ones do."""

import re
import shutil
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from demur.levers.vocabulary import AuditCriterion
from demur.reports.explorer.app import Explorer
from demur.warehouse.home import Home
from demur.warehouse.query import query

ORIGIN = {"origin": "http://127.0.0.1", "content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def reading_home(made_home: Home, tmp_path: Path) -> Home:
    shutil.copytree(made_home.root, tmp_path / "home")
    return Home(tmp_path / "home")


def test_reader_marks_items_one_after_the_other_and_agreement_is_shown(reading_home: Home) -> None:
    def reader(name: str) -> TestClient:
        found = TestClient(Explorer(reading_home).application(), base_url="http://127.0.0.1", follow_redirects=False)
        first = found.post("/rounds/r1/audit", content=f"reader={name}", headers=ORIGIN)
        assert first.status_code == 303
        found.cookies.update(first.cookies)
        found.headers["first"] = first.headers["location"].partition("#")[0]
        return found

    def marked(asking: TestClient, item: str, then: str, value: str = "pass") -> str:
        form = "&".join(
            [*(f"{name}={value}" for name in AuditCriterion), "note=seen", f"then={then}", "carried=sort%3Dcost"]
        )
        answer = asking.post(f"{item}/marks", content=form, headers=ORIGIN)
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"]).partition("#")[0]

    ada, grace = reader("Ada"), reader("Gr%C3%A4fin")
    item = ada.headers["first"]
    assert item == grace.headers["first"]
    following = marked(ada, item, "next")
    assert following.startswith("/rounds/r1/items/") and following != item
    marked(ada, following, "stay", "fail")
    marked(grace, item, "stay", "fail")
    assert marked(ada, item, "stay") == f"{item}?sort=cost"
    html = ada.get(item).text
    assert html.count('value="pass" aria-describedby') == 5 and html.count("checked") == 5
    assert "Gr\u00e4fin" in html and "seen" in html
    stored = query(reading_home, "SELECT reader, passed, note, seed FROM live_audits JOIN audit_readings "
                   "USING (round_id, item_id, reader, note) ORDER BY ALL", limit=None).rows  # fmt: skip
    assert stored == [("Ada", False, "seen", 1), ("Ada", True, "seen", 1), ("Gr\u00e4fin", False, "seen", 1)]
    audit = unescape(
        TestClient(Explorer(reading_home).application(), base_url="http://127.0.0.1").get("/rounds/r1/audit").text
    )
    assert "Gr\u00e4fin" in audit and "alpha" in audit and "Ambiguity" in audit


def test_cleared_marks_are_gone_and_strange_ones_refused(reading_home: Home) -> None:
    asking = TestClient(Explorer(reading_home).application(), base_url="http://127.0.0.1", follow_redirects=False)
    item = asking.post("/rounds/r1/audit", content="reader=Ada", headers=ORIGIN).headers["location"].partition("#")[0]
    asking.cookies.set("demur_reader", "Ada")
    asking.post(f"{item}/marks", content="lever_fidelity=pass", headers=ORIGIN)
    assert query(reading_home, "FROM live_audits", limit=None).rows != []
    asking.post(f"{item}/marks", content="lever_fidelity=", headers=ORIGIN)
    assert query(reading_home, "FROM live_audits", limit=None).rows == []
    for form, status in (("lever_fidelity=perhaps", 400), ("colour=red", 400), ("note=" + "x" * 200_000, 400)):
        assert asking.post(f"{item}/marks", content=form, headers=ORIGIN).status_code == status
    assert asking.post("/rounds/r1/items/none/marks", content="note=x", headers=ORIGIN).status_code == 400
    asking.cookies.clear()
    assert asking.post(f"{item}/marks", content="note=x", headers=ORIGIN).status_code == 400


def test_item_that_was_picked_does_not_count_for_pass_rates(reading_home: Home) -> None:
    asking = TestClient(Explorer(reading_home).application(), base_url="http://127.0.0.1", follow_redirects=False)
    asking.cookies.set("demur_reader", "Ada")
    drawn = asking.post("/rounds/r1/audit", content="reader=Ada", headers=ORIGIN).headers["location"].partition("#")[0]
    asking.cookies.clear()
    asking.cookies.set("demur_reader", "Ada")
    listed = re.findall(r'href="(/rounds/r1/items/[^"?]+)', asking.get("/rounds/r1/items?status=sampled").text)
    picked = next(item for item in listed if item != drawn)
    for item in (picked, drawn, drawn):
        form = "&".join(f"{name}=pass" for name in AuditCriterion)
        assert asking.post(f"{item}/marks", content=form, headers=ORIGIN).status_code == 303
    stored = query(reading_home, "SELECT item_id, suspected FROM live_audits ORDER BY suspected", limit=None).rows
    assert stored == [(drawn.rpartition("/")[2], False), (picked.rpartition("/")[2], True)]
    [(read,)] = query(
        reading_home, "SELECT sum(items) FROM audit_pass_rates WHERE criterion = 'overall'", limit=None
    ).rows
    assert read == 1
