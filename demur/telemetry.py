"""Settings of libraries, set when demur is imported, before any of them is: no calls home, and little memory."""

import os

QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "GX_ANALYTICS_ENABLED": "false",
    "RAY_USAGE_STATS_ENABLED": "0",
}


ARROW_POOL = "ARROW_DEFAULT_MEMORY_POOL"
"""Arrow's own allocator keeps what it has freed: 60 MB of a round's process. That of the system gives it back."""


def switch_off() -> None:
    """Switch off telemetry, price downloads and the like, whatever the user's shell says."""
    os.environ.update(QUIET)
    os.environ.setdefault(ARROW_POOL, "system")
