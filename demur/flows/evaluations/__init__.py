"""Evaluations of models on frozen releases: requests, boards, reviews, agreement of judges with people, differences."""

from typing import Final

REPLICATES: Final = 1_000
"""Replicates of the bootstrap for comparisons of evaluations, releases and judges."""
