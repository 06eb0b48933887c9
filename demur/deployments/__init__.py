"""Data files: Prefect deployments, round configurations, embedded corpora and recordings, containers and clusters.

No code belongs here. Named round configurations belong to `rounds`, texts of embedded rounds to `corpora`, and recorded
replies to `recordings`. The flows of the deployments belong to `flows`.
"""
