"""Backups of homes in mid-stage and of finished rounds: what is restored goes on, and pays nothing again."""

import asyncio
import io
import json
import tarfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from demur.engine.logs import observe, observer
from demur.engine.progress_events import Progress
from demur.engine.state.shared import SharedState, shared_state
from demur.engine.upkeep.backup import back_up, restore
from demur.errors import FlowError
from demur.flows.stages.registry import GENERATION
from demur.lanes.simulator.server import Simulator, serve
from demur.warehouse.archives import MANIFEST
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.results.query import query
from demur.warehouse.round_rows import RoundRow, known_calls, loaded_calls, open_round
from tests.engine.postgres_server import started
from tests.engine.test_batches import RECORD
from tests.engine.test_calls import call, ids_of
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import demur_here, first_stages
from tests.flows.simulated import KEY, KEY_VARIABLE, ROUND, number, rows, simulated
from tests.object_store import needs_store, running_store

ANSWERS = "SELECT count(*) FROM calls WHERE status = 'ok' AND role <> 'probe'"
SHARD = ("r", "respond", "000000-x")
"""Where `ids_of` looks for calls."""
TABLES = ("calls", "responses", "judgements", "scores", "units", "releases")


def asked(provider: Simulator) -> int:
    """How many requests came in, probes apart."""
    return sum(bool(request.task) for request in provider.asked)


class BackingUp(Progress):
    """Backs the home up while requests of a stage are under way."""

    def __init__(self, home: Home, target: Path) -> None:
        self.home = home
        self.target = target
        self.units = 0

    def advanced(self, stage: str, units: int) -> None:
        self.units += units if stage == "generate" else 0
        if self.units >= 7 and not self.target.exists():
            back_up(self.home, str(self.target))


def stored_only(home: Home) -> int:
    """Answers that the store of calls has, and the warehouse does not have yet."""
    with reading(home, "loader", wait_seconds=30) as con:
        loaded = loaded_calls(con, ROUND)
        found = [one for of in shared_state(home).calls_beyond(ROUND, loaded) for one in of if one["status"] == "ok"]
        known = known_calls(con, [str(one["call_id"]) for one in found])
    return sum(one["call_id"] not in known for one in found)


@pytest.mark.slow
@pytest.mark.usefixtures("prefect_api")
@pytest.mark.parametrize(
    "where",
    [
        pytest.param("SQLite", marks=pytest.mark.exhaustive),
        pytest.param("PostgreSQL", marks=pytest.mark.repeated),
    ],
)
def test_home_restored_from_a_backup_in_mid_stage_goes_on_and_buys_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    backup, before = tmp_path / "home.tar", observer()
    with ExitStack() as stack:
        if where == "PostgreSQL":
            monkeypatch.setenv("DEMUR_STATE", stack.enter_context(started()).address)
        home, restored = Home(tmp_path / "home"), Home(tmp_path / "restored")
        provider = stack.enter_context(serve(latency_seconds=0.5))  # the backup is made between two waves of answers
        config = simulated(tmp_path, provider)
        observe(BackingUp(home, backup))
        try:
            first_stages(config, home.root, *GENERATION)
        finally:
            observe(before)
        first = asked(provider)
        made = restore(restored, str(backup))
        there = number(restored.root, ANSWERS)
        assert made.rebuilt.from_published and stored_only(restored) == 0 < there < first
        first_stages(config, restored.root, *GENERATION)
        assert asked(provider) - first == first - there
    assert number(restored.root, ANSWERS) == first == number(home.root, ANSWERS)
    candidates = "SELECT perturbation_id, question, changed, content_key FROM candidates ORDER BY ALL"
    assert rows(restored.root, candidates) == rows(home.root, candidates) != []


@needs_store
def test_backup_of_a_finished_round_at_an_address_restores_every_row_and_file(
    rules_round: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, restored = rules_round.copy(tmp_path / "copy").home, Home(tmp_path / "restored")
    with running_store(monkeypatch) as address:
        target = f"{address}/backups/home.tar"
        back_up(home, target)
        with pytest.raises(WarehouseError, match="already exists; name another object"):
            back_up(home, target)
        restore(restored, target)
        with pytest.raises(WarehouseError, match=r"other\.tar: cannot be read"):
            restore(Home(tmp_path / "other"), f"{address}/backups/other.tar")
    for table in TABLES:
        asked_for = f"SELECT * FROM {table} ORDER BY ALL"
        assert rows(restored.root, asked_for) == rows(home.root, asked_for)
    files = {path.relative_to(home.releases): path.read_bytes() for path in home.releases.rglob("*") if path.is_file()}
    assert files == {
        path.relative_to(restored.releases): path.read_bytes()
        for path in restored.releases.rglob("*")
        if path.is_file()
    }
    shown = demur_here("release", "verify", "embedded/1", home=restored.root)
    assert shown.returncode == 0, shown.stdout


def changed(backup: Path, target: Path, change: str) -> Path:
    """Write a backup with one thing altered."""
    with tarfile.open(backup) as source, tarfile.open(target, "w") as sink:
        for member in source:
            found = source.extractfile(member)
            assert found is not None
            content = found.read()
            if change == "cut" and member.name == MANIFEST:
                break
            if change == "altered" and member.name.endswith("scores.parquet"):
                content = content[:-1] + bytes([content[-1] ^ 1])
            if change == "left out" and member.name.endswith("scores.parquet"):
                continue
            if change == "climbing" and member.name.endswith("scores.parquet"):
                member.name = "../climbed"
            if change == "of another format" and member.name == MANIFEST:
                content = json.dumps({**json.loads(content), "format": 99}).encode()
            member.size = len(content)
            sink.addfile(member, io.BytesIO(content))
    return target


def test_backup_that_is_damaged_or_in_the_way_is_refused_with_what_is_wrong_and_leaves_no_home(
    rules_round: FinishedRound, tmp_path: Path
) -> None:
    home = rules_round.copy(tmp_path / "copy").home
    backup, damaged = tmp_path / "home.tar", tmp_path / "damaged.tar"
    with tarfile.open(backup, "w"):
        pass
    with pytest.raises(WarehouseError, match="already exists; name another file"):
        back_up(home, str(backup))
    backup.unlink()
    made = back_up(home, str(backup))
    with tarfile.open(backup) as tar:
        assert made.files == len(tar.getnames()) - 1
    with pytest.raises(FlowError, match="is inside the home"):
        back_up(home, str(home.root / "inside.tar"))
    with pytest.raises(FlowError, match="is not empty"):
        restore(home, str(backup))
    for change, said in (
        ("cut", "the manifest, which comes last, is missing"),
        ("altered", "was altered: its checksum"),
        ("left out", "is missing; take another backup"),
        ("climbing", "'../climbed' is not a file of a home"),
        ("of another format", "format 99 is not one of 1"),
    ):
        with pytest.raises(WarehouseError, match=said):
            restore(Home(tmp_path / "restored"), str(changed(backup, damaged, change)))
        assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "damaged.tar", "home.tar"], change
    damaged.write_text("no tar")
    done = demur_here("home", "restore", str(damaged), home=tmp_path / "restored")
    assert done.returncode == 2 and "is not a backup, or was cut" in done.stderr and "Traceback" not in done.stderr
    with pytest.raises(WarehouseError, match="nothing to back up"):
        back_up(Home(tmp_path / "new"), str(tmp_path / "new.tar"))
    assert not list(home.root.glob(".backup-*"))


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


def test_home_is_restored_with_its_state_in_the_database_or_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")
    home, restored, alone = (Home(tmp_path / name) for name in ("home", "restored", "alone"))
    with writing(home, wait_seconds=5) as con:
        open_round(con, RoundRow("r", "n", 1, "single", 1, (), (), (), (), (), {}, "d", "c"))
    publish(home)
    with started() as server:
        monkeypatch.setenv("DEMUR_STATE", server.address)
        state = plant_state(home)
        back_up(home, str(tmp_path / "home.tar"))
        restore(restored, str(tmp_path / "home.tar"))
        assert not restored.state.exists() and shared_state(restored).home_id != state.home_id
        check_state(shared_state(restored))
        monkeypatch.delenv("DEMUR_STATE")
        restore(alone, str(tmp_path / "home.tar"))
        check_state(shared_state(alone))
        assert found(alone, "SELECT round_id FROM rounds") == [("r",)]
