"""Backup, restore and prune of homes in a store, of homes with their state in PostgreSQL, and of rounds in work."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from demur.configuration.settings import home_at
from demur.engine.backup import back_up, restore
from demur.engine.following import publish_home
from demur.engine.prune import prune
from demur.engine.rebuilding import rebuild_home
from demur.engine.state.shared import SharedState, shared_state
from demur.errors import FlowError
from demur.warehouse.archive import keep_rows
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.query import query
from demur.warehouse.rounds import RoundRow, open_round
from demur.warehouse.tables import Table
from tests.engine.postgres_server import started
from tests.engine.test_batches import RECORD
from tests.engine.test_calls import call, ids_of
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import demur_here, held_elsewhere
from tests.object_store import needs_store, running_store

pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")

SHARD = ("r", "respond", "000000-x")
"""Where `ids_of` looks for calls."""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with started() as server:
        yield server.address


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch, running_store(patch) as address:
        yield address


@pytest.fixture
def shelf(bucket: str, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An address in a store that no other test has, for homes whose state is in a database."""
    monkeypatch.setenv("DEMUR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DEMUR_STATE", database)
    return f"{bucket}/{tmp_path.name}"


def put_into_store(folder: Home, address: str) -> Home:
    """Make a home in a store of one in a folder, as docs/deploying.md says."""
    home = home_at(address)
    assert home.store is not None
    for name in ("archive", "releases"):
        for path in (folder.root / name).rglob("*"):
            if path.is_file():
                home.store.put(folder.key(path), path)
    for plan in folder.root.glob("orders/*/*/plan.parquet"):
        stage = plan.parent
        home.store.put(folder.key(folder.archived_plan(stage.parent.name, stage.name)), plan)
    rebuild_home(home)
    publish_home(home)
    return home


def plant_state(home: Home) -> SharedState:
    """Leave in the state what a round that was stopped leaves there."""
    state = shared_state(home)

    async def record() -> None:
        async with state.calls(*SHARD) as stored:
            await asyncio.gather(*(stored.record(call(number)) for number in range(3)))

    asyncio.run(record())
    state.set_budget(*SHARD[:2], 2.5)
    state.batches(RECORD.round_id, RECORD.stage).intend(RECORD, ["a", "b"])
    return state


def check_state(state: SharedState) -> None:
    """Compare a state with what was planted."""
    assert sorted(ids_of(state)) == ["c0", "c1", "c2"]
    batches = state.batches(RECORD.round_id, RECORD.stage)
    assert (batches.records(), batches.request_ids(RECORD.batch_id)) == ([RECORD], ["a", "b"])


def found(home: Home, asked: str) -> list[tuple[object, ...]]:
    return query(home, asked, limit=None).rows


@needs_store
def test_home_in_a_store_is_restored_at_another_address_with_its_rows_and_state(
    rules_round: FinishedRound, shelf: str, tmp_path: Path
) -> None:
    home = put_into_store(rules_round.home, f"{shelf}/home")
    state = plant_state(home)
    backup = tmp_path / "home.tar"
    back_up(home, str(backup))
    with pytest.raises(FlowError, match="is not empty"):
        restore(home, str(backup))
    with pytest.raises(FlowError, match="is a backup of a home in a store"):
        restore(Home(tmp_path / "folder"), str(backup))
    restored = home_at(f"{shelf}/restored")
    assert restore(restored, str(backup)).rebuilt.damaged == []
    for asked in ("SELECT * FROM live_scores ORDER BY ALL", "SELECT item_id, question FROM live_items ORDER BY ALL"):
        assert found(restored, asked) == found(rules_round.home, asked) != []
    assert demur_here("release", "verify", "embedded/1", home=restored.address).returncode == 0
    again = shared_state(restored)
    assert again.home_id != state.home_id
    check_state(again)
    again.set_budget(*SHARD[:2], 0.5)
    check_state(state)


def test_home_in_a_folder_is_restored_with_its_state_in_the_database_or_without_one(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, restored, alone = (Home(tmp_path / name) for name in ("home", "restored", "alone"))
    with writing(home, wait_seconds=5) as con:
        open_round(con, RoundRow("r", "n", 1, "single", 1, (), (), (), (), (), {}, "d", "c"))
        keep_rows(con, home, "r", Table.ROUNDS)
    monkeypatch.setenv("DEMUR_STATE", database)
    state = plant_state(home)
    back_up(home, str(tmp_path / "home.tar"))
    restore(restored, str(tmp_path / "home.tar"))
    assert not restored.state.exists() and shared_state(restored).home_id != state.home_id
    check_state(shared_state(restored))
    monkeypatch.delenv("DEMUR_STATE")
    restore(alone, str(tmp_path / "home.tar"))
    check_state(shared_state(alone))
    assert found(alone, "SELECT round_id FROM rounds") == [("r",)]


@needs_store
def test_prune_of_a_home_in_a_store_waits_for_rounds_in_work_and_is_seen_by_machines_that_join_later(
    simulated_round: FinishedRound, shelf: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = put_into_store(simulated_round.home, f"{shelf}/home")
    assert home.store is not None
    stays = "SELECT * FROM live_scores ORDER BY ALL"
    scores, released = found(home, stays), versions(home, "releases/")
    planned = prune(home, None, timedelta(0), dry_run=True)
    assert planned.rounds[0].size > 50_000
    with held_elsewhere(home.address, simulated_round.round_id) as one:
        held = prune(home, None, timedelta(0), dry_run=False)
        assert held.rounds == [] and f"PID {one.pid}" in held.kept[simulated_round.round_id]
    assert found(home, "FROM responses LIMIT 1") != []
    done = prune(home, None, timedelta(0), dry_run=False)
    assert done.rounds == planned.rounds and versions(home, "releases/") == released
    kinds = {key.split("/")[2] for key in versions(home, "archive/")}
    assert kinds == {"tables"}
    monkeypatch.setenv("DEMUR_CACHE", str(tmp_path / "another machine"))
    joined = home_at(home.address)
    assert found(joined, stays) == scores != [] and found(joined, "FROM responses LIMIT 1") == []
    rebuild_home(joined)
    publish_home(joined)
    assert found(joined, stays) == scores and found(joined, "FROM responses LIMIT 1") == []
    assert prune(joined, None, timedelta(0), dry_run=False).rounds == []


def versions(home: Home, prefix: str) -> dict[str, str]:
    """The objects of a store by key."""
    assert home.store is not None
    return {one.key: one.version for one in home.store.list(prefix)}
