"""Prefect as a round needs it: its temporary API, Secret blocks, schedules, and what its runs log."""
