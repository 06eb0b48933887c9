"""The errors of this room."""


class ReportError(Exception):
    """A report cannot be made from what was given; the message says what is missing and how to give it."""
