"""The error class of this package."""


class ScoringError(Exception):
    """The arguments do not allow the computation.

    The message names the argument, its actual value, what is allowed and the remedy.
    """
