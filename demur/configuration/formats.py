"""Formats of files written and read by commands, in a module of its own so that `--help` imports nothing heavy."""

from enum import StrEnum


class PairFormat(StrEnum):
    """A format of preference pairs."""

    JSONL = "jsonl"
    PARQUET = "parquet"


class LogFormat(StrEnum):
    """A tool that ran an exported task, and whose logs are read."""

    INSPECT = "inspect"
    LM_EVAL = "lm-eval"
