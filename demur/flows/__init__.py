"""Prefect flows that people run: a round, an evaluation, a file that a model grades or judges, a release made again.

`stages` has a folder for each stage of a round. `planning` estimates the costs of rounds. `rounds`, `evaluations` and
the module `file` check a request and hold the lock of its round. `orchestration` starts a Prefect server for one
process, and lists the schedules of deployments. Code shared by all stages belongs to `engine`, commands to `cli`, pages
to `reports`, and the formats of reward files to `rewards`.
"""

from demur.configuration.settings import wait_for_prefect

wait_for_prefect()
