"""What a configuration chooses between; apart, so that it is read without loading DSPy."""

from enum import StrEnum


class Grading(StrEnum):
    """All propositions in one call, or one question for each, answered by log-probabilities."""

    PROPOSITIONS = "propositions"
    ONE_BY_ONE = "one_by_one"


class PassageMode(StrEnum):
    """How respondents come to passages: each question is given its own, or a system finds them in its index."""

    GIVEN = "given"
    INDEX = "index"


class Prompts(StrEnum):
    """The sets of prompts for respondents: the published ones or ours, which tell codes, or plain words without any."""

    PUBLISHED = "published"
    OURS = "ours"
    PLAIN = "plain"


class FileKind(StrEnum):
    """What the lines of a file are: completions to grade, completions with known grades, or responses to judge."""

    COMPLETIONS = "completions"
    GOLD = "gold"
    RESPONSES = "responses"
