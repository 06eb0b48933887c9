"""Prefect deployments, round configurations, embedded corpora and recordings, files for containers and clusters.

No code belongs here. A configuration that people start by name belongs to `rounds`, text that we wrote for the
embedded rounds to `corpora`, replies recorded for them to `recordings`. The flows that deployments name belong to
`flows`.
"""
