"""Caps: a stage never spends more, ends resumably, and with a higher cap ends as if there had been none."""

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from demur.errors import CapReachedError, ConfigError
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.lanes.simulator.faults import SimulatorFault, scripted, seeded
from demur.lanes.simulator.server import Simulator, serve
from demur.warehouse.connection import reading
from tests.flows.capped import Bill, capped, run
from tests.flows.rounds import ROOT, write_config

pytestmark = pytest.mark.usefixtures("prefect_api")
UNITS = 60
LOST = frozenset(
    {
        SimulatorFault.DROPPED,
        SimulatorFault.TRUNCATED,
        SimulatorFault.HANGING,
        SimulatorFault.NOT_JSON,
        SimulatorFault.RATE_LIMITED,
        SimulatorFault.SERVER_ERROR,
    }
)


def rows(folder: Path) -> list[tuple[object, ...]]:
    return _asked(folder, "SELECT unit_id, base_id, title FROM base_instances ORDER BY unit_id")


def counted(folder: Path) -> float:
    [(usd,)] = _asked(folder, "SELECT coalesce(sum(counted_usd), 0) FROM spending")
    return float(str(usd))


def _asked(folder: Path, query: str) -> list[tuple[object, ...]]:
    from demur.warehouse.home import Home

    with reading(Home(folder / "home"), "loader") as con:
        return list(con.execute(query).fetchall())


def answered_again(provider: Simulator) -> int:
    return provider.counts.answered.total() - len(provider.counts.answered)


def test_cap_of_half_the_cost_holds_and_a_higher_one_ends_as_none(tmp_path: Path) -> None:
    free, tight = tmp_path / "free", tmp_path / "tight"
    with serve() as provider:
        run(capped(free, provider.openai_url, None), UNITS)
    cap = counted(free) / 2
    with serve() as provider:
        bill = Bill(provider)
        with pytest.raises(CapReachedError) as caught:
            run(capped(tight, provider.openai_url, cap, shards_at_once=3), UNITS)
        landed = len(rows(tight))
        assert bill.usd == pytest.approx(counted(tight)) and bill.usd <= cap
        assert UNITS // 4 < landed < UNITS * 0.6
        assert f"{UNITS - landed} of {UNITS} units are left to buy" in str(caught.value)
        assert "--max-usd" in str(caught.value)
        assert _asked(tight, "SELECT * FROM failures") == []
        run(capped(tight, provider.openai_url, counted(free) * 1.2), UNITS)
        assert answered_again(provider) == 0
        assert bill.usd == pytest.approx(counted(free))
    assert rows(tight) == rows(free)


def test_cap_counts_answers_that_never_came_and_errors_at_nothing(tmp_path: Path) -> None:
    cap = 0.06
    with serve(seeded(5, 0.3, LOST)) as provider:
        bill = Bill(provider)
        context = capped(tmp_path / "a", provider.openai_url, cap, limits={"timeout_seconds": 0.5})
        with pytest.raises(CapReachedError, match="may or may not have been billed"):
            run(context, 200)
        [(unsure,)] = _asked(tmp_path / "a", "SELECT sum(unsure_usd) FROM spending")
        assert 0 < bill.usd <= cap and counted(tmp_path / "a") <= cap + 1e-9
        assert float(str(unsure)) > 0
        free = _asked(
            tmp_path / "a", "SELECT DISTINCT cost_usd FROM calls WHERE error_class IN ('rate_limit', 'server')"
        )
        assert free == [(0.0,)]


@pytest.mark.usefixtures("address")
@pytest.mark.parametrize("address", ["PostgreSQL"], indirect=True)
def test_cap_of_few_requests_is_used_up_though_the_first_replies_are_lost(tmp_path: Path) -> None:
    """What was lost before twenty costs were known counts for less once they are, and the stage goes on with it."""
    cap, first = 0.16, scripted(*[None, SimulatorFault.DROPPED] * 18)
    with serve(first) as provider:
        bill = Bill(provider)
        with pytest.raises(CapReachedError, match="count at the cost of similar requests"):
            run(capped(tmp_path / "a", provider.openai_url, cap), 400)
    assert 0.75 * cap < bill.usd <= cap and counted(tmp_path / "a") <= cap + 1e-9


def test_cap_on_a_stage_holds_beside_a_larger_one_on_the_round_and_one_of_nothing_buys_nothing(tmp_path: Path) -> None:
    with serve() as provider:
        context = capped(tmp_path / "a", provider.openai_url, 10.0)
        budget = context.config.budget.model_copy(update={"stages": {"screen": 0.005}})
        limited = replace(context, config=context.config.model_copy(update={"budget": budget}))
        with pytest.raises(CapReachedError, match=r"screen: budget\.stages\.screen \$0\.01 leaves too little"):
            run(limited, UNITS, "screen")
        assert 0 < counted(tmp_path / "a") <= 0.005
        asked = provider.counts.requests
        with pytest.raises(CapReachedError, match=rf"budget\.max_usd \$0\.00 .*{UNITS} of {UNITS} units are left"):
            run(capped(tmp_path / "b", provider.openai_url, 0.0), UNITS)
        assert provider.counts.requests == asked


@pytest.mark.exhaustive
def test_cap_stage_of_a_killed_process_never_costs_more(tmp_path: Path) -> None:
    """What was under way when a process died counts like the dearest, since nobody can tell whether it was billed."""
    folder, units, cap = tmp_path / "killed", 120, 0.08
    with serve(latency_seconds=0.05) as provider:
        bill = Bill(provider)
        words = ("-m", "tests.flows.capped", str(folder), provider.openai_url, str(cap), str(units), "live")
        with subprocess.Popen([sys.executable, *words], cwd=ROOT, stderr=subprocess.DEVNULL) as process:
            while provider.counts.requests < 30 and process.poll() is None:
                time.sleep(0.02)
            process.kill()
        assert bill.usd <= cap
        with pytest.raises(CapReachedError):
            run(capped(folder, provider.openai_url, cap), units)
        [(lost,)] = _asked(folder, "SELECT sum(unsure_usd) FROM spending")
        assert float(str(lost)) > 0
        assert 0.7 * cap < bill.usd <= counted(folder) <= cap + 1e-9
        run(capped(folder, provider.openai_url, 100.0), units)
        assert len(rows(folder)) == units
        assert answered_again(provider) <= 8


def test_cap_over_a_model_without_prices_is_an_error_before_the_start(
    tmp_path: Path, demur_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = {"provider": "openai", "model": "mine", "base_url": "http://127.0.0.1:9/v1"}
    unpriced = {"name": "own", **address, "parameters": {"max_tokens": 10}}
    several = {role: ["own"] for role in ("generators", "verifiers", "respondents", "judges")}
    roles = {**several, "screeners": [], "writer": "own", "grader": "own"}
    path = str(write_config(tmp_path, models=[unpriced], roles=roles))
    check_round(RoundRequest(path))
    with pytest.raises(ConfigError, match=r"budget: the prices of own are not known.*input_usd_per_million"):
        check_round(RoundRequest(path, max_usd=5.0))
    with pytest.raises(ConfigError, match="max-usd -1"):
        check_round(RoundRequest(path, max_usd=-1.0))
    with pytest.raises(ConfigError, match="budget.stages.*verification is not one of the stages that ask models"):
        check_round(RoundRequest(str(write_config(tmp_path, budget={"stages": {"verification": 1}}))))
