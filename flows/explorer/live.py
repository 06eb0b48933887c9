"""Rounds that are running now, as the processes that run them say in files of the home."""

from typing import Any

from demur.warehouse.home import Home


def live_rounds(home: Home) -> dict[str, dict[str, Any]]:
    """Return the progress of every running round by its id."""
    return {}
