"""The stage engine: units, shards, journal, budget, loading, gate."""

from demur.engine.run_logging import log_messages_only

log_messages_only()
