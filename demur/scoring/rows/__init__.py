"""Results of `demur.scoring` as rows of tables."""

from typing import Final

SEED: Final = 0
"""Of the bootstrap of all scores: the same responses have the same intervals in a round, an evaluation and a file."""
