"""Garbage collection of a process that works on shards.

Such a process has half a million objects which live as long as it does (DSPy, pandas, Great Expectations, signatures,
schemas). With Python's defaults a third of a shard's CPU went into looking through them.
"""

import atexit
import gc
from functools import cache
from typing import Final

THRESHOLD: Final = 20_000
"""New objects that start a collection of the youngest generation; Python's default is 700."""


@cache
def freeze_long_lived_objects() -> None:
    """Freeze import-time objects and raise the collector's threshold, once in a process."""
    gc.freeze()
    atexit.register(gc.unfreeze)  # libraries of C++ complain of what is left at the end
    gc.set_threshold(THRESHOLD, *gc.get_threshold()[1:])
