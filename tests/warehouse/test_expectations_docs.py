"""Data Docs of a round's gates: pages of Great Expectations for each suite, with numbers and no text of models."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from demur.warehouse.connection import writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.gates import GateBounds, process, run_gate, write_data_docs
from demur.warehouse.home import Home
from tests.reports.pages import Page
from tests.warehouse.gate_round import ROUND, whole_round
from tests.warehouse.gates import GATES

BOUNDS = GateBounds(screening=0.2, acceptance=0.3, coverage=0.5, balance=0.5, invalid=0.1, near_copies=1)
MARKUP = "<script src=\"https://example.org/x.js\"></script><img src='https://example.org/y.png'>{{ 7 * 7 }}"


def text_of(path: Path) -> str:
    return Page(path.read_text(encoding="utf-8")).all("html")[0].text


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The Data Docs of some gates, one label of one response being markup, at a path that GX could misread."""
    home = Home(tmp_path_factory.mktemp("docs") / "$HOME ${x} 漢")
    whole_round(home)
    with writing(home, wait_seconds=1) as con:
        con.execute("UPDATE responses SET confidence = ? WHERE response_id = 'i-b1-a1'", [MARKUP])
    failed = []
    for stage in ("respond", "verify"):
        failed += [one.expectation for one in run_gate(home, ROUND, GATES[stage], BOUNDS) if not one.success]
    assert failed == ["confidence_in_vocabulary"]
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    return home


def test_data_docs_have_a_page_for_every_suite_and_validation(home: Home) -> None:
    folder = home.gate_pages(ROUND)
    suites = [gate.suite(kind) for stage in ("respond", "verify") for gate in [GATES[stage]] for kind in gate.kinds()]
    index = text_of(folder / "index.html")
    assert len(suites) >= 3
    for suite in suites:
        assert (folder / "expectations" / f"{suite.replace('.', '/')}.html").is_file()
        assert suite in index
    assert len(list((folder / "validations").rglob("*.html"))) == len(suites)


def test_data_docs_tell_met_from_failed_and_hold_no_text_of_responses(home: Home) -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in home.gate_pages(ROUND).rglob("*.html")}
    assert not [path for path, text in pages.items() if "example.org" in text or "7 * 7" in text]
    [failed] = (home.gate_pages(ROUND) / "validations" / "respond" / "integrity").rglob("*.html")
    assert "respond.confidence_in_vocabulary" in text_of(failed) and "Failed" in text_of(failed)
    [met] = (home.gate_pages(ROUND) / "validations" / "verify" / "sample").rglob("*.html")
    assert "verify.acceptance" in text_of(met) and "Wanted is at least 0.3" in text_of(met)


def test_data_docs_that_cannot_be_written_name_place_and_remedy_and_the_next_are_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = Home(tmp_path / "home")
    whole_round(home)
    run_gate(home, ROUND, GATES["respond"], BOUNDS)
    folder = home.gate_pages(ROUND)
    folder.parent.write_text("A file where the folder should be.")
    with pytest.raises(WarehouseError, match=rf"{folder}.*then run the same command again") as caught:
        write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    assert "\n" not in str(caught.value) and "Traceback" not in capfd.readouterr().err
    folder.parent.unlink()
    process._end()
    ends = [sys.executable, "-c", "import sys; sys.stdin.buffer.read(1)"]
    process._running.append(subprocess.Popen(ends, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
    with pytest.raises(WarehouseError, match=r"process that writes these pages ended \(exit"):
        write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    assert not (folder / "index.html").exists()
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    assert (folder / "index.html").is_file()


def test_page_that_does_not_fit_on_the_disk_is_one_error_without_a_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    written = []
    with pytest.raises(OSError, match="No space left"), process.errors_of_disks_raised():
        try:
            raise OSError(28, "No space left on device")
        except OSError as exc:
            logging.getLogger("great_expectations.render").error("Traceback: %s", exc)
        written.append("the next page")
    assert written and capfd.readouterr().err == ""
