"""Prefect flows. The modules `round`, `evaluation` and `file` define the flows that people run.

Code of flows belongs here: stages (`stages`, a folder each), plans and estimates (`planning`), sessions (`rounds`,
`evaluations`, `files`), schedules and the temporary API (`orchestration`). Code shared by all stages belongs to
`engine`, commands to `cli`, pages to `reports`, files of rewards to `rewards`.
"""

from demur.configuration.settings import wait_for_prefect

wait_for_prefect()
