"""What a stage buys in batches, held against its cap, at providers that do not show what they took."""

from pathlib import Path
from typing import Any

import pytest

from demur.engine.context import RoundContext
from demur.errors import CapReachedError, StageStopped
from demur.lanes.simulator.faults import SimulatorFault
from demur.lanes.simulator.server import Simulator, serve
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.capped import Bill, capped, run
from tests.flows.messages import messages
from tests.flows.simulated import GATES

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.usefixtures("prefect_api", "address"),
    pytest.mark.parametrize("address", ["PostgreSQL"], indirect=True),
]

UNITS = 4
STRICT = {**GATES, "failure_rate": 0.0}
LIMITS = {"batch_poll_seconds": 0.1, "batch_missing_seconds": 0.5, "retries": 3}


def round_of(folder: Path, simulator: Simulator, cap: float, **changes: Any) -> RoundContext:
    limits = {**LIMITS, **changes.pop("limits", {})}
    return capped(folder, simulator.anthropic_url, cap, mode="batch", lane="anthropic", limits=limits, **changes)


def asked(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with reading(Home(folder / "home"), "loader") as con:
        return list(con.execute(query).fetchall())


def counted(folder: Path) -> float:
    [(usd,)] = asked(folder, "SELECT coalesce(sum(counted_usd), 0) FROM spending")
    return float(usd)


def worst_case(folder: Path) -> float:
    """Return what all requests of the stage can cost at most."""
    with serve() as simulator:
        run(round_of(folder, simulator, 100.0), UNITS)
    [(usd,)] = asked(folder, "SELECT sum(reserved_usd) FROM calls WHERE role <> 'probe'")
    return float(usd)


def test_batches_that_are_always_lost_are_bought_within_the_cap_in_all_runs(
    tmp_path: Path,
) -> None:
    """A cap that holds two batches and a half of them; the third is not bought, by this run or the next one."""
    folder = tmp_path / "a"
    cap = worst_case(tmp_path / "free") * 2.5
    with serve() as simulator, messages() as said:
        bill = Bill(simulator)
        simulator.store.control_plan = lambda page: SimulatorFault.FORGOTTEN if page.digest.startswith("GET") else None
        for _ in range(2):
            with pytest.raises((CapReachedError, StageStopped)):
                run(round_of(folder, simulator, cap, gates=STRICT), UNITS)
            assert bill.usd <= counted(folder) <= cap + 1e-9
        assert simulator.counts.in_batches <= 2.5 * UNITS and simulator.counts.batches <= 3
        assert any("requests are sent again, at most limits.retries (3) times each" in line for line in said)
