"""Tools whose logs are read; a module of its own, so that `--help` imports nothing heavy."""

from enum import StrEnum


class LogFormat(StrEnum):
    """A tool that ran an exported task."""

    INSPECT = "inspect"
    LM_EVAL = "lm-eval"
