"""The names of a service's fields, as parameters of its spec."""

from typing import Any, Final

from pydantic import JsonValue

SENT: Final = ("question", "passages")
READ: Final = ("answer", "citations", "retrieved")


def check_fields(parameters: dict[str, JsonValue], **_: Any) -> None:
    """Refuse what does not name a field of a service's JSON.

    Raises:
        ValueError: saying which names there are.
    """
    for name, value in parameters.items():
        if name not in (*SENT, *READ):
            raise ValueError(f"'{name}' names no field of a service's JSON: {', '.join((*SENT, *READ))} do")
        if not isinstance(value, str) or not value or (name in SENT and "." in value):
            raise ValueError(f"{name} {value!r} must be the name of a field, such as '{name}'")
    if parameters.get("question", "question") == parameters.get("passages", "passages"):
        raise ValueError("question and passages name one field: give each its own")
