"""How preference pairs are written; apart, so that the command line needs nothing heavy for --help."""

from enum import StrEnum


class PairFormat(StrEnum):
    """How pairs are written."""

    JSONL = "jsonl"
    PARQUET = "parquet"
