"""The one error that this room raises."""


class LeverError(Exception):
    """A lever catalogue, taxonomy or policy file that cannot be used.

    The message names file, line, field, actual value, what is allowed and the remedy.
    """


class FieldFault(ValueError):
    """What is wrong with one field, raised by a rule that looks at several; `path` leads to it from there."""

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.path = path
