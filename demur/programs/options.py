"""Options of configurations, in a module of their own that does not load DSPy."""

from enum import StrEnum


class Grading(StrEnum):
    """Ways of grading: one call for all propositions, or one call for each, with grades from log-probabilities."""

    PROPOSITIONS = "propositions"
    ONE_BY_ONE = "one_by_one"


class PassageMode(StrEnum):
    """Sources of passages: given with each question, or found by a system in its index."""

    GIVEN = "given"
    INDEX = "index"


class Prompts(StrEnum):
    """Sets of prompts for respondents: published or ours, both with codes, or plain words without codes."""

    PUBLISHED = "published"
    OURS = "ours"
    PLAIN = "plain"


class FileKind(StrEnum):
    """Contents of a file's lines: completions to grade, completions with known grades, or responses to judge."""

    COMPLETIONS = "completions"
    GOLD = "gold"
    RESPONSES = "responses"
