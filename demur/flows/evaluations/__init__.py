"""Evaluations of models on frozen releases."""

from typing import Final

REPLICATES: Final = 1_000
"""Of the bootstrap by which evaluations, releases and judges are compared."""
