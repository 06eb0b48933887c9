"""RUN: Prefect deployments, round configurations and embedded corpora; no code lives here."""
