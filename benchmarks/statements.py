"""Time and memory of statements of the explorer's readers: `python -m benchmarks.statements`."""

import os
import resource
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from demur.warehouse.connection import writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.results.query import StopSignal
from demur.warehouse.results.snapshots import MOST_AT_ONCE, BoundStatement, Snapshot, Snapshots
from demur.warehouse.results.statement_process import StatementProcess

ROUNDS = Path(__file__).parents[1] / "tests" / "reports" / "explorer" / "made.sql"
GREEDY = (
    "SELECT length(repeat('x', 2000000000))",
    "SELECT list(repeat('x', 1000) || range) FROM range(2000000)",
    "SELECT string_agg(range::VARCHAR, '') FROM range(30000000)",
)
SHORT = BoundStatement("SELECT 42", {})


def resident_megabytes() -> float:
    """Return the resident memory of this process and its children; pages that they share count in each."""
    found = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
            if str(os.getpid()) in (status.parent.name, lines["PPid"].strip()):
                found += int(lines.get("VmRSS", "0").split()[0])
    return found / 1024


def seconds(work: Callable[[], object], times: int, pause: float) -> list[float]:
    """Return the sorted durations of some calls."""
    found = []
    for _ in range(times):
        time.sleep(pause)
        began = time.perf_counter()
        work()
        found.append(round(time.perf_counter() - began, 3))
    return sorted(found)


def most_at_once(snapshot: Snapshot, sql: str) -> float:
    """Return the most resident memory while MOST_AT_ONCE greedy statements run."""

    def run() -> None:
        with suppress(WarehouseError):
            snapshot.start(BoundStatement(sql, {}), 60, StopSignal()).first(100)

    threads = [threading.Thread(target=run) for _ in range(MOST_AT_ONCE)]
    for thread in threads:
        thread.start()
    most = 0.0
    while any(thread.is_alive() for thread in threads):
        most = max(most, resident_megabytes())
        time.sleep(0.02)
    return most


def started() -> None:
    """Start a process, wait until it is ready, and end it."""
    process = StatementProcess()
    process.channel.recv()
    process.end()


def main() -> None:
    """Print durations and memory."""
    with TemporaryDirectory() as folder:
        home = Home(Path(folder))
        with writing(home, wait_seconds=0) as con:
            con.execute(ROUNDS.read_text(encoding="utf-8"))
        publish(home)
        snapshot = Snapshots(home).current()
        snapshot.prepare()
        print("load of the machine:", os.getloadavg()[0])
        print("start-up of a process, s:", seconds(started, 5, 1))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        asked = seconds(lambda: snapshot.start(SHORT, 60, StopSignal()).first(1), 8, 2)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / len(asked)
        print("a statement whose process waits, s:", asked)
        print(f"CPU of a process and its statement: {cpu:.2f} s")
        print("the same within the explorer, s:", seconds(lambda: snapshot.query(SHORT, limit=1), 5, 0))
        print(f"memory before, one process waiting: {resident_megabytes():.0f} MB")
        for sql in GREEDY:
            print(f"{MOST_AT_ONCE} at once, {sql[:44]}: {most_at_once(snapshot, sql):.0f} MB at most")


if __name__ == "__main__":
    main()
