"""What all stages have in common: units, shards, journals, budget, state of processes, landing, gates, progress.

Code belongs here if every stage needs it and none is named in it. A stage belongs to `flows/stages`, the models that
it asks to `lanes`, tables and the loading of landed files to `warehouse`.
"""

from demur.engine.run_logging import log_messages_only

log_messages_only()
