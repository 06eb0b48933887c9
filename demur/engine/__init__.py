"""The stage engine: units, shards, stored calls, budgets, shared state of processes, loading, gates and progress.

Code belongs here if every stage needs the code, and the code names no stage. Stages belong to `flows/stages`. Models
belong to `lanes`. Tables and the loading of rows belong to `warehouse`.
"""

from demur.engine.logs import log_messages_only

log_messages_only()
