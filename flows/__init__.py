"""DO: Prefect flows and tasks, round configuration, settings, the command line. May import every other room."""

from demur.flows.orchestration.run_logging import leave_tracebacks_out
from demur.flows.settings import keep_third_parties_quiet

keep_third_parties_quiet()
leave_tracebacks_out()
