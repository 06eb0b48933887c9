"""The budget ledger: what it grants is never more than it had, whichever process asks, and is killed."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demur.engine.loading import load_round_calls
from demur.engine.state.ledger import StageLedger
from demur.engine.state.shared import SharedState, shared_state
from demur.lanes.meter import Meter
from demur.lanes.spec import ModelSpec
from demur.programs.errors import LaneError
from demur.programs.journal import Reply
from demur.warehouse.connection import Connection, writing
from demur.warehouse.errors import LandingError
from demur.warehouse.home import Home
from demur.warehouse.leases import Lease, fold_leases, spent
from tests.engine.machines import QUICK, Machine
from tests.engine.test_calls import put
from tests.warehouse.examples import call

SPEC = ModelSpec.model_validate(
    {
        "name": "m",
        "provider": "openai",
        "model": "m",
        "parameters": {"max_tokens": 100},
        "prices": {"input_usd_per_million": 2.0, "output_usd_per_million": 10.0},
    }
)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def lease(name: str = "l1", granted: float = 0.0) -> Lease:
    return Lease(name, f"shard-{name}", granted, NOON)


def ledger(folder: Path, usd: float) -> StageLedger:
    made = shared_state(Home(folder)).ledger("r1", "generate")
    made.reset(usd)
    return made


def test_till_that_cannot_be_read_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STATE", raising=False)
    made = ledger(tmp_path, 8.0)
    shared_state(Home(tmp_path)).database.close()
    Home(tmp_path).state.write_text("nonsense\n" * 1000)
    with pytest.raises(LandingError, match=r"state\.db: the file is damaged .*move it away.*lower budget\.max_usd"):
        made.grant(lease(), 1.0, 1.0)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    total=st.floats(0, 100),
    steps=st.lists(
        st.tuples(st.sampled_from("abc"), st.floats(0.001, 30), st.floats(0.001, 60), st.floats(0, 1), st.booleans()),
        max_size=25,
    ),
)
def test_till_never_grants_more_than_it_has(
    tmp_path_factory: pytest.TempPathFactory,
    address: str | None,
    total: float,
    steps: list[tuple[str, float, float, float, bool]],
) -> None:
    made = ledger(tmp_path_factory.mktemp("ledger"), total)
    held: dict[str, Lease] = {}
    ended: set[str] = set()
    for name, least, most, used, closes in steps:
        before = held.get(name, lease(name))
        if closes and name in held:
            made.close(before, before.granted_usd * used)
            if name not in ended:  # a lease ends once
                held[name] = replace(before, granted_usd=before.granted_usd * used)
            ended.add(name)
        else:
            held[name] = made.grant(before, least, most)
            more = held[name].granted_usd - before.granted_usd
            assert more == 0 or more >= least - 1e-9
            if more:
                ended.discard(name)
        assert sum(one.granted_usd for one in held.values()) <= total + 1e-9
        assert made.left_usd() == pytest.approx(total - sum(one.granted_usd for one in held.values()))


def test_spent_counts_costs_worst_cases_and_what_dead_shards_held(home: Home) -> None:
    """Two calls of a lease, one of them without an answer; the rest of the lease was under way when the shard died."""
    paid = {"lease_id": "l1", "reserved_usd": 1.0}
    state = shared_state(home)
    lost = {"status": "error", "error_class": "timeout", "reply": None, "cost_usd": None}
    put(state, call(1, **paid, cost_usd=0.25), call(2, **paid, **lost), call(3, cost_usd=0.5))
    made = state.ledger("r1", "generate")
    made.reset(10.0)
    held = made.grant(lease(), 4.0, 4.0)
    closed = made.grant(lease("l2"), 1.0, 1.0)
    made.close(closed, 0.0)
    with writing(home, wait_seconds=0) as con:
        fold(con, home, state)
        found = spent(con, "r1")["generate"]
        assert held.granted_usd == 4.0
        under_way = 2.75 * (0.05 * 1.25 * 0.25 + 0.95)  # one cost of the twenty that it takes is known
        assert (found.counted_usd, found.units) == (pytest.approx(0.25 + 1.0 + 0.5 + under_way), 3)
        assert found.unsure_usd == pytest.approx(1.0 + under_way)
        fold_leases(con, home, "r1", "generate", leases_of(state))
        assert spent(con, "r1")["generate"] == found
        made.close(held, 1.25)
        fold_leases(con, home, "r1", "generate", leases_of(state))
        assert spent(con, "r1")["generate"].counted_usd == 1.75


def test_spent_counts_what_was_under_way_within_its_bound_and_less_once_costs_are_known(
    home: Home,
) -> None:
    """A dead shard was granted $8 of which $2 could be under way; twenty known costs say that requests cost a tenth."""
    state = Machine(home, None).state
    paid = {"lease_id": "l1", "reserved_usd": 1.0, "fingerprint": "f"}
    lost = {"status": "error", "reply": None, "input_tokens": None, "cost_usd": None, "charged_usd": 1.0}
    gone = [call(number, **paid, **lost, error_class=kind) for number, kind in ((1, "connection"), (2, "lost"))]
    known = [call(number, **paid, cost_usd=0.1, charged_usd=0.1) for number in range(3, 22)]
    dead = Machine(home, None)
    made = dead.state.ledger("r1", "generate")
    made.reset(10.0)
    made.grant(lease(), 8.0, 8.0, 2.0)
    dead.die()
    time.sleep(2 * QUICK.lease_seconds)
    put(state, *gone, *known, shard="shard-l1")
    with writing(home, wait_seconds=0) as con:
        fold(con, home, state)
        nearly = (19 * 1.25 * 0.1 + 1) / 20  # the twentieth is not known yet
        assert spent(con, "r1")["generate"].unsure_usd == pytest.approx(nearly + 1.0 + 2.0 * nearly)
        put(state, call(22, **{**paid, "lease_id": None}, cost_usd=0.1, charged_usd=0.1))
        fold(con, home, state)
        found = spent(con, "r1")["generate"]
        tenth = 1.25 * 0.1
        assert found.unsure_usd == pytest.approx(tenth + 1.0 + 2.0 * tenth)
        assert found.counted_usd == pytest.approx(20 * 0.1 + found.unsure_usd)


def test_costs_that_are_not_known_count_in_sql_as_they_do_in_the_meter(home: Home) -> None:
    meter = Meter(SPEC, SPEC.prices)
    costs = [0.001 * number for number in range(5, 40)]
    for usd in costs:
        meter.charge(1.0, Reply("a", input_tokens=0, output_tokens=round(usd * 1e5)))
    reserved = {"reserved_usd": 1.0, "charged_usd": 1.0, "fingerprint": "f"}
    nothing = {"status": "error", "reply": None, "input_tokens": None, "cost_usd": None}
    state = shared_state(home)
    ended = [LaneError("gone", kind=kind) for kind in ("timeout", "server", "lost", "protocol", "connection")]
    put(
        state,
        *(call(number, **{**reserved, "cost_usd": usd, "charged_usd": usd}) for number, usd in enumerate(costs)),
        *(call(100 + n, **reserved, **nothing, error_class=e.kind.value) for n, e in enumerate(ended)),
    )
    with writing(home, wait_seconds=0) as con:
        fold(con, home, state)
        found = dict(con.execute("SELECT call_id, unsure_usd FROM call_costs WHERE cost_usd IS NULL").fetchall())
    for error in ended:
        error.may_be_billed = True
    expected = [meter.charge(1.0, error).counted_usd for error in ended]  # the last knows of all, as the ledger does
    in_sql = [found[str(call(100 + number)["call_id"])] for number in range(len(ended))]
    assert in_sql[-1] == pytest.approx(expected[-1])
    assert in_sql == pytest.approx(expected, rel=0.1)


def leases_of(state: SharedState) -> list[Lease]:
    return state.leases("r1", "generate")


def fold(con: Connection, home: Home, state: SharedState) -> None:
    load_round_calls(con, state, "r1")
    fold_leases(con, home, "r1", "generate", state.leases("r1", "generate"))
