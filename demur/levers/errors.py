"""Errors of levers, taxonomy and policies."""


class LeverError(Exception):
    """A lever catalogue, taxonomy or policy file cannot be used.

    The message gives file, line, field, value, allowed values and remedy.
    """


class FieldFault(ValueError):
    """A fault of one field, found by a rule over several fields; `path` leads from the rule's model to the field."""

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.path = path
