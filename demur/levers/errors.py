"""The one error that this room raises."""


class LeverError(Exception):
    """A lever catalogue, taxonomy or policy file that cannot be used.

    The message names file, line, field, actual value, what is allowed and the remedy.
    """


class FieldFault(ValueError):
    """A fault of one field, raised by a rule over several fields; `path` leads to the field from the rule's model."""

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.path = path
