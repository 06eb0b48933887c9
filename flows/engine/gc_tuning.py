"""How often Python looks for garbage: seldom, since it would look through all libraries each time.

A process that works on shards has half a million objects which live as long as it does (DSPy, pandas, Great
Expectations, signatures, schemas). With Python's defaults a third of a shard's CPU went into looking through them.
"""

import atexit
import gc
from functools import cache
from typing import Final

NEW_OBJECTS: Final = 20_000
"""After so many new objects that are still there, the young ones are looked through; by default after 700."""


@cache
def spare_what_stays() -> None:
    """Look for garbage among what is made from now on only, and less often; once a process."""
    gc.freeze()
    atexit.register(gc.unfreeze)  # libraries of C++ complain of what is left at the end
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
