"""Settings of libraries, made when demur is imported and before any library is: no calls home, and little memory."""

import ctypes
import os
from typing import Final

QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "GX_ANALYTICS_ENABLED": "false",
    "RAY_USAGE_STATS_ENABLED": "0",
}


ARROW_POOL = "ARROW_DEFAULT_MEMORY_POOL"
"""Variable for Arrow's allocator. Arrow's own keeps 60 MB of freed memory; the system's returns freed memory."""

MALLOC: Final = {"MALLOC_MMAP_THRESHOLD_": (-3, 2**20), "MALLOC_ARENA_MAX": (-8, 2)}
"""Variables of glibc, with the parameters of `mallopt` that they set and our values.

Blocks of 1 MiB go back to the system as they are freed; threads share two heaps, and not eight for each core, of which
each would keep its own free blocks.
"""


def switch_off() -> None:
    """Switch off telemetry, price downloads and the like, whatever the user's shell says.

    The user's shell can override the settings that concern memory.
    """
    os.environ.update(QUIET)
    os.environ.setdefault(ARROW_POOL, "system")
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    for variable, (parameter, value) in MALLOC.items():
        if mallopt is not None and variable not in os.environ:
            mallopt(parameter, value)
