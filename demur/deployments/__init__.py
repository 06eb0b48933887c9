"""Data files: Prefect deployments, round configurations, embedded corpora and recordings, containers and clusters.

This package has no code; the flows that are deployed belong to `flows`. Here, shipped round configurations belong to
the folder `rounds`, the questions and passages of embedded rounds to `corpora`, and recorded replies to `recordings`.
"""
