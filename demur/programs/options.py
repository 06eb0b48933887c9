"""What a configuration chooses between; apart, so that it is read without loading DSPy."""

from enum import StrEnum


class Grading(StrEnum):
    """All propositions in one call, or one question for each, answered by log-probabilities."""

    PROPOSITIONS = "propositions"
    ONE_BY_ONE = "one_by_one"


class Prompts(StrEnum):
    """The two sets of prompts for respondents: the published ones, or ours."""

    PUBLISHED = "published"
    OURS = "ours"


class FileKind(StrEnum):
    """What the lines of a file are: completions to grade, completions with known grades, or responses to judge."""

    COMPLETIONS = "completions"
    GOLD = "gold"
    RESPONSES = "responses"
