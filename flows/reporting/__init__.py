"""What people see of a round: the report's frames, the release's card, artifacts in Prefect's interface."""
