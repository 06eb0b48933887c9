"""Who works on an order holds it, so that nobody else does, on whatever machine.

A shard goes on where the process that ordered it has died, and a cluster may give the shard of a worker that it has
lost to another. The order's file is held by a lock of the operating system, which ends with its holder.
"""

import fcntl
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.plans import plan_path

OnWait = Callable[[str], None]
POLL_SECONDS: Final = 0.2
_NOTICE_SECONDS: Final = 5.0


def hold(path: Path) -> int | None:
    """Return what holds an order until it is let go of, None where somebody else holds it.

    Raises:
        FileNotFoundError: the order was withdrawn.
    """
    descriptor = os.open(path, os.O_RDWR)  # NFS locks alone only what may be written
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def let_go(descriptor: int) -> None:
    """Let others hold the order."""
    os.close(descriptor)


def withdraw_all(home: Home, round_id: str, stage: str, *, wait_seconds: float, on_wait: OnWait) -> None:
    """Withdraw every order of a stage, and return once nobody works on one: what they answered is journalled then.

    Raises:
        WarehouseError: somebody still does after so long.
    """
    folder = home.orders(round_id, stage)
    held: list[tuple[Path, int]] = []
    try:
        with disk_explained(folder):
            for path in order_files(home, round_id, stage):
                held.append((path, os.open(path, os.O_RDWR)))
                path.unlink()
        for path, descriptor in held:
            wait_until_free(path, partial(_is_held, descriptor), wait_seconds, on_wait)
    finally:
        for _, descriptor in held:
            os.close(descriptor)


def order_files(home: Home, round_id: str, stage: str) -> list[Path]:
    """Return the orders of a stage, without its plan."""
    folder = home.orders(round_id, stage)
    plan = plan_path(home, round_id, stage)
    return [path for path in sorted(folder.glob("[!.]*.parquet")) if path != plan] if folder.is_dir() else []


def wait_until_free(path: Path, is_held: Callable[[], bool], wait_seconds: float, on_wait: OnWait) -> None:
    """Return once nobody holds an order.

    Raises:
        WarehouseError: somebody still does after so long.
    """
    began = noticed = time.monotonic()
    while is_held():
        now = time.monotonic()
        if now - began >= wait_seconds:
            raise WarehouseError(
                f"{path}: a worker of an earlier run still works on this shard after {now - began:.0f} s, so that "
                "its answers would be bought twice. End that worker, then run the same command again"
            )
        if now - noticed >= _NOTICE_SECONDS:
            noticed = now
            on_wait(f"shard {path.stem} is being ended by a worker of an earlier run; waiting for it")
        time.sleep(POLL_SECONDS)


def _is_held(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
