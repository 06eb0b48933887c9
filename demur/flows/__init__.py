"""Prefect flows: `round` and `evaluation` have a decorated function for everything that people run.

A flow belongs here, with its stages (`stages`, a folder each), plans and estimates (`planning`), sessions (`rounds`,
`evaluations`), schedules and the temporary API (`orchestration`). What every stage shares belongs to `engine`, commands
to `cli`, pages to `reports`, rewards outside a round to `rewards`.
"""

from demur.configuration.settings import wait_for_prefect

wait_for_prefect()
