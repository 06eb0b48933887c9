"""A release's folder alone is explored, and a round's pages are written as files whose links all lead somewhere."""

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from demur.errors import FlowError
from demur.flows.stages.responses.release_items import released_items
from demur.reports.explorer.app import Explorer
from demur.reports.explorer.export import export_round, opened_release
from demur.reports.explorer.pages import results_page
from demur.warehouse.connection import reading
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.releases.freezing import freeze
from demur.warehouse.results.snapshots import Snapshots
from demur.warehouse.transactions import Connection
from tests.reports.explorer.conftest import HOSTILE


@pytest.fixture(scope="module")
def copied(made_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the first round, in a folder of its own."""
    folder = tmp_path_factory.mktemp("released")
    shutil.copytree(made_home.root, folder / "home")
    with reading(made_home) as con:
        found = freeze(con, Home(folder / "home"), "made", "r1", {"seed": 1, "configuration": {}}, lambda label: {})
    shutil.copytree(found.path, folder / "copy")
    return folder / "copy"


@pytest.fixture(scope="module")
def exported(made_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("pages") / "r1"
    snapshot = Snapshots(made_home).current()
    export_round(snapshot, "r1", folder, results=results_page(snapshot, made_home, "r1"))
    yield folder


def test_folder_of_a_release_is_explored_without_the_home_that_froze_it(copied: Path, tmp_path: Path) -> None:
    with opened_release(Home(tmp_path), str(copied)) as (home, release):
        round_id = release.round_id
        browser = TestClient(Explorer(home, whole=False).application(), base_url="http://127.0.0.1")
        board = browser.get(f"/rounds/{round_id}").text
        assert "90.0" in board and "good" in board and "From questions to items" not in board
        results = browser.get(f"/rounds/{round_id}/results").text
        assert (
            "<b>good</b>" in results[results.index("Who did how well?") :][:200]
            and 'href="/rounds/r1/items/' in results
        )
        listed = browser.get(f"/rounds/{round_id}/items?status=sampled&respondent=poor&outcome=missed_refusal").text
        assert ">15 " in listed
        items = re.findall(r'href="(/rounds/r1/items/[^"?]+)', listed)
        one = browser.get(unescape(items[0])).text
        for shown in (
            '<del>built</del><ins class="instead">rebuilt</ins>',
            "strict",
            "Missed refusal",
            "Calls of the generator",
        ):
            assert shown in one
        origin = {"origin": "http://127.0.0.1"}
        assert browser.post("/rounds/r1/audit", content="reader=Ada", headers=origin).status_code == 405
        assert 'method="post"' not in browser.get("/rounds/r1/audit").text + one
    assert not home.root.exists()


def test_release_holds_every_column_of_an_item_for_explorer_and_evaluations(
    made_home: Home, copied: Path, tmp_path: Path
) -> None:
    def items(con: Connection) -> list[dict[str, Any]]:
        asked = "SELECT * EXCLUDE (unit_id, round_id) FROM live_items WHERE round_id = 'r1' ORDER BY item_id"
        return con.sql(asked).to_arrow_table().to_pylist()

    with reading(made_home) as con:
        frozen = items(con)
    assert len(frozen) > 20 and any(item["words_changed"] for item in frozen)
    with opened_release(Home(tmp_path), str(copied)) as (home, release):
        with reading(home) as con:
            assert items(con) == frozen
        assert [item.row() for item in released_items(release)] == frozen


def test_incomplete_copy_is_refused(copied: Path, tmp_path: Path) -> None:
    shutil.copytree(copied, tmp_path / "torn")
    (tmp_path / "torn").chmod(0o755)
    (tmp_path / "torn" / "scores.parquet").unlink()
    with (
        pytest.raises(WarehouseError, match=r"scores\.parquet"),
        opened_release(Home(tmp_path), str(tmp_path / "torn")),
    ):
        pass


def test_exported_links_lead_to_files_and_nothing_is_loaded_from_elsewhere(exported: Path) -> None:
    pages = sorted(exported.rglob("*.html"))
    assert len(pages) > 22 + 9
    for page in pages:
        html = page.read_text("utf-8")
        for link in re.findall(r'(?:href|src)="([^"]+)"', html):
            if not link.startswith(("#", "data:")):
                assert (page.parent / unescape(link).partition("#")[0]).is_file(), (page, link)
        assert "<script>alert" not in html and "<img" not in html and "<form method" not in html
        assert "default-src &#39;none&#39;" in html or "default-src 'none'" in html
    assert any("&lt;script&gt;alert(1)" in page.read_text("utf-8") for page in pages)
    assert HOSTILE not in (exported / "items.html").read_text("utf-8")


def test_folder_that_holds_something_is_refused(made_home: Home, exported: Path) -> None:
    with pytest.raises(FlowError, match="is not empty"):
        snapshot = Snapshots(made_home).current()
        export_round(snapshot, "r1", exported, results=results_page(snapshot, made_home, "r1"))
