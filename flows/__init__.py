"""DO: Prefect flows and tasks, round configuration, settings, the command line. May import every other room."""
