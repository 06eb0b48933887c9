"""Contradictions: what a passage says once more, as a second source, with one value exchanged."""

from demur.rules.operators.contradiction import details, sources, undoing

__all__ = ["details", "sources", "undoing"]
