"""The lock of a round: held by one process, looked at by any."""

import threading
from pathlib import Path

from demur.engine.round_lock import is_locked, round_lock
from demur.warehouse.home import Home


def test_round_that_is_looked_at_all_the_time_can_be_locked(tmp_path: Path) -> None:
    home, ended = Home(tmp_path), threading.Event()
    with round_lock(home, "r"):
        pass

    def look() -> None:
        while not ended.is_set():
            is_locked(home, "r")

    lookers = [threading.Thread(target=look) for _ in range(2)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(60):
            with round_lock(home, "r"):
                assert is_locked(home, "r")
    finally:
        ended.set()
        for looker in lookers:
            looker.join()
    assert not is_locked(home, "r")
    assert not is_locked(home, "never-begun")
