"""What the lines of progress say where there is no terminal."""

import io
from collections.abc import Iterator

import pytest
from rich.console import Console

from demur.flows.cli.bars import Bars, time_left


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    now = [1000.0]
    monkeypatch.setattr("demur.flows.cli.bars.time.monotonic", lambda: now[0])
    yield now


def test_bars_rate_leaves_out_what_landed_in_earlier_runs(clock: list[float]) -> None:
    out = io.StringIO()
    show = Bars(Console(file=out, width=200))
    show.started("verify", 1000, 900)
    clock[0] += 20
    show.advanced("verify", 10)
    assert out.getvalue().splitlines() == [
        "verify: 100 units to do, 900 landed before",
        "verify: 910 of 1000, 0.5/s, 3 min left",
    ]


@pytest.mark.parametrize(("seconds", "said"), [(0, "0 s"), (119, "119 s"), (3007, "50 min"), (9000, "2.5 h")])
def test_bars_time_left_is_said_in_a_fitting_unit(seconds: float, said: str) -> None:
    assert time_left(seconds) == said


def test_bars_lines_that_are_longer_than_the_terminal_stay_whole() -> None:
    out = io.StringIO()
    Bars(Console(file=out, width=20)).waiting("respond: batch msgbatch_10 of respondent-a: waiting for 0 s")
    assert out.getvalue() == "respond: batch msgbatch_10 of respondent-a: waiting for 0 s\n"
