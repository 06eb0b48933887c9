"""The one error that this room raises."""


class ScoringError(Exception):
    """Numbers that cannot be computed from the arguments.

    The message names the argument, its actual value, what is allowed and the remedy.
    """
