"""demur's command line in a process and a home of its own, watched from outside; tables of what came of it."""

import os
import platform
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import psutil
import yaml

from demur.configuration.round_config import SHIPPED
from demur.warehouse.results.formats import as_markdown

ROOT = Path(__file__).parents[1]
SERVER_START = "starting Prefect"
_BEGUN = re.compile(r"^(\w+): \d+ units to do")
_DONE = re.compile(r"^(\w+): done in ")


def machine() -> str:
    """Return what the figures were measured on, in one line."""
    memory = psutil.virtual_memory().total / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}"


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a Markdown table under a heading."""
    print(f"\n### {title}\n\n{as_markdown(columns, rows)}", flush=True)


def command(*arguments: str) -> list[str]:
    """Return the command line as a user starts it; where demur is not installed, through its entry point."""
    script = Path(sys.executable).with_name("demur")
    start = [str(script)] if script.exists() else [sys.executable, "-c", "from demur.cli import main; main()"]
    return [*start, *arguments]


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a fresh machine: warehouse and Prefect's own files in `folder`, a temporary API."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "DEMUR_"))}
    paths = os.pathsep.join(filter(None, (str(ROOT), kept.get("PYTHONPATH"))))  # where demur is not installed
    return kept | {"PYTHONPATH": paths, "DEMUR_HOME": str(folder / "demur"), "PREFECT_HOME": str(folder / "prefect")}


def write_config(folder: Path, **changes: Any) -> Path:
    """Write the embedded configuration with some top-level fields replaced."""
    config = yaml.safe_load((SHIPPED / "rules.yaml").read_text(encoding="utf-8"))
    path = folder / "round.yaml"
    path.write_text(yaml.safe_dump(config | changes, sort_keys=False), encoding="utf-8")
    return path


@dataclass(frozen=True, slots=True)
class Line:
    """A line that a process wrote to standard error, and when it came, in seconds since the process was started."""

    seconds: float
    text: str

    @property
    def begun(self) -> str | None:
        """The stage that the line says has begun."""
        found = _BEGUN.match(self.text)
        return found[1] if found else None

    @property
    def done(self) -> str | None:
        """The stage that the line says is done."""
        found = _DONE.match(self.text)
        return found[1] if found else None


class DemurProcess:
    """A running `demur` command in a process group of its own, whose lines can be waited for.

    What it prints on standard output goes to `<folder>/output.txt`.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.lines: list[Line] = []
        self._queue: queue.SimpleQueue[Line | None] = queue.SimpleQueue()
        self._started = time.monotonic()
        with (folder / "output.txt").open("wb") as output:
            self.process = subprocess.Popen(
                command(*arguments),
                env=environment(folder),
                stdout=output,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        assert self.process.stderr is not None
        self._reader = threading.Thread(target=self._read, args=(self.process.stderr,), daemon=True)
        self._reader.start()

    def _read(self, stream: IO[str]) -> None:
        for text in stream:
            line = Line(self.seconds, text.rstrip("\n"))
            self.lines.append(line)
            self._queue.put(line)
        self._queue.put(None)

    @property
    def seconds(self) -> float:
        """Seconds since the process was started."""
        return time.monotonic() - self._started

    def next_line(self, timeout: float) -> Line | None:
        """Return the next line, None where the process has closed its standard error.

        Raises:
            TimeoutError: no line came in `timeout` seconds.
        """
        try:
            return self._queue.get(timeout=max(0.0, timeout))
        except queue.Empty as exc:
            raise TimeoutError from exc

    def finish(self, timeout: float) -> float:
        """Wait for the end and return how many seconds the process took.

        Raises:
            RuntimeError: it failed; the message holds what it said.
        """
        status = self.process.wait(timeout=timeout)
        took = self.seconds
        self._reader.join(timeout=10)
        if status != 0:
            said = "\n".join(line.text for line in self.lines[-30:])
            raise RuntimeError(f"{' '.join(self.process.args)} ended with status {status}:\n{said}")  # type: ignore[arg-type]
        return took

    def descendants(self) -> list[psutil.Process]:
        """Return the processes that it has started and that run now, such as a temporary Prefect server."""
        try:
            return psutil.Process(self.process.pid).children(recursive=True)
        except psutil.Error:
            return []


START, PREFECT, END = "process start, checks", "Prefect start-up, opening the round", "tables, end"


def phases(lines: Sequence[Line], total: float) -> list[tuple[str, float]]:
    """Cut a round's wall time into its phases, in the order in which they first began: (name, seconds).

    A stage lasts from the end of the one before it to its own end, planning included; waves of one stage are added up.
    """
    spent: dict[str, float] = {}
    since = 0.0
    for name, until in marks(lines):
        spent[name] = spent.get(name, 0.0) + until - since
        since = until
    spent[END] = total - since
    return list(spent.items())


def marks(lines: Sequence[Line]) -> Iterator[tuple[str, float]]:
    """Yield the end of each phase but the last, in seconds since the process was started."""
    seen_stage = False
    for line in lines:
        if line.text.startswith(SERVER_START):
            yield START, line.seconds
        elif not seen_stage and (line.begun or line.done):
            seen_stage = True
            yield PREFECT, line.seconds
        if line.done:
            yield line.done, line.seconds
