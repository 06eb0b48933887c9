"""A running round says how far it is in a file, and pages show it."""

import shutil
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from demur.engine.logs import observe, observer
from demur.engine.progress_events import Progress
from demur.engine.progress_state import live_rounds, progress_written
from demur.engine.round_lock import round_lock
from demur.engine.state.shared import shared_state
from demur.reports.explorer.app import Explorer
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish


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
                ):
                    assert shown in html, (address, shown)
            assert "running" not in browser.get("/rounds/r1").text
        assert observer() is heard
        assert live_rounds(home) == {} and shared_state(home).progress() == {}
    finally:
        observe(before)
    assert heard.events == [("respond", 100, 60), ("respond", 20)]


def test_what_a_kill_or_another_version_left_shows_no_round(tmp_path: Path) -> None:
    home = Home(tmp_path)
    state = shared_state(home)
    for round_id, left in {"r1": '{"round_id": "r1", "stage": "judge"}', "r2": '{"unknown": 1}', "r3": "{torn"}.items():
        state.say_progress(round_id, left).result()
    assert live_rounds(home) == {}
    with round_lock(home, "r1"), round_lock(home, "r2"), round_lock(home, "r3"):
        assert {name: one.stage for name, one in live_rounds(home).items()} == {"r1": "judge"}


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
        time.sleep(0.05)
    pytest.fail("the new round does not appear")
