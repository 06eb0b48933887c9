"""Publication of the warehouse: the published copy is replaced by a copy of the loader's file."""

import os
import shutil
import uuid
from contextlib import ExitStack
from pathlib import Path

from demur.levers.durable import sync_directory
from demur.warehouse.connection import OnWait, keep_summaries, writing
from demur.warehouse.errors import disk_explained
from demur.warehouse.home import Home

_CHUNK_BYTES = 4 * 1024 * 1024


def publish(home: Home, *, wait_seconds: float = 300.0, on_wait: OnWait | None = None, midway: bool = False) -> Path:
    """Replace the published copy atomically and return its path; readers of the old copy can continue.

    The loader's file stays locked until the copy is replaced, so that an older copy never replaces a newer one.

    Args:
        home: the home.
        wait_seconds: how long to wait while another process has the loader's file open.
        on_wait: called every few seconds of waiting.
        midway: whether a round is still running. If True, the copy has `round_summaries` as a view, and each query of
            the view takes 0.1 s. If False, the copy has a table of that name instead, which makes the publication 0.1 s
            longer.

    Raises:
        WarehouseBusyError: another process has the loader's file open for longer than `wait_seconds`.
        WarehouseError: disk full or no permission; the published copy is unchanged.
    """
    draft = home.root / f".warehouse-{os.getpid()}-{uuid.uuid4().hex[:8]}.duckdb"
    with ExitStack() as after, writing(home, wait_seconds=wait_seconds, on_wait=on_wait) as con:
        _sweep(home)
        try:
            con.execute("CHECKPOINT")
            with disk_explained(home.published):
                _copy(home, draft, after)
                if not midway:
                    keep_summaries(draft)
                home.published.with_name(home.published.name + ".wal").unlink(missing_ok=True)
                draft.replace(home.published)
                sync_directory(home.root)
        finally:
            draft.unlink(missing_ok=True)
    return home.published


def _copy(home: Home, draft: Path, after: ExitStack) -> None:
    """Copy the loader's file to `draft`, durably.

    A process that closes one handle of a file loses all its locks on the file, including DuckDB's lock. The handle is
    therefore closed by the stack `after`, once DuckDB has closed the file.
    """
    source = after.enter_context(home.loader.open("rb"))
    with draft.open("xb") as sink:
        shutil.copyfileobj(source, sink, _CHUNK_BYTES)
        sink.flush()
        os.fsync(sink.fileno())


def _sweep(home: Home) -> None:
    """Delete drafts of killed processes; only the process with the loader's file writes drafts."""
    for pattern in (".warehouse-*", ".loader-*"):
        for left in home.root.glob(pattern):
            left.unlink(missing_ok=True)
