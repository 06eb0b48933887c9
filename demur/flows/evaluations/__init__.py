"""Evaluations of models on frozen releases."""

from typing import Final

REPLICATES: Final = 1_000
"""Replicates of the bootstrap for comparisons of evaluations, releases and judges."""
