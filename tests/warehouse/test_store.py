"""A home in an object store: what one machine puts there the others have, once, whatever died in between."""

import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from demur.warehouse import store
from demur.warehouse.archive import keep_plan, keep_rows
from demur.warehouse.calls import load_calls
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import WarehouseMissingError
from demur.warehouse.freezing import freeze
from demur.warehouse.home import Home
from demur.warehouse.landing import land
from demur.warehouse.load import load_landed
from demur.warehouse.plans import PlanWriter, plan_path, register_plan
from demur.warehouse.publish import publish
from demur.warehouse.rebuild import rebuild
from demur.warehouse.release import labels, release_at
from demur.warehouse.replay import follow_store
from demur.warehouse.rounds import RoundRow, open_round
from demur.warehouse.store import ObjectStore, StoreError
from demur.warehouse.stored_copy import refresh_published
from demur.warehouse.tables import Table
from demur.warehouse.verifying import verify_release
from tests.object_store import Requests, needs_store, running_store, seen_requests
from tests.warehouse.examples import ROUND, call_row, check, failure, perturbation
from tests.warehouse.gate_round import ROUND as GATE_ROUND
from tests.warehouse.gate_round import whole_round
from tests.warehouse.test_rebuild import tables

pytestmark = needs_store
Machine = Callable[[str], Home]


@pytest.fixture(scope="module")
def server() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, running_store(patch):
        yield


@pytest.fixture
def requests(server: None) -> Iterator[Requests]:
    with seen_requests() as seen:
        yield seen


@pytest.fixture
def machine(requests: Requests, tmp_path: Path) -> Machine:
    """Return the same home on a machine of a name, which has its own disk."""
    store = ObjectStore(f"s3://shelf/{tmp_path.name}")
    return lambda name: Home(tmp_path / name, store)


def begin(home: Home, round_id: str = ROUND) -> None:
    with writing(home, wait_seconds=5) as con:
        open_round(con, RoundRow(round_id, "n", 1, "single", 1, (), (), (), (), (), {}, "d", "c"))
        keep_rows(con, home, round_id, Table.ROUNDS)
        with PlanWriter(home, round_id, "generate") as writer:
            for unit in ("u1", "u2", "u3"):
                writer.add(unit, "{}")
        register_plan(con, writer.plan)
        keep_plan(con, home, round_id, "generate", writer.plan.path)


def take_in(home: Home, round_id: str = ROUND) -> None:
    with writing(home, wait_seconds=5) as con:
        load_landed(con, home, round_id, "generate")
        assert load_calls(con, [call_row(1), call_row(2)]) == []
        keep_rows(con, home, round_id, Table.LOADS)


def work(home: Home) -> None:
    """What a stage does, less its calls: shards, one of them with a failure that is mended, calls, a publication."""
    follow_store(home, wait_seconds=5)
    with writing(home, wait_seconds=5) as con:
        done = con.execute("SELECT count(*) FROM perturbations").fetchall()[0][0]
    begin(home)
    if not done:
        land(home, ROUND, "generate", "s1", {"perturbations": [perturbation(1)], "failures": [failure(2)]})
    take_in(home)
    land(home, ROUND, "generate", "s2", {"perturbations": [perturbation(2)], "checks": [check(2)]})
    take_in(home)
    publish(home)


def results(home: Home, folder: Path) -> dict[str, bytes]:
    """All rows but those that say when what was loaded."""
    found = tables(home, folder)
    return {name: content for name, content in found.items() if name not in ("loads", "rounds")}


def test_object_is_created_once_and_replaced_as_often_as_one_likes(machine: Machine) -> None:
    shelf = machine("a").store
    assert shelf is not None
    assert [shelf.create("x/1", b"a"), shelf.create("x/1", b"a"), shelf.create("x/1", b"b")] == [True, True, False]
    assert shelf.put("x/2", b"b") != shelf.put("x/2", b"c")
    assert [(one.key, one.size) for one in shelf.list("x/")] == [("x/1", 1), ("x/2", 1)]
    assert (shelf.get("x/2"), shelf.get("x/3"), shelf.head("x/3")) == (b"c", None, None)
    shelf.delete("x/1", "x/3")
    assert [one.key for one in shelf.list("x/")] == ["x/2"]


def test_object_that_was_replaced_after_it_was_listed_is_not_fetched(machine: Machine, tmp_path: Path) -> None:
    shelf = machine("a").store
    assert shelf is not None
    shelf.put("x", b"before")
    [listed] = shelf.list("")
    assert shelf.fetch(listed, tmp_path / "x") and (tmp_path / "x").read_bytes() == b"before"
    shelf.put("x", b"after")
    assert not shelf.fetch(listed, tmp_path / "y")
    shelf.delete("x")
    assert not shelf.fetch(listed, tmp_path / "y")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x"]


def test_error_names_place_and_remedy_and_no_secret(requests: Requests) -> None:
    with pytest.raises(StoreError, match=r"s3://absent/home/x: NoSuchBucket.*Check DEMUR_HOME.*are kept") as caught:
        ObjectStore("s3://absent/home").put("x", b"")
    assert "store-secret" not in str(caught.value) and "AKIA" not in str(caught.value)


@pytest.fixture(params=["away", "silent"])
def broken(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a store that is away, or takes requests and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        if request.param == "away":
            listening.close()
        yield f"http://127.0.0.1:{port}"


def test_store_that_does_not_answer_ends_in_one_error_and_the_rest_goes_on_later(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    home = machine("a")
    begin(home)
    monkeypatch.setattr(store, "RETRIES", 0)
    with monkeypatch.context() as patch:
        patch.setattr(store, "REQUEST_SECONDS", 0.3)
        patch.setenv("AWS_ENDPOINT_URL", broken)
        store._client.cache_clear()
        for act in (lambda: take_in(home), lambda: publish(home), lambda: land(home, ROUND, "generate", "s1", {})):
            with pytest.raises(StoreError, match="error sending request"):
                act()
    store._client.cache_clear()
    assert not home.landed_stage(ROUND, "generate").is_dir() or not any(home.landed_stage(ROUND, "generate").iterdir())
    take_in(home)
    publish(home)
    with reading(machine("b")) as con:
        assert con.execute("SELECT count(*) FROM units").fetchall() == [(3,)]


def test_other_machine_has_all_that_landed_and_nothing_twice(machine: Machine, tmp_path: Path) -> None:
    work(machine("a"))
    follow_store(machine("b"), wait_seconds=5)
    assert tables(machine("b"), tmp_path / "rows-b") == tables(machine("a"), tmp_path / "rows-a")
    assert not follow_store(machine("b"), wait_seconds=5).rounds
    assert not follow_store(machine("a"), wait_seconds=5).rounds


class Killed(BaseException):
    """The process is gone: nothing of it reaches the store any more."""


def kill_after(patch: pytest.MonkeyPatch, requests: int) -> None:
    """Let a process die with its n-th writing request, which the store has or has not carried out, by turns."""
    left = [requests]

    def counted(act: Callable[..., Any]) -> Callable[..., Any]:
        def doing(*given: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            if left[0] == 0:
                if requests % 2:
                    act(*given, **named)
                raise Killed
            return act(*given, **named)

        return doing

    for name in ("put", "create", "delete"):
        patch.setattr(ObjectStore, name, counted(getattr(ObjectStore, name)))


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.repeated)])
def test_killed_between_any_two_requests_goes_on_to_the_same_rows_on_either_machine(
    requests: Requests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    def home(name: str, number: int) -> Home:
        return Home(tmp_path / f"{number}{name}", ObjectStore(f"s3://shelf/{tmp_path.name}/{number}"))

    work(home("a", 0))
    expected = results(home("a", 0), tmp_path / "expected")
    writes = sum(method in ("PUT", "DELETE") or "delete" in path for method, path in requests.seen)
    died = 0
    moments = range(1, writes + 1, step)
    for number in moments:
        with monkeypatch.context() as patch:
            kill_after(patch, number)
            try:
                work(home("a", number))
            except Killed:
                died += 1
        again = home("a" if number % 3 else "b", number)
        work(again)
        assert results(again, tmp_path / f"{number}rows") == expected, number
        with reading(home("c", number)) as con:
            assert con.execute("SELECT count(*) FROM live_perturbations").fetchall() == [(2,)], number
    assert died >= len(moments) - 1 > 1


def test_published_copy_of_two_machines_has_the_rounds_of_both_and_is_fetched_once(
    machine: Machine, requests: Requests
) -> None:
    a, b, reader = machine("a"), machine("b"), machine("c")
    with pytest.raises(WarehouseMissingError), reading(reader):
        pass
    for home, round_id in ((a, "r1"), (b, "r2")):
        begin(home, round_id)
        land(
            home, round_id, "generate", "s1", {"perturbations": [perturbation(1, round_id=round_id, unit_id=round_id)]}
        )
        take_in(home, round_id)
    threads = [threading.Thread(target=publish, args=(home,)) for home in (a, b)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    requests.seen.clear()
    for _ in range(3):
        with reading(reader) as con:
            assert con.execute("SELECT round_id FROM perturbations ORDER BY 1").fetchall() == [("r1",), ("r2",)]
    assert [method for method, path in requests.seen if "list-type" not in path] == ["GET", "GET"]
    publish(a)
    publish(a)
    assert a.store is not None
    assert len(a.store.list("published/")) == 4  # the newest, and the one before for who is fetching it
    refresh_published(reader)


def test_damaged_object_is_named_and_left_out(machine: Machine) -> None:
    home = machine("a")
    begin(home)
    land(home, ROUND, "generate", "s1", {"perturbations": [perturbation(1)]})
    assert home.store is not None
    [shard] = [one for one in home.store.list("archive/") if one.key.endswith("perturbations.parquet")]
    home.store.put(shard.key, b"cut")
    found = follow_store(machine("b"), wait_seconds=5)
    assert "3 bytes, expected" in found.damaged[0]
    with writing(machine("b"), wait_seconds=5) as con:
        assert con.execute("SELECT count(*) FROM perturbations").fetchall() == [(0,)]


def frozen(home: Home, rewards: str) -> str:
    with writing(home, wait_seconds=5) as con:
        pages = {"README.md": "# Card"}
        return freeze(con, home, "small", GATE_ROUND, {}, lambda label: pages, {"rewards.json": rewards}).label


def test_releases_that_two_machines_freeze_at_once_have_versions_of_their_own(machine: Machine) -> None:
    a, b, reader = machine("a"), machine("b"), machine("c")
    whole_round(a)
    whole_round(b)
    assert frozen(a, "one") == "small/1"
    assert a.store is not None
    a.store.delete("releases/small/1/manifest.json")  # as if `a` were not done yet
    assert frozen(b, "two") == "small/2"
    shutil.rmtree(a.releases)
    assert [frozen(a, "one"), frozen(a, "one"), frozen(b, "one")] == ["small/1"] * 3
    assert labels(reader) == ["small/1", "small/2"]
    assert verify_release(reader, "small/2").problems == ()
    assert (release_at(reader, "small").path / "rewards.json").read_text() == "two"
    a.store.put("releases/small/1/items.jsonl", b"{}")
    assert "items.jsonl: sha256 is" in verify_release(reader, "small/1").problems[0]


def test_folder_whose_archive_and_releases_any_client_copied_is_the_home_in_the_store(
    machine: Machine, tmp_path: Path
) -> None:
    folder = Home(tmp_path / "folder")
    work(folder)
    gate = Home(tmp_path / "gate")
    whole_round(gate)
    label = frozen(gate, "one")
    shutil.copytree(gate.releases, folder.releases)
    plans = {plan_path(folder, ROUND, "generate"): folder.archived_plan(ROUND, "generate")}
    kept = (path for place in (folder.archive, folder.releases) for path in place.rglob("*") if path.is_file())
    client = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    for path, target in {**plans, **{path: path for path in kept}}.items():
        client.upload_file(str(path), "shelf", f"{tmp_path.name}/{target.relative_to(folder.root).as_posix()}")
    there = machine("there")
    rebuild(there)
    publish(there)
    assert results(there, tmp_path / "copied") == results(folder, tmp_path / "original")
    assert labels(machine("elsewhere")) == [label]
    assert verify_release(machine("elsewhere"), label).problems == ()
