"""Options of configurations.

The options have a module of their own, so that DSPy is not loaded with them.
"""

from enum import StrEnum


class Grading(StrEnum):
    """Ways of grading: one call for all propositions, or a call with log-probabilities for each proposition."""

    PROPOSITIONS = "propositions"
    ONE_BY_ONE = "one_by_one"


class PassageMode(StrEnum):
    """Sources of passages: given with each question, or found by a system in its index."""

    GIVEN = "given"
    INDEX = "index"


class Prompts(StrEnum):
    """Sets of prompts for respondents: published or ours, or plain words. Only plain words have no refusal codes."""

    PUBLISHED = "published"
    OURS = "ours"
    PLAIN = "plain"


class FileKind(StrEnum):
    """Contents of a file's lines: completions to grade, completions with known grades, or responses to judge."""

    COMPLETIONS = "completions"
    GOLD = "gold"
    RESPONSES = "responses"
