"""Hosts that are killed: a stage in two processes with a home and a database."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from demur.engine.context import RoundContext
from demur.engine.models import skip_preflight
from demur.errors import CapReachedError
from demur.lanes.simulator.server import serve
from demur.warehouse.connection import reading
from tests.engine.postgres_server import started
from tests.flows.capped import Bill, capped, run
from tests.flows.rounds import ROOT

UNITS, AT_ONCE, CAP_USD = 80, 8, 1.0


def shown(context: RoundContext, query: str) -> list[tuple[object, ...]]:
    with reading(context.home, "loader") as con:
        return con.execute(query).fetchall()


@pytest.mark.exhaustive
@pytest.mark.usefixtures("prefect_api")
def test_stage_of_a_killed_host_goes_on_and_buys_again_what_was_under_way_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")
    bases = "SELECT unit_id, base_id, title FROM base_instances ORDER BY unit_id"
    with serve(latency_seconds=0.1) as provider, started() as server:
        alone = capped(tmp_path / "alone", provider.openai_url, CAP_USD)
        skip_preflight(alone)
        assert run(alone, UNITS).landed == UNITS
        wanted = {one.digest for one in provider.asked}
        [(cost_usd,)] = shown(alone, "SELECT sum(cost_usd) FROM spending")
        monkeypatch.setenv("DEMUR_STATE", server.address)
        before, bill, cap_usd = len(provider.asked), Bill(provider), 0.9 * float(str(cost_usd))
        words = (str(tmp_path / "home"), provider.openai_url, str(cap_usd), str(UNITS), "live")
        first = subprocess.Popen(
            [sys.executable, "-m", "tests.flows.capped", *words], cwd=ROOT, stderr=subprocess.PIPE, text=True
        )
        while len(provider.asked) - before < UNITS // 2 and first.poll() is None:
            time.sleep(0.005)
        first.send_signal(signal.SIGKILL)
        _, said = first.communicate()
        assert first.returncode == -signal.SIGKILL, said
        second = capped(tmp_path / "home", provider.openai_url, cap_usd)
        with pytest.raises(CapReachedError):
            run(second, UNITS)
        [(counted_usd,)] = shown(second, "SELECT sum(counted_usd) FROM spending")
        assert bill.usd <= float(str(counted_usd)) <= cap_usd
        second = capped(tmp_path / "home", provider.openai_url, 3 * cap_usd)
        assert run(second, UNITS).landed == UNITS
        more = sum(one.digest in wanted for one in provider.asked[before:]) - UNITS
    assert shown(second, bases) == shown(alone, bases)
    assert shown(
        second, "SELECT count(*), count(DISTINCT unit_id) FROM calls WHERE status = 'ok' AND role != 'probe'"
    ) == [(UNITS, UNITS)]
    assert 0 < more <= AT_ONCE, "what was under way is asked again, and nothing else"
