"""Progress on a terminal: a bar per stage, and the round as a whole; plain lines where there is no terminal."""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from demur.cli.process_exit import end_on_signals, explaining_interruption
from demur.cli.round_timer import RoundTimer
from demur.engine.progress import Progress as Observer
from demur.engine.progress import observe
from demur.engine.time_left import said
from demur.warehouse.formats import inert

if TYPE_CHECKING:
    from demur.engine.context import RoundContext

SECONDS_BETWEEN_LINES: Final = 10.0
END_REPORT_SECONDS: Final = 6.0
"""Time for a flow to report its end to a Prefect API of the user's own."""
BESIDE_BAR: Final = 66
"""Places that all columns but the bar take."""
NARROWEST_BAR: Final = 5
WIDEST_BAR: Final = 18
LEAST_WITH_RATE: Final = 70
"""A narrower terminal shows no rate, so that the time left has its place."""
START: Final = "start"
"""Name of the bar of all that comes before the first stage."""


class ProgressBars(Observer):
    """Shows the progress of a round's stages; may be called by several threads."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.RLock()
        self._begun = time.monotonic()
        self._starting: float | None = None
        self._timer = RoundTimer([])
        self._tasks: dict[str, TaskID] = {}
        self._printed = 0.0
        self._spent_usd = 0.0
        self._cap_usd: float | None = None
        self.display = _Display(self, console)

    def expect(self, units: Mapping[str, float], cap_usd: float | None) -> None:
        """Set the stages of the round, with about how many units each has, and the cap on its cost."""
        self._timer = RoundTimer(units)
        self._cap_usd = cap_usd

    def note(self, message: str) -> None:
        """Show an event before the first stage."""
        self._tasks[START] = self.display.add_task(START, total=None, rate="", step=message)
        if not self._console.is_terminal:
            self._print(f"{message} ...")

    def entered(self, stage: str, step: str) -> None:
        """Show a stage and its current step before and after its units."""
        with self._lock:
            self._timer.entered(stage, time.monotonic())
            if self._starting is None:
                self._starting = time.monotonic() - self._begun
                if START in self._tasks:
                    self.display.update(self._tasks[START], total=1, completed=1, step="")
            if stage not in self._tasks:
                self._tasks[stage] = self.display.add_task(stage, total=None, rate="", step=step)
            self.display.update(self._tasks[stage], step=step)

    def started(self, stage: str, units: int, landed: int) -> None:
        """Fill a bar; units that landed before count as done."""
        with self._lock:
            self.entered(stage, "working")
            self._timer.started(stage, time.monotonic())
            self.display.update(self._tasks[stage], total=units, completed=landed)
        if not self._console.is_terminal and units > landed:
            self._print(f"{stage}: {self._timer.place()}, {units - landed} units to do, {landed} landed before")

    def advanced(self, stage: str, units: int) -> None:
        """Advance a stage's bar."""
        with self._lock:
            rate = self._timer.advanced(stage, units, time.monotonic())
            task = self._tasks[stage]
            self.display.advance(task, units)
            state = self.display.tasks[task]
            left = f"{said(self.left.stage)} left" if self.left.stage else ""
            self.display.update(task, rate=f"{rate:.1f}/s", step=left)
            quiet = time.monotonic() - self._printed < SECONDS_BETWEEN_LINES
        if not self._console.is_terminal and not quiet:
            counts = f"{stage}: {state.completed:.0f} of {state.total:.0f}, {rate:.1f}/s"
            self._print("; ".join([counts, *filter(None, [left]), *self._rest()]))

    def ended(self, stage: str, failed: int) -> None:
        """Show how a stage ended."""
        with self._lock:
            took = self._timer.ended(stage, time.monotonic())
            self.display.update(self._tasks[stage], step=f"{failed} failed" if failed else "")
        if not self._console.is_terminal:
            done = f"{stage}: done in {took:.1f} s{f', {failed} units failed' if failed else ''}"
            self._print("; ".join([done, *self._rest()]))

    def spent(self, usd: float) -> None:
        """Show the cost of the round by the warehouse."""
        self._spent_usd = usd

    def paid(self, usd: float) -> None:
        """Add the cost of one more request."""
        with self._lock:
            self._spent_usd += usd

    def notice(self, message: str) -> None:
        """Show the reason for a delay of the round."""
        self._console.print(inert(message), style="yellow", markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        """Leave the terminal as it was found."""
        self.display.stop()

    def seconds(self, stage: str) -> float:
        """Return the seconds of a stage so far, or those before the first stage."""
        if stage == START:
            return time.monotonic() - self._begun if self._starting is None else self._starting
        return self._timer.seconds(stage, time.monotonic())

    def state(self) -> str:
        """Return the round as a whole on one line: its stage, time taken and left, dollars against the cap."""
        parts = [self._timer.place(), _clock(time.monotonic() - self._begun)]
        return ", ".join([*filter(None, parts), *self._rest()])

    def _rest(self) -> list[str]:
        """Return time left of the round and dollars against the cap, each where it is known."""
        parts = [f"{said(self.left.round)} left of the round"] if self.left.round else []
        if self._cap_usd is not None:
            return [*parts, f"${self._spent_usd:,.2f} of ${self._cap_usd:,.2f}"]
        return [*parts, f"${self._spent_usd:,.2f}"] if self._spent_usd else parts

    def _print(self, line: str) -> None:
        self._printed = time.monotonic()
        self._console.print(inert(line), markup=False, highlight=False, soft_wrap=True)


class _Display(Progress):
    """The bars, and below them the state of the round."""

    def __init__(self, bars: ProgressBars, console: Console) -> None:
        self._bars = bars
        whole = Column(no_wrap=True)
        columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description:11}", table_column=whole)]
        if (room := min(WIDEST_BAR, console.width - BESIDE_BAR)) >= NARROWEST_BAR:
            columns.append(BarColumn(bar_width=room))
        columns.append(_Counts(table_column=whole))
        if console.width >= LEAST_WITH_RATE:
            columns.append(TextColumn("{task.fields[rate]:>9}", table_column=whole))
        columns += [_Took(bars, whole), TextColumn("{task.fields[step]}", table_column=whole)]
        super().__init__(*columns, console=console, disable=not console.is_terminal)

    def get_renderables(self) -> Iterable[RenderableType]:
        if not self.tasks:
            return
        yield self.make_tasks_table(self.tasks)
        yield Text(self._bars.state(), style="dim", no_wrap=True, overflow="ellipsis")


class _Counts(ProgressColumn):
    """Units that ended, of all."""

    def render(self, task: Task) -> Text:
        return Text("" if task.total is None else f"{task.completed:.0f} / {task.total:.0f}".rjust(13))


class _Took(ProgressColumn):
    """The time that a stage has taken, loading, gates and publishing included."""

    def __init__(self, bars: ProgressBars, column: Column) -> None:
        self._bars = bars
        super().__init__(table_column=column)

    def render(self, task: Task) -> Text:
        return Text(_clock(self._bars.seconds(task.description)))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


@contextmanager
def progress_bars() -> Iterator[ProgressBars]:
    """Show the progress of rounds run inside the block, on standard error."""
    show = ProgressBars(Console(file=sys.stderr))
    observe(show)
    with show.display:
        yield show


def run_with_progress(check: "Callable[[], RoundContext]", run: "Callable[[RoundContext], object]") -> "RoundContext":
    """Run a checked round with its progress shown and return its context; Ctrl-C ends it at once."""
    from demur.configuration.settings import logs_json, prefect_api_url, silence_prefect_log
    from demur.flows.orchestration.temporary_api import start_temporary_api

    silence_prefect_log()  # Prefect reads its settings when it is first imported
    end_seconds = 0 if prefect_api_url() is None else END_REPORT_SECONDS
    if logs_json():
        with explaining_interruption():
            context = check()
            end_on_signals(lambda: None, end_seconds)
            start_temporary_api()
            run(context)
        return context
    with explaining_interruption(), progress_bars() as display:
        context = check()
        display.note("starting Prefect")
        end_on_signals(display.close, end_seconds)
        start_temporary_api()
        run(context)
    return context
