"""Formats of preference pairs; a module of its own, so that `--help` imports nothing heavy."""

from enum import StrEnum


class PairFormat(StrEnum):
    """A format of preference pairs."""

    JSONL = "jsonl"
    PARQUET = "parquet"
