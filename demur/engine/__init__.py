"""The stage engine: units, shards and tasks, models of a stage, budgets, loading, locks, recordings, progress and logs.

Code belongs here if every stage needs the code, and the code names no stage. Stages belong to `flows/stages`. Models
belong to `lanes`. Tables and the loading of rows belong to `warehouse`.
"""

from demur.engine.logs import log_messages_only

log_messages_only()
