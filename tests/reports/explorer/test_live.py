"""A running round says how far it is in a file, and pages show it."""

import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from demur.engine.progress import Progress, observe, observer
from demur.engine.progress_file import live_rounds, progress_written
from demur.engine.round_lock import round_lock
from demur.reports.explorer.app import Explorer
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publish import publish


class Heard(Progress):
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.events: list[tuple[object, ...]] = []

    def started(self, stage: str, units: int, landed: int) -> None:
        self.events.append((stage, units, landed))

    def advanced(self, stage: str, units: int) -> None:
        self.events.append((stage, units))


def test_running_round_shows_stage_units_rate_time_left_and_dollars(made_home: Home, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    shutil.copytree(made_home.root, home.root)
    with writing(home, wait_seconds=0) as con:
        con.execute(
            "INSERT INTO estimates BY NAME SELECT 'r2' AS round_id, stage, 'judge' AS role, 'm' AS model, 40 AS units, "
            "40 AS calls, 'digest' AS config_digest, 'sizes' AS basis, TIMESTAMP '2026-11-02' AS planned_at "
            "FROM (VALUES ('respond'), ('judge')) s(stage)"
        )
    publish(home)
    before, heard = observer(), Heard()
    observe(heard)
    try:
        with round_lock(home, "r2"), progress_written(home, "r2", 20.0):
            browser = TestClient(Explorer(home).application(), base_url="http://127.0.0.1")
            now = observer()
            now.spent(3.0)
            now.started("respond", 100, 60)
            now.advanced("respond", 20)
            now.paid(0.5)
            for reason in ("rate_limit", "unreadable", "rate_limit"):
                now.failed("respond", reason)
            now.entered("respond", "loading")
            now.ended("respond", 3)
            state = live_rounds(home)["r2"]
            assert (state.stages["respond"].done, state.cap_usd) == (20, 20.0)
            for address in ("/", "/rounds/r2"):
                html = browser.get(address).text
                assert 'data-refresh="5"' in html
                for shown in (
                    "80 of 100",
                    ">2 rate limit<",
                    ">1 unreadable<",
                    "$3.50 of $20.00",
                    "per second",
                    "about",
                ):
                    assert shown in html, (address, shown)
            assert "running" not in browser.get("/rounds/r1").text
        assert observer() is heard
        assert live_rounds(home) == {} and list(home.progress.iterdir()) == []
    finally:
        observe(before)
    assert heard.events == [("respond", 100, 60), ("respond", 20)]


def test_file_that_a_kill_left_shows_no_round(made_home: Home, tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.progress.mkdir()
    (home.progress / "r1.json").write_text('{"round_id": "r1", "stage": "judge"}')
    (home.progress / "r2.json").write_text("{torn")
    assert live_rounds(home) == {}


def test_round_that_has_published_nothing_yet_is_shown_and_an_empty_home_is_not(tmp_path: Path) -> None:
    home = Home(tmp_path)
    browser = TestClient(Explorer(home).application(), base_url="http://127.0.0.1", raise_server_exceptions=False)
    assert browser.get("/").status_code == 503
    with round_lock(home, "fresh"), progress_written(home, "fresh", None):
        observer().started("ingest", 12, 0)
        html = browser.get("/").text
        assert "0 of 12" in html and "fresh" in html and "Nothing is published yet" in html


def test_pages_follow_what_is_published(made_home: Home, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    shutil.copytree(made_home.root, home.root)
    browser = TestClient(Explorer(home).application(), base_url="http://127.0.0.1")
    assert "r3" not in browser.get("/compare").text
    with writing(home, wait_seconds=0) as con:
        con.execute("INSERT INTO rounds SELECT * REPLACE ('r3' AS round_id) FROM rounds WHERE round_id = 'r1'")
    publish(home)
    for _ in range(200):
        if "r3" in browser.get("/compare").text:
            return
    pytest.fail("the new round does not appear")
