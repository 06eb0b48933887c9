"""Rows of tables with the results of `demur.scoring`."""

from typing import Final

SEED: Final = 0
"""Seed of the bootstrap of all scores; equal responses thus have equal intervals in rounds, evaluations and files."""
