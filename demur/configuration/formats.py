"""File formats of commands, in a module of their own that imports nothing heavy."""

from enum import StrEnum


class PairFormat(StrEnum):
    """Formats of preference pairs."""

    JSONL = "jsonl"
    PARQUET = "parquet"


class LogFormat(StrEnum):
    """Tools whose logs of exported tasks are read."""

    INSPECT = "inspect"
    LM_EVAL = "lm-eval"
