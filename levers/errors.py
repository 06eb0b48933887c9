"""The one error that this room raises."""


class LeverError(Exception):
    """A lever catalogue, taxonomy or policy file that cannot be used.

    The message names file, line, field, actual value, what is allowed and the remedy.
    """
