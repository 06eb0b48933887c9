"""What progress says: on a terminal, in plain lines where there is none, and of what is left of a round."""

import io
from collections.abc import Iterator

import pytest
from rich.console import Console

from demur.cli.terminal.progress_bars import ProgressBars
from demur.engine.progress_events import TimeBounds, TimeLeft


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    now = [1000.0]
    monkeypatch.setattr("demur.cli.terminal.progress_bars.time.monotonic", lambda: now[0])
    yield now


def test_bars_rate_leaves_out_what_landed_in_earlier_runs(clock: list[float]) -> None:
    out = io.StringIO()
    show = ProgressBars(Console(file=out, width=200))
    show.started("verify", 1000, 900)
    clock[0] += 20
    show.estimated(TimeLeft(stage=TimeBounds(100, 300)))
    show.advanced("verify", 10)
    assert out.getvalue().splitlines() == [
        "verify: stage 1 of 1, 100 units to do, 900 landed before",
        "verify: 910 of 1000, 0.5/s; 2 to 5 min left",
    ]


def test_bars_lines_that_are_longer_than_the_terminal_stay_whole() -> None:
    out = io.StringIO()
    ProgressBars(Console(file=out, width=20)).notice("respond: batch msgbatch_10 of respondent-a: waiting for 0 s")
    assert out.getvalue() == "respond: batch msgbatch_10 of respondent-a: waiting for 0 s\n"


def test_bars_lines_name_stage_time_left_of_the_round_and_dollars_against_the_cap(clock: list[float]) -> None:
    out = io.StringIO()
    show = ProgressBars(Console(file=out, width=200))
    show.expect({"ingest": 0, "generate": 100, "verify": 300}, cap_usd=20)
    show.entered("ingest", "loading")
    clock[0] += 2
    show.started("ingest", 10, 0)
    show.advanced("ingest", 10)
    show.entered("ingest", "publishing")
    clock[0] += 2
    show.ended("ingest", 0)
    show.spent(1.25)
    show.started("generate", 100, 0)
    clock[0] += 50
    show.paid(0.5)
    show.estimated(TimeLeft(TimeBounds(40, 60), TimeBounds(120, 720)))
    show.advanced("generate", 50)
    clock[0] += 50
    show.estimated(TimeLeft(None, TimeBounds(300, 360)))
    show.advanced("generate", 50)
    show.ended("generate", 3)
    assert out.getvalue().splitlines() == [
        "ingest: stage 1 of 3, 10 units to do",
        "ingest: done in 4.0 s; $0.00 of $20.00",
        "generate: stage 2 of 3, 100 units to do",
        "generate: 50 of 100, 1.0/s; about 49 s left; 2 to 12 min left of the round; $1.75 of $20.00",
        "generate: 100 of 100, 1.0/s; about 5 min left of the round; $1.75 of $20.00",
        "generate: done in 100.0 s, 3 units failed; about 5 min left of the round; $1.75 of $20.00",
    ]


def test_bars_on_a_terminal_show_steps_and_the_whole_round_within_80_columns(clock: list[float]) -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None, _environ={})
    show = ProgressBars(console)
    show.expect({"ingest": 0, "generate": 120_000, "verify": 300_000}, cap_usd=2000)
    show.note("starting Prefect")
    clock[0] += 12
    show.started("generate", 120_000, 0)
    clock[0] += 1000
    show.paid(1234.5)
    show.estimated(TimeLeft(TimeBounds(900, 1100), TimeBounds(5800, 6200)))
    show.advanced("generate", 60_000)
    show.entered("generate", "checking")
    lines = console.render_lines(show.display.get_renderable(), pad=False)
    start, bar, state = ("".join(segment.text for segment in line) for line in lines)
    assert "start" in start.split() and start.split()[-1] == "0:00:12"
    assert [word for word in bar.split()[1:] if "━" not in word] == [
        *("generate", "60000", "/", "120000", "60.0/s", "0:16:40", "checking")
    ]
    assert state == "stage 2 of 3, 0:16:52, about 100 min left of the round, $1\u202f234.50 of $2\u202f000.00"
