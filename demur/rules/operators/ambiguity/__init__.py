"""Ambiguities: a name that two things bear, a value of which there are two, a question without what it points to."""

from demur.rules.operators.ambiguity import asides, bearers, questions

__all__ = ["asides", "bearers", "questions"]
