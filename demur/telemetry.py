"""Settings that keep libraries from calling home; set when demur is imported, before any of them is."""

import os

QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "GX_ANALYTICS_ENABLED": "false",
    "RAY_USAGE_STATS_ENABLED": "0",
}


def switch_off() -> None:
    """Switch off telemetry, price downloads and the like, whatever the user's shell says."""
    os.environ.update(QUIET)
