"""Choices of commands and configurations, such as prompts and formats. This module imports nothing heavy."""

from enum import StrEnum

# Options of configurations.
#
# The options have a module of their own, so that DSPy is not loaded with them.


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


# File formats of commands, in a module of their own that imports nothing heavy.


class PairFormat(StrEnum):
    """Formats of preference pairs."""

    JSONL = "jsonl"
    PARQUET = "parquet"


class LogFormat(StrEnum):
    """Tools whose logs of exported tasks are read."""

    INSPECT = "inspect"
    LM_EVAL = "lm-eval"
