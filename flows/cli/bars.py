"""Progress on a terminal: one bar per stage, with rate and time left; plain lines where there is no terminal."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from demur.flows.progress import observe

SECONDS_BETWEEN_LINES = 10.0


class Bars:
    """Shows the progress of a round's stages; may be told by several threads."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._tasks: dict[str, TaskID] = {}
        self._since: dict[str, float] = {}
        self._landed: dict[str, int] = {}
        self._said = 0.0
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description:11}"),
            BarColumn(bar_width=24),
            TextColumn("{task.completed:>6.0f} / {task.total:.0f}"),
            TextColumn("{task.fields[rate]:>10}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )

    def note(self, message: str) -> None:
        """Say what happens outside of any stage."""
        self._console.print(f"[dim]{message} ...[/dim]", highlight=False)

    def started(self, stage: str, units: int, landed: int) -> None:
        """Add a bar; units that landed before count as done."""
        with self._lock:
            self._since[stage] = time.monotonic()
            self._landed[stage] = landed
            if stage in self._tasks:
                self._progress.update(self._tasks[stage], total=units, completed=landed)
            else:
                self._tasks[stage] = self._progress.add_task(stage, total=units, completed=landed, rate="")
        if not self._console.is_terminal and units > landed:
            self._say(f"{stage}: {units - landed} units to do, {landed} landed before")

    def advanced(self, stage: str, units: int) -> None:
        """Move a stage's bar on."""
        with self._lock:
            task = self._tasks[stage]
            self._progress.advance(task, units)
            state = self._progress.tasks[task]
            rate = (state.completed - self._landed[stage]) / max(1e-9, time.monotonic() - self._since[stage])
            self._progress.update(task, rate=f"{rate:.1f}/s")
            quiet = time.monotonic() - self._said < SECONDS_BETWEEN_LINES
            left = (state.total or 0) - state.completed
        if not self._console.is_terminal and not quiet and rate > 0:
            self._say(
                f"{stage}: {state.completed:.0f} of {state.total:.0f}, {rate:.1f}/s, {time_left(left / rate)} left"
            )

    def ended(self, stage: str, failed: int) -> None:
        """Say how a stage ended."""
        took = time.monotonic() - self._since[stage]
        failures = f", {failed} units failed" if failed else ""
        if not self._console.is_terminal:
            self._say(f"{stage}: done in {took:.1f} s{failures}")
        elif failed:
            self._console.print(f"[yellow]{stage}: {failed} units failed[/yellow]")

    def waiting(self, message: str) -> None:
        """Show what holds the round up."""
        self._console.print(message, style="yellow", markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        """Leave the terminal as it was found."""
        self._progress.stop()

    def _say(self, line: str) -> None:
        self._said = time.monotonic()
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def time_left(seconds: float) -> str:
    """Return a length of time as people say it: seconds below two minutes, minutes below two hours, then hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


@contextmanager
def bars() -> Iterator[Bars]:
    """Show the progress of rounds run inside the block, on standard error."""
    show = Bars(Console(file=sys.stderr))
    observe(show)
    with show._progress:
        yield show
