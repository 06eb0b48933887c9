"""A round whose home is in an object store: the release of a folder's home, byte for byte, read from any machine."""

import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from demur.configuration.settings import demur_home
from demur.errors import ConfigError
from demur.reports.explorer.app import Explorer
from demur.warehouse import store
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.release import Release, release_at
from demur.warehouse.store import ObjectStore, Stored
from demur.warehouse.stored_copy import published_in, refresh_published
from tests.engine.postgres_server import started
from tests.flows.finished_rounds import PLANTED_KEY, FinishedRound
from tests.flows.rounds import demur_here, whole_round
from tests.object_store import SECRET, needs_store, running_store, seen_requests
from tests.reports.explorer.test_prompts import kept

URL = "s3://shelf/rules"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Serve a store, and yield the address of the database that rounds of homes in it need."""
    with pytest.MonkeyPatch.context() as patch, running_store(patch), started() as database:
        yield database.address


@pytest.fixture
def at(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of a machine that sees the store and has nothing of it yet."""
    monkeypatch.setenv("DEMUR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DEMUR_HOME", URL)
    monkeypatch.setenv("DEMUR_STATE", server)
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def worked(server: str, rules_round: FinishedRound, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The cache of the machine that ran the round of `rules_round` into the store, and its requests."""
    cache = tmp_path_factory.mktemp("worked")
    with pytest.MonkeyPatch.context() as patch, seen_requests() as requests:
        patch.setenv("DEMUR_CACHE", str(cache))
        patch.setenv("DEMUR_STATE", server)
        patch.setenv("OPENAI_API_KEY", PLANTED_KEY)
        assert whole_round(rules_round.config, URL) == "embedded/1"
    return cache, len(requests.seen)


def data_of(release: Release) -> dict[str, str]:
    """The digests of all files of a release but those that say when and by which calls it was made."""
    made = {"provenance.parquet", "manifest.json", "report.html"}
    paths = [path for path in release.path.rglob("*") if path.is_file() and path.name not in made]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@needs_store
@pytest.mark.slow(seconds=40)
@pytest.mark.exhaustive
def test_release_is_that_of_a_folder_byte_for_byte_on_another_machine(
    rules_round: FinishedRound, worked: tuple[Path, int], at: Path
) -> None:
    folder, stored = release_at(rules_round.home, "embedded"), release_at(demur_home(), "embedded")
    assert stored.path.is_relative_to(at)
    assert (stored.digest, data_of(stored)) == (folder.digest, data_of(folder))
    done = demur_here("release", "verify", "embedded/1", home=URL)
    assert (done.returncode, "every file has its checksum" in done.stdout) == (0, True), done.stdout
    assert "manifest of the warehouse" in done.stdout


@needs_store
@pytest.mark.exhaustive
def test_published_rows_are_those_of_a_folder(rules_round: FinishedRound, worked: tuple[Path, int], at: Path) -> None:
    asked = "SELECT item_id, kind, question FROM live_items ORDER BY ALL"
    with reading(rules_round.home) as con:
        expected = con.execute(asked).fetchall()
    with reading(demur_home()) as con:
        assert con.execute(asked).fetchall() == expected
    done = demur_here("sql", "SELECT round_id, status FROM rounds", "--format", "csv", home=URL)
    assert done.stdout.splitlines() == ["round_id,status", "embedded,finished"]


@needs_store
@pytest.mark.exhaustive
def test_prompts_are_read_from_the_store(rules_round: FinishedRound, worked: tuple[Path, int], at: Path) -> None:
    refresh_published(demur_home())
    assert kept(demur_home(), "true") == kept(rules_round.home, "true")


@needs_store
@pytest.mark.exhaustive
def test_machine_that_joins_later_asks_nothing_again(
    rules_round: FinishedRound, worked: tuple[Path, int], at: Path
) -> None:
    assert whole_round(rules_round.config, URL) == "embedded/1"
    with reading(demur_home(), "loader") as con:
        calls = con.execute("SELECT count(*) FROM calls").fetchall()
    with reading(rules_round.home, "loader") as con:
        assert con.execute("SELECT count(*) FROM calls").fetchall() == calls
    rebuilt = demur_here("warehouse", "rebuild", home=URL)
    assert (rebuilt.returncode, "Damaged" in rebuilt.stdout) == (0, False), rebuilt.stderr


@needs_store
@pytest.mark.exhaustive
def test_explorer_reads_parts_of_the_copy_and_writes_none(worked: tuple[Path, int], at: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        read: list[int] = []
        whole = ObjectStore.part

        def counted(store: ObjectStore, found: Stored, start: int, end: int) -> bytes:
            read.append(end - start)
            return whole(store, found, start, end)

        patch.setattr(ObjectStore, "part", counted)
        pages = TestClient(Explorer(demur_home()).application(), base_url="http://127.0.0.1")
        assert "embedded" in pages.get("/").text
    shelf = demur_home().store
    assert shelf is not None and (copy := published_in(shelf)) is not None
    assert 0 < sum(read) < copy.size
    assert list(at.rglob("*.duckdb")) == []


@needs_store
@pytest.mark.exhaustive
def test_keys_of_the_store_are_in_no_file_of_the_home(worked: tuple[Path, int], at: Path, tmp_path: Path) -> None:
    shelf = demur_home().store
    assert shelf is not None
    shutil.copytree(worked[0], tmp_path / "copy")
    for number, one in enumerate(shelf.list("")):
        assert shelf.fetch(one, tmp_path / "copy" / f"object-{number}")
    files = [path for path in (tmp_path / "copy").rglob("*") if path.is_file()]
    assert len(files) > 100
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []


@needs_store
@pytest.mark.exhaustive
def test_requests_to_the_store_are_bounded_by_stages_and_shards(worked: tuple[Path, int], at: Path) -> None:
    with reading(demur_home()) as con:
        [(shards,)] = con.execute("SELECT count(*) FROM loads").fetchall()
        [(stages,)] = con.execute("SELECT count(DISTINCT stage) FROM units").fetchall()
    assert worked[1] <= 5 * shards + 14 * stages + 60, (worked[1], shards, stages)


@pytest.mark.parametrize(
    ("named", "shown"),
    [
        ("https://host/demur", "https://host/demur"),
        ("s3://", "s3://"),
        ("s3://key:word@bucket/demur", "s3://..."),
        ("az://container/demur?sig=word", "az://..."),
        ("s3://bucket/../demur", "s3://bucket/../demur"),
    ],
)
def test_home_at_another_address_is_refused(monkeypatch: pytest.MonkeyPatch, named: str, shown: str) -> None:
    monkeypatch.setenv("DEMUR_HOME", named)
    with pytest.raises(ConfigError, match=re.escape(f"DEMUR_HOME '{shown}' is neither a folder nor an object store")):
        demur_home()


def test_home_in_a_store_has_a_folder_of_its_own_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("obstore", reason="needs the extra store")
    monkeypatch.setenv("DEMUR_CACHE", str(tmp_path))
    homes: list[Home] = []
    for named in ("s3://bucket/demur/", "s3://bucket/other", "gs://bucket/demur"):
        monkeypatch.setenv("DEMUR_HOME", named)
        homes.append(demur_home())
        assert homes[-1].address == named.rstrip("/")
    assert len({home.root for home in homes}) == 3 and {home.root.parent for home in homes} == {tmp_path}
    monkeypatch.setenv("DEMUR_CACHE", "here")
    with pytest.raises(ConfigError, match="DEMUR_CACHE 'here' is not an absolute path"):
        demur_home()


@needs_store
def test_doctor_knows_the_store_and_that_it_is_away(at: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> str:
        lines = demur_here("doctor", home=URL).stdout.splitlines()
        return next(line for line in lines if "  DEMUR_HOME  " in line)

    assert re.search(rf"^ok .* {URL}: takes objects, creates each once, clocks \d s apart", found())
    monkeypatch.setattr(store, "RETRIES", 0)
    store._client.cache_clear()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    refused = found()
    store._client.cache_clear()
    assert refused.startswith("MISSING") and "Check DEMUR_HOME" in refused and SECRET not in refused
