"""Where a release can be exported to; a module of its own, so that `--help` imports nothing heavy."""

from enum import StrEnum


class Tool(StrEnum):
    """A tool that runs or reads releases in a format of its own."""

    INSPECT = "inspect"
    LM_EVAL = "lm-eval"
    HF = "hf"
    TRAINING = "training"
