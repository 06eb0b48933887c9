"""The data of reports, the card of a release, provenance of scores, and artifacts in Prefect's interface."""
