"""Prefect around rounds: the temporary API of a process, and the schedules of deployments."""
