"""Missing information: a detail, the answer, or all that bears on it is taken out of the passages."""

from demur.rules.operators.missing_info import asides, exchanges, excisions, marks, peripheral, times

__all__ = ["asides", "excisions", "exchanges", "marks", "peripheral", "times"]
