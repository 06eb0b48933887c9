"""Frames of a round's report, the card of its release, its costs, and artifacts in Prefect's interface."""
