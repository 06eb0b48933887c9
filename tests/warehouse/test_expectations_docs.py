import fcntl
import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.expectations import (
    ExpectationResult,
    Gate,
    GateBounds,
    StageGate,
    process,
    run_gate,
    write_data_docs,
)
from demur.warehouse.expectations.results import stored_results
from demur.warehouse.home import Home
from tests.reports.pages import Page
from tests.warehouse.gate_round import ROUND, whole_round
from tests.warehouse.gates import GATES

BOUNDS = GateBounds(screening=0.2, acceptance=0.3, coverage=0.5, balance=0.5, invalid=0.1, near_copies=1)
LOADING = {"script", "link", "img", "iframe", "object", "embed", "video", "audio", "source", "base", "form"}
MARKUP = "<script src=\"https://example.org/x.js\"></script><img src='https://example.org/y.png'>{{ 7 * 7 }}"


def page_of(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def links_of(path: Path) -> list[str]:
    return [one.attributes["href"] for one in page_of(path).all("a") if one.attributes.get("href")]


def text_of(path: Path) -> str:
    return page_of(path).all("html")[0].text


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The Data Docs of every stage's gate, one label of one response being markup."""
    home = Home(tmp_path_factory.mktemp("docs"))
    whole_round(home)
    with writing(home, wait_seconds=1) as con:
        con.execute("UPDATE responses SET confidence = ? WHERE response_id = 'i-b1-a1'", [MARKUP])
    failed = []
    for gate in GATES.values():
        results = run_gate(home, ROUND, gate, BOUNDS)
        failed += [result.expectation for result in results if not result.success]
        integrity = {one.name for one in gate.expectations() if one.gate is Gate.INTEGRITY}
        assert {result.expectation for result in results if result.gate is Gate.INTEGRITY} == integrity
    assert failed == ["confidence_in_vocabulary"]
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    return home


def results_of(home: Home, stage: str) -> dict[StageGate, list[ExpectationResult]]:
    with reading(home, "loader") as con:
        return {GATES[stage]: stored_results(con, ROUND, stage)}


def pages(home: Home) -> list[Path]:
    return sorted(home.data_docs.rglob("*.html"))


def test_data_docs_have_a_page_for_every_suite_and_validation(home: Home) -> None:
    suites = [gate.suite(kind) for gate in GATES.values() for kind in gate.kinds()]
    index = text_of(home.data_docs / "index.html")
    for suite in suites:
        assert (home.data_docs / "expectations" / f"{suite.replace('.', '/')}.html").is_file()
        assert suite in index
    assert len(pages(home)) == 1 + 2 * len(suites)


def test_data_docs_load_nothing(home: Home) -> None:
    for path in pages(home):
        page = page_of(path)
        assert page.all(*LOADING) == [], path
        [policy] = [one.attributes["content"] for one in page.all("meta") if "http-equiv" in one.attributes]
        assert policy == "default-src 'none'; style-src 'unsafe-inline'", path
        styles = [one.text for one in page.all("style")] + [one.attributes.get("style", "") for one in page.elements]
        assert not [style for style in styles if "url(" in style or "@import" in style], path
        assert not [name for one in page.elements for name in one.attributes if name.startswith("on")], path


def test_data_docs_link_only_to_pages_that_exist(home: Home) -> None:
    for path in pages(home):
        links = links_of(path)
        assert links, path
        for link in links:
            assert (path.parent / link.partition("#")[0]).is_file(), (path, link)


def test_data_docs_show_markup_as_text(home: Home) -> None:
    [path] = (home.data_docs / "validations" / "respond" / "integrity").rglob("*.html")
    assert "{{ 7 * 7 }}" in text_of(path) and "https://example.org/x.js" in text_of(path)


def test_data_docs_show_the_latest_gate_of_each_round_and_are_written_where_it_found_something_else(home: Home) -> None:
    before, index = pages(home), home.data_docs / "index.html"
    written = index.stat().st_mtime_ns
    run_gate(home, ROUND, GATES["fit"], BOUNDS)
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    assert (pages(home), index.stat().st_mtime_ns) == (before, written)
    stricter = replace(BOUNDS, acceptance=0.35)
    run_gate(home, ROUND, GATES["verify"], stricter)
    write_data_docs(home, ROUND, GATES.values(), stricter)
    assert index.stat().st_mtime_ns > written
    after = pages(home)
    assert len(after) == len(before)
    validations = [path for path in before if "validations" in path.parts]
    assert set(before) - set(after) == set(validations)  # pages of before, whose names have their time


def test_data_docs_keep_the_newest_results_only(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from demur.warehouse.expectations import data_docs

    monkeypatch.setattr(data_docs, "KEPT_RESULTS", 3)
    data_docs.write_pages(home, results_of(home, "verify"), ROUND, BOUNDS)
    found = sorted((home.data_docs / "validations").rglob("*.html"))
    assert len(found) == 3


def test_data_docs_that_a_killed_process_left_half_written_are_written_again(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    whole_round(home)
    for stage in ("verify", "fit"):
        run_gate(home, ROUND, GATES[stage], BOUNDS)
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    for path in home.data_docs.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:40])
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    index = home.data_docs / "index.html"
    assert "verify.integrity" in text_of(index) and "verify.sample" in text_of(index)
    for link in links_of(index):
        if "verify" in link:
            assert "Written by Great Expectations" in text_of(home.data_docs / link)


def test_data_docs_are_written_whatever_path_and_time_zone_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from demur.warehouse.expectations.data_docs import write_pages

    monkeypatch.setenv("TZ", "<+14>-14")
    monkeypatch.setattr("tzlocal.unix._cache_tz", None)
    home = Home(tmp_path / "$HOME ${x} 漢")
    whole_round(home)
    run_gate(home, ROUND, GATES["respond"], BOUNDS)
    write_pages(home, results_of(home, "respond"), ROUND, BOUNDS)
    assert re.search(r"\d\d:\d\d:\d\d UTC", text_of(home.data_docs / "index.html"))
    assert len(pages(home)) > 2


def test_data_docs_that_cannot_be_written_name_place_and_remedy_and_the_next_are_written(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    whole_round(home)
    run_gate(home, ROUND, GATES["respond"], BOUNDS)
    home.data_docs.write_text("A file where the folder should be.")
    with pytest.raises(WarehouseError, match=rf"{home.data_docs}.*then run the same command again"):
        write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    home.data_docs.unlink()
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    assert len(pages(home)) > 2


def test_data_docs_whose_pages_cannot_be_written_are_one_line_without_traceback(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = Home(tmp_path)
    whole_round(home)
    run_gate(home, ROUND, GATES["ask"], BOUNDS)
    (home.data_docs / "index.html").mkdir(parents=True)
    with pytest.raises(WarehouseError) as caught:
        write_data_docs(home, ROUND, [GATES["ask"]], BOUNDS)
    assert "\n" not in str(caught.value)
    assert "Is a directory" in str(caught.value)
    assert "Traceback" not in capfd.readouterr().err


def test_data_docs_whose_process_is_killed_say_so_and_are_written_by_the_next(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    whole_round(home)
    run_gate(home, ROUND, GATES["respond"], BOUNDS)
    home.locks.mkdir(parents=True)
    with (home.locks / "data_docs.lock").open("a") as file, ThreadPoolExecutor() as threads:
        fcntl.flock(file, fcntl.LOCK_EX)
        written = threads.submit(write_data_docs, home, ROUND, GATES.values(), BOUNDS)
        while not home.data_docs.exists():
            time.sleep(0.01)
        [writer] = process._running
        os.kill(writer.pid, signal.SIGKILL)
        with pytest.raises(WarehouseError, match=r"process that writes these pages ended \(exit -9\)"):
            written.result()
    assert not (home.data_docs / "index.html").exists()
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    assert len(pages(home)) > 2
