"""Rounds in which a model grades or judges the lines of a file."""
