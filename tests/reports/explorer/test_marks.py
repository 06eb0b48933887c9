"""Marks given on the pages stand in the warehouse as imported ones do."""

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import pytest
from starlette.testclient import TestClient

from demur.levers.vocabulary import AuditCriterion
from demur.reports.explorer.app import Explorer
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.results.query import query

ORIGIN = {"origin": "http://127.0.0.1", "content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def reading_home(made_home: Home, tmp_path: Path) -> Home:
    shutil.copytree(made_home.root, tmp_path / "home")
    return Home(tmp_path / "home")


class Reading:
    """A reader in a browser, who has given a name."""

    def __init__(self, explorer: Explorer, name: str) -> None:
        self.asking = TestClient(explorer.application(), base_url="http://127.0.0.1", follow_redirects=False)
        answer = self.asking.post("/rounds/r1/audit", content=f"reader={quote(name)}", headers=ORIGIN)
        assert answer.status_code == 303, answer.text
        self.asking.cookies.update(answer.cookies)
        self.first = str(answer.headers["location"])

    def mark(self, item: str, value: str = "pass", then: str = "next", **fields: str) -> str:
        """Mark all criteria of an item, and return where the page leads then."""
        marks = {name.value: value for name in AuditCriterion} | {"note": "seen", "then": then, **fields}
        answer = self.asking.post(f"/rounds/r1/items/{id_of(item)}/marks", content=urlencode(marks), headers=ORIGIN)
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])


def id_of(address: str) -> str:
    return urlsplit(address).path.rpartition("/")[2]


@pytest.fixture
def explorer(reading_home: Home) -> Iterator[Explorer]:
    found = Explorer(reading_home)
    yield found
    found.close()


def readings(home: Home) -> list[tuple[object, ...]]:
    return query(
        home, "SELECT item_id, reader, passed, suspected FROM audit_readings "
        "JOIN live_audits USING (round_id, item_id, reader) ORDER BY ALL", limit=None
    ).rows  # fmt: skip


def test_page_of_reading_shows_the_text_and_nothing_that_anybody_said(explorer: Explorer, reading_home: Home) -> None:
    ada = Reading(explorer, "Ada")
    item = id_of(ada.first)
    [(question, generator, lever)] = query(
        reading_home, f"SELECT question, generator, lever FROM live_items WHERE item_id = '{item}'", limit=None
    ).rows
    html = unescape(re.sub(r"</?(ins|del|mark)>", "", ada.asking.get(ada.first).text))
    whole = unescape(ada.asking.get(f"/rounds/r1/items/{item}").text)
    assert str(lever) in html and all(word in html for word in str(question).split()[:3])
    assert html.index('class="text question"') < html.index("<form") and "#" not in ada.first
    for said in ("Verdicts", "Responses", str(generator), "judge"):
        assert said in whole, said
    for said in ("<h2>Verdicts", "<h2>Responses", f">{generator}", "verifier", "judged", "Difficulty"):
        assert said not in html, said


def test_reader_goes_through_the_queue_with_progress_to_its_end(explorer: Explorer, reading_home: Home) -> None:
    ada = Reading(explorer, "Ada")
    there, seen = ada.first, list[str]()
    while there.startswith("/rounds/r1/read/"):
        assert f"{len(seen)} of 22 items read" in ada.asking.get(there).text.replace("\u202f", "")
        seen.append(id_of(there))
        there = ada.mark(there)
    assert there == "/rounds/r1/audit" and len(set(seen)) == len(seen) == 22
    assert "22 of 22 items read by Ada: all of them" in ada.asking.get(there).text
    explorer.store().flush()
    assert [(row[0], *row[2:]) for row in readings(reading_home)] == [(item, True, False) for item in sorted(seen)]
    for raw in ("lever_fidelity", ">overall<", "alpha"):
        assert raw not in ada.asking.get("/rounds/r1/audit").text


def test_mark_is_on_the_disk_when_the_page_goes_on_and_stored_by_the_next_explorer(reading_home: Home) -> None:
    killed = Explorer(reading_home)
    ada = Reading(killed, "Ada")
    ada.mark(ada.first)
    assert readings(reading_home) == []  # nobody waited for the warehouse
    assert "22" in ada.asking.get("/rounds/r1/audit").text
    store = killed.store()
    store._closed.set()  # what a kill leaves: the file, and nobody who holds it
    store._held.close()
    Explorer(reading_home).store().flush()
    assert [row[1:] for row in readings(reading_home)] == [("Ada", True, False)]
    assert list((reading_home.root / "pending_marks").iterdir()) == []


def test_marks_that_the_warehouse_refuses_now_are_kept_and_shown(explorer: Explorer, reading_home: Home) -> None:
    ada = Reading(explorer, "Ada")
    following = ada.mark(ada.first)
    loader = reading_home.loader.read_bytes()
    reading_home.loader.write_bytes(b"damaged")
    with pytest.raises(WarehouseError):
        explorer.store().flush()
    html = ada.asking.get(following).text
    assert "1 of 22 items read" in html
    reading_home.loader.write_bytes(loader)
    explorer.store().flush()
    assert len(readings(reading_home)) == 1


def test_own_marks_stand_again_on_the_page_and_those_of_others_do_not(explorer: Explorer) -> None:
    ada, grace = Reading(explorer, "Ada"), Reading(explorer, "Gr\u00e4fin")
    assert ada.first == grace.first
    grace.mark(grace.first, "fail", then="stay")
    assert ada.mark(ada.first, then="stay") == ada.first
    html = ada.asking.get(ada.first).text
    assert html.count('value="pass" aria-describedby') == 5 and html.count("checked") == 5
    assert "Gr\u00e4fin" not in html and html.count(">seen<") == 1
    assert "Gr\u00e4fin" in ada.asking.get(f"/rounds/r1/items/{id_of(ada.first)}").text


def test_somebody_decides_where_readers_differ_and_the_decision_counts(explorer: Explorer, reading_home: Home) -> None:
    ada, grace = Reading(explorer, "Ada"), Reading(explorer, "Grace")
    ada.mark(ada.first)
    grace.mark(grace.first, "fail")
    item = id_of(ada.first)
    assert "1 item on which readers differ" in ada.asking.get("/rounds/r1/audit").text
    listed = unescape(ada.asking.get("/rounds/r1/differences").text)
    assert f"/rounds/r1/read/{item}?adjudicate=yes" in listed and "Ada, Grace" in listed
    html = ada.asking.get(f"/rounds/r1/read/{item}?adjudicate=yes").text
    assert html.count('<span class="yes">Pass</span>') == html.count('<span class="no">Fail</span>') == 5
    assert html.count("checked") == 0 or 'value="" aria-describedby' in html
    sql = "SELECT readers, passes, passed FROM audit_items WHERE criterion = 'overall'"
    explorer.store().flush()
    assert query(reading_home, sql, limit=None).rows == [(2, 1, False)]
    assert ada.mark(item, adjudicates="yes") == "/rounds/r1/differences"
    explorer.store().flush()
    assert query(reading_home, sql, limit=None).rows == [(2, 1, True)]
    agreement = "SELECT coefficient, items, observed FROM audit_agreement WHERE criterion = 'overall' ORDER BY ALL"
    assert query(reading_home, agreement, limit=None).rows == [("alpha", 1, 0.0), ("cohen", 1, 0.0)]
    assert "Readers differ on no item" in ada.asking.get("/rounds/r1/audit").text
    refused = ada.asking.post("/rounds/r1/audit", content="reader=Ada+(adjudication)", headers=ORIGIN)
    assert refused.status_code == 400


def test_cleared_marks_are_gone_and_strange_ones_refused(explorer: Explorer, reading_home: Home) -> None:
    ada = Reading(explorer, "Ada")
    item = f"/rounds/r1/items/{id_of(ada.first)}"
    for marks, stored in (("lever_fidelity=pass", 1), ("lever_fidelity=", 0)):
        ada.asking.post(f"{item}/marks", content=marks, headers=ORIGIN)
        explorer.store().flush()
        assert len(readings(reading_home)) == stored
    for form, status in (("lever_fidelity=perhaps", 400), ("colour=red", 400), ("note=" + "x" * 200_000, 400)):
        assert ada.asking.post(f"{item}/marks", content=form, headers=ORIGIN).status_code == status
    assert ada.asking.post("/rounds/r1/items/none/marks", content="note=x", headers=ORIGIN).status_code == 400
    ada.asking.cookies.clear()
    assert ada.asking.post(f"{item}/marks", content="note=x", headers=ORIGIN).status_code == 400
