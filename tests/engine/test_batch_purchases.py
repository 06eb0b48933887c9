"""What a stage buys in batches, held against its cap, at providers that do not show what they took."""

from pathlib import Path
from typing import Any

import pytest

from demur.engine.context import RoundContext
from demur.errors import CapReachedError, StageStopped
from demur.lanes.simulator.faults import FaultPlan, SimulatedRequest, SimulatorFault
from demur.lanes.simulator.server import Simulator, serve
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.capped import Bill, capped, run
from tests.flows.messages import messages
from tests.flows.simulated import GATES
from tests.lanes.batched import IN_PAIRS

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.usefixtures("prefect_api", "address"),
    IN_PAIRS,
]
UNITS = 4
STRICT = {**GATES, "failure_rate": 0.0}
LIMITS = {"batch_poll_seconds": 0.1, "batch_missing_seconds": 0.5, "retries": 3}


def round_of(folder: Path, simulator: Simulator, lane: str, cap: float, **changes: Any) -> RoundContext:
    url = simulator.anthropic_url if lane == "anthropic" else simulator.openai_url
    return capped(folder, url, cap, mode="batch", lane=lane, limits={**LIMITS, **changes.pop("limits", {})}, **changes)


def asked(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with reading(Home(folder / "home"), "loader") as con:
        return list(con.execute(query).fetchall())


def counted(folder: Path) -> float:
    [(usd,)] = asked(folder, "SELECT coalesce(sum(counted_usd), 0) FROM spending")
    return float(usd)


def worst_case(folder: Path, lane: str) -> float:
    """Return what all requests of the stage can cost at most."""
    with serve() as simulator:
        run(round_of(folder, simulator, lane, 100.0), UNITS)
    [(usd,)] = asked(folder, "SELECT sum(reserved_usd) FROM calls WHERE role <> 'probe'")
    return float(usd)


def first_time(*ends: str, fault: SimulatorFault = SimulatorFault.NOT_FOUND) -> FaultPlan:
    """Return the plan by which each page of one batch whose address ends so meets a fault the first time."""

    def plan(page: SimulatedRequest) -> SimulatorFault | None:
        named = page.digest.startswith("GET") and any(page.digest.rstrip("0123456789").endswith(end) for end in ends)
        return fault if named and page.attempt == 1 else None

    return plan


@pytest.mark.parametrize(
    "plan",
    [
        first_time("batch_"),
        first_time("/results", "/content", fault=SimulatorFault.LINES_MISSING),
    ],
    ids=["first look", "fetch ends too early"],
)
def test_batch_that_is_not_there_at_first_is_bought_once(tmp_path: Path, lane: str, plan: FaultPlan) -> None:
    with serve() as simulator:
        bill = Bill(simulator)
        simulator.store.control_plan = plan
        assert run(round_of(tmp_path / "a", simulator, lane, 0.5), UNITS).landed == UNITS
        assert simulator.engine.counts.batches == 1 and simulator.engine.counts.in_batches == UNITS
    assert 0 < bill.usd <= 0.5 and bill.usd <= counted(tmp_path / "a") * 1.0001


def test_batches_that_are_always_lost_are_bought_within_the_bound_and_the_cap_in_all_runs(
    tmp_path: Path, lane: str
) -> None:
    """A cap that holds two batches and a half of them; the third is not bought, by this run or the next ones."""
    folder = tmp_path / "a"
    cap = worst_case(tmp_path / "free", lane) * 2.5
    with serve() as simulator, messages() as said:
        bill = Bill(simulator)
        simulator.store.control_plan = lambda page: SimulatorFault.FORGOTTEN if page.digest.startswith("GET") else None
        for _ in range(3):
            with pytest.raises((CapReachedError, StageStopped)):
                run(round_of(folder, simulator, lane, cap, gates=STRICT), UNITS)
            assert bill.usd <= counted(folder) <= cap + 1e-9
        assert simulator.engine.counts.in_batches <= 2.5 * UNITS and simulator.engine.counts.batches <= 3
        assert any("requests are sent again, at most limits.retries (3) times each" in line for line in said)
        with pytest.raises(StageStopped, match="units failed"):
            run(round_of(folder, simulator, lane, 100.0, gates=STRICT), UNITS)
        for _ in range(2):
            bought = simulator.engine.counts.in_batches
            with pytest.raises(StageStopped, match="units failed"):
                run(round_of(folder, simulator, lane, 100.0, gates=STRICT), UNITS)
            assert simulator.engine.counts.in_batches == bought <= UNITS * 4
        simulator.store.control_plan = None
        raised = round_of(folder, simulator, lane, 100.0, limits={"retries": 6})
        assert run(raised, UNITS).landed == UNITS
    assert bill.usd <= counted(folder)


def test_line_that_is_never_read_fails_its_unit_and_is_bought_within_the_bound(tmp_path: Path, lane: str) -> None:
    folder = tmp_path / "a"
    with serve(lambda request: SimulatorFault.NESTED_LINE if "number 2 " in str(request.body) else None) as simulator:
        bill = Bill(simulator)
        for _ in range(2):
            context = round_of(folder, simulator, lane, 0.5, gates=GATES, limits={"retries": 2})
            assert run(context, UNITS).landed == UNITS - 1
            assert simulator.engine.counts.in_batches == UNITS + 2
            assert asked(folder, "SELECT DISTINCT reason FROM live_failures") == [("lost",)]
    assert 0 < bill.usd <= counted(folder) <= 0.5
