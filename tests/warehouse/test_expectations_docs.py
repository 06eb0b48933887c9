import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from demur.warehouse.connection import writing
from demur.warehouse.expectations import GateBounds, run_gate, write_data_docs
from demur.warehouse.home import Home
from tests.warehouse.gate_round import ROUND, whole_round
from tests.warehouse.gates import GATES

BOUNDS = GateBounds(screening=0.2, acceptance=0.3, coverage=0.5, balance=0.5, invalid=0.1, near_copies=1)
LOADING = {"script", "link", "img", "iframe", "object", "embed", "video", "audio", "source", "base", "form"}
MARKUP = "<script src=\"https://example.org/x.js\"></script><img src='https://example.org/y.png'>{{ 7 * 7 }}"


class Page(HTMLParser):
    """Collects what a page would load, where it links to, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.styles = ""
        self.policy = ""
        self._inside = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self._inside = tag
        if tag in LOADING:
            self.loads.append(tag)
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = str(given["content"])
        self.styles += str(given.get("style") or "")

    def handle_data(self, data: str) -> None:
        if self._inside == "style":
            self.styles += data
        else:
            self.text += data


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The Data Docs of every stage's gate, one label of one response being markup."""
    home = Home(tmp_path_factory.mktemp("docs"))
    whole_round(home)
    with writing(home, wait_seconds=1) as con:
        con.execute("UPDATE responses SET confidence = ? WHERE response_id = 'i-b1-a1'", [MARKUP])
    for stage in GATES:
        run_gate(home, ROUND, GATES[stage], BOUNDS)
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    return home


def pages(home: Home) -> list[Path]:
    return sorted(home.data_docs.rglob("*.html"))


def test_data_docs_have_a_page_for_every_suite_and_validation(home: Home) -> None:
    suites = [gate.suite(kind) for gate in GATES.values() for kind in gate.kinds()]
    index = Page(home.data_docs / "index.html")
    for suite in suites:
        assert (home.data_docs / "expectations" / f"{suite.replace('.', '/')}.html").is_file()
        assert suite in index.text
    assert len(pages(home)) == 1 + 2 * len(suites)


def test_data_docs_load_nothing(home: Home) -> None:
    for path in pages(home):
        page = Page(path)
        assert page.loads == [], path
        assert page.policy == "default-src 'none'; style-src 'unsafe-inline'", path
        assert "url(" not in page.styles and "@import" not in page.styles, path
        assert not re.search(r"\son\w+\s*=", re.sub(r"<style>.*?</style>", "", path.read_text(), flags=re.S)), path


def test_data_docs_link_only_to_pages_that_exist(home: Home) -> None:
    for path in pages(home):
        links = Page(path).links
        assert links, path
        for link in links:
            assert (path.parent / link.partition("#")[0]).is_file(), (path, link)


def test_data_docs_show_markup_as_text(home: Home) -> None:
    [path] = (home.data_docs / "validations" / "respond" / "integrity").rglob("*.html")
    page = Page(path)
    assert "{{ 7 * 7 }}" in page.text and "https://example.org/x.js" in page.text
    assert page.loads == []


def test_data_docs_say_in_words_what_was_not_met(home: Home) -> None:
    [path] = (home.data_docs / "validations" / "respond" / "integrity").rglob("*.html")
    text = Page(path).text
    assert "Every confidence is one of VERY_CONFIDENT, CONFIDENT" in text
    assert "Every response has its item." in text


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
    write_data_docs(home, ROUND, GATES.values(), replace(BOUNDS, acceptance=0.36))
    found = sorted((home.data_docs / "validations").rglob("*.html"))
    assert len(found) == 3


@pytest.mark.parametrize("left", [0, 40], ids=["empty", "cut"])
def test_data_docs_that_a_killed_process_left_half_written_are_written_again(tmp_path: Path, left: int) -> None:
    home = Home(tmp_path / "home")
    whole_round(home)
    for stage in ("verify", "fit"):
        run_gate(home, ROUND, GATES[stage], BOUNDS)
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    for path in home.data_docs.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:left])
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    index = Page(home.data_docs / "index.html")
    assert "verify.integrity" in index.text and "verify.sample" in index.text
    for link in index.links:
        if "verify" in link:
            assert "Written by Great Expectations" in Page(home.data_docs / link).text


def test_data_docs_are_written_whatever_path_and_time_zone_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "<+14>-14")
    monkeypatch.setattr("tzlocal.unix._cache_tz", None)
    home = Home(tmp_path / "$HOME ${x} 漢")
    whole_round(home)
    run_gate(home, ROUND, GATES["respond"], BOUNDS)
    write_data_docs(home, ROUND, GATES.values(), BOUNDS)
    assert re.search(r"\d\d:\d\d:\d\d UTC", Page(home.data_docs / "index.html").text)
    assert len(pages(home)) > 2
