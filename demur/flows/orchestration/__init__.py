"""Prefect for a round: its temporary API, Secret blocks, schedules, and logs of its runs."""
