"""Use of Prefect servers: a temporary server for one process, and the schedules of demur's deployments."""
