"""DO: Prefect flows and tasks, round configuration, settings, the command line. May import every other room."""

from demur.configuration.settings import disable_telemetry, wait_for_prefect
from demur.flows.orchestration.run_logging import log_messages_only

disable_telemetry()
wait_for_prefect()
log_messages_only()
