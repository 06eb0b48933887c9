"""Progress of a round: bars for stages and a line for the round on a terminal, plain lines in files and pipes."""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.table import Column
from rich.text import Text

from demur.cli.terminal.process_exit import end_on_signals, explaining_interruption
from demur.engine.logs import observe
from demur.engine.progress_events import Progress as Observer
from demur.engine.progress_events import StagePace, said
from demur.reports.tables.formats import dollars
from demur.reports.texts import counted
from demur.warehouse.results.formats import inert

if TYPE_CHECKING:
    from demur.engine.context import RoundContext

END_REPORT_SECONDS: Final = 6.0
"""Time for a flow to report its end to a Prefect API of the user's own."""
BESIDE_BAR: Final = 66
"""Width of all columns except the bar, in characters."""
NARROWEST_BAR: Final = 5
WIDEST_BAR: Final = 18
LEAST_WITH_RATE: Final = 70
"""Least width of a terminal, in characters, that shows the rate beside the time left."""
START: Final = "start"
"""Name of the bar for the time before the first stage."""


class ProgressBars(Observer):
    """Shows the progress of a round's stages. Several threads may call its methods."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.RLock()
        self._begun = time.monotonic()
        self._expected: list[str] = []
        self._current = START
        self._last_end: float | None = None
        self._tasks: dict[str, Task] = {}
        self._pace = StagePace()
        self._spent_usd = 0.0
        self._cap_usd: float | None = None
        self.display = _Display(self, console)

    def expect(self, units: Mapping[str, float], cap_usd: float | None) -> None:
        """Set the stages of the round with their approximate numbers of units, and the round's cap in dollars."""
        self._expected = list(units)
        self._cap_usd = cap_usd

    def note(self, message: str) -> None:
        """Show an event before the first stage."""
        self._begin(START, message, self._begun)
        if not self._console.is_terminal:
            self._print(f"{message} ...")

    def entered(self, stage: str, step: str) -> None:
        """Show the current step of a stage, such as checking, working or loading."""
        with self._lock:
            now = time.monotonic()
            if START in self._tasks and self._current == START:
                self.display.stop_task(self._tasks[START].id)
                self.display.update(self._tasks[START].id, total=1, completed=1, step="")
            self._current = stage
            task = self._tasks.get(stage)
            if task is None:
                task = self._begin(stage, step, since=now if self._last_end is None else self._last_end)
            if task.stop_time is not None and task.start_time is not None and self._last_end is not None:
                # A stage that goes on: the time since its stop belongs to the stages between.
                pause = self._last_end - task.stop_time
                task.start_time += pause
                task.stop_time = None
            self.display.update(task.id, step=step)

    def _begin(self, name: str, step: str, since: float) -> Task:
        """Add a bar that shows the time since `since`, such as the end of the stage before."""
        number = self.display.add_task(name, total=None, rate="", step=step)
        task = self._tasks[name] = next(one for one in self.display.tasks if one.id == number)
        task.start_time = since
        return task

    def started(self, stage: str, units: int, landed: int) -> None:
        """Fill a stage's bar up to the units that landed in earlier runs."""
        with self._lock:
            self.entered(stage, "working")
            task = self._tasks[stage]
            self._pace.start(units - landed)
            self.display.update(task.id, total=units, completed=landed)
        if not self._console.is_terminal and units > landed:
            before = f", {landed} landed before" if landed else ""
            self._print(f"{stage}: {self._place()}, {counted(units - landed, 'unit')} to do{before}")

    def advanced(self, stage: str, units: int) -> None:
        """Advance a stage's bar by a number of units."""
        with self._lock:
            task = self._tasks[stage]
            self.display.advance(task.id, units)
            is_due = self._pace.count(units)
            rate = f"{self._pace.rate:.1f}/s"
            left = f"{said(self.left.stage)} left" if self.left.stage else ""
            self.display.update(task.id, rate=rate, step=left)
        if not self._console.is_terminal and is_due:
            counts = f"{stage}: {task.completed:.0f} of {task.total:.0f}, {rate}"
            self._print("; ".join([counts, *filter(None, [left]), *self._rest()]))

    def ended(self, stage: str, failed: int) -> None:
        """Show the end of a stage and its number of failed units."""
        with self._lock:
            task = self._tasks[stage]
            self.display.stop_task(task.id)
            self._last_end = task.stop_time
            self.display.update(task.id, step=f"{failed} failed" if failed else "")
        if not self._console.is_terminal:
            lost = f", {counted(failed, 'unit')} failed" if failed else ""
            done = f"{stage}: done in {task.elapsed or 0.0:.1f} s{lost}"
            self._print("; ".join([done, *self._rest()]))

    def spent(self, usd: float) -> None:
        """Set the cost of the round so far, in dollars, as read from the warehouse."""
        self._spent_usd = usd

    def paid(self, usd: float) -> None:
        """Add the cost of one request, in dollars."""
        with self._lock:
            self._spent_usd += usd

    def notice(self, message: str) -> None:
        """Print a warning, or the reason of a delay."""
        self._console.print(inert(message), style="yellow", markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        """Remove the bars and restore the terminal."""
        self.display.stop()

    def state(self) -> str:
        """Return the round's state on one line: number of the stage, time taken, time left, dollars spent and cap."""
        parts = [self._place(), _clock(time.monotonic() - self._begun)]
        return ", ".join([*filter(None, parts), *self._rest()])

    def _place(self) -> str:
        """Return the number of the current stage, such as `stage 3 of 8`. Before the first stage the text is empty."""
        stages = list(dict.fromkeys([*self._expected, *self._tasks]))
        if START in self._tasks:
            stages.remove(START)
        return "" if self._current == START else f"stage {stages.index(self._current) + 1} of {len(stages)}"

    def _rest(self) -> list[str]:
        """Return the round's time left, and the dollars spent with the cap. Unknown parts are left out."""
        parts = [f"{said(self.left.round)} left of the round"] if self.left.round else []
        if self._cap_usd is not None:
            return [*parts, f"{dollars(self._spent_usd)} of {dollars(self._cap_usd)}"]
        return [*parts, dollars(self._spent_usd)] if self._spent_usd else parts

    def _print(self, line: str) -> None:
        self._console.print(inert(line), markup=False, highlight=False, soft_wrap=True)


class _Display(Progress):
    """The bars, and below them the state of the round."""

    def __init__(self, bars: ProgressBars, console: Console) -> None:
        self._bars = bars
        whole = Column(no_wrap=True)
        columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description:11}", table_column=whole)]
        room = min(WIDEST_BAR, console.width - BESIDE_BAR)
        if room >= NARROWEST_BAR:
            columns.append(BarColumn(bar_width=room))
        columns.append(_Counts(table_column=whole))
        if console.width >= LEAST_WITH_RATE:
            columns.append(TextColumn("{task.fields[rate]:>9}", table_column=whole))
        columns += [_Took(table_column=whole), TextColumn("{task.fields[step]}", table_column=whole)]
        super().__init__(*columns, console=console, disable=not console.is_terminal, get_time=lambda: time.monotonic())

    def get_renderables(self) -> Iterable[RenderableType]:
        if not self.tasks:
            return
        yield self.make_tasks_table(self.tasks)
        yield Text(self._bars.state(), style="dim", no_wrap=True, overflow="ellipsis")


class _Counts(ProgressColumn):
    """A column with the number of ended units and of all units of a stage."""

    def render(self, task: Task) -> Text:
        return Text("" if task.total is None else f"{task.completed:.0f} / {task.total:.0f}".rjust(13))


class _Took(ProgressColumn):
    """A column with the time that a stage took, including loading, gates and publishing."""

    def render(self, task: Task) -> Text:
        return Text(_clock(task.elapsed or 0.0))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


@contextmanager
def progress_bars() -> Iterator[ProgressBars]:
    """Show the progress of rounds inside the block, on standard error."""
    show = ProgressBars(Console(file=sys.stderr))
    observe(show)
    with show.display:
        yield show


def run_with_progress(check: "Callable[[], RoundContext]", run: "Callable[[RoundContext], object]") -> "RoundContext":
    """Check a round, run the round and show the progress. Return the context. Ctrl-C ends the process at once."""
    from demur.configuration.settings import logs_json, prefect_api_url, silence_prefect_log
    from demur.flows.orchestration.temporary_api import run_with_api

    silence_prefect_log()  # Prefect reads its settings when it is first imported

    def end_seconds() -> float:
        return 0 if prefect_api_url() is None else END_REPORT_SECONDS  # imports Prefect, so after the check

    if logs_json():
        with explaining_interruption():
            context = check()
            end_on_signals(lambda: None, end_seconds())
            run_with_api(context, lambda: run(context))
        return context
    with explaining_interruption(), progress_bars() as display:
        context = check()
        end_on_signals(display.close, end_seconds())
        run_with_api(context, lambda: run(context), lambda: display.note("starting Prefect"))
    return context
