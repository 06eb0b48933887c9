"""The stage engine: units, shards, journals, budgets, shared state of processes, landing, gates and progress.

Code belongs here if every stage needs it and no stage is named in it. A stage belongs to `flows/stages`, models belong
to `lanes`, tables and the loading of landed files to `warehouse`.
"""

from demur.engine.run_logging import log_messages_only

log_messages_only()
