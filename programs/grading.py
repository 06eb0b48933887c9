"""How a grader asks about propositions; apart, so that a configuration is read without loading DSPy."""

from enum import StrEnum


class Grading(StrEnum):
    """All propositions in one call, or one question for each, answered by log-probabilities."""

    PROPOSITIONS = "propositions"
    ONE_BY_ONE = "one_by_one"
