"""The names of a service's fields, as parameters of its spec."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import JsonValue

SENT: Final = ("question", "passages")
READ: Final = ("answer", "citations", "retrieved")
CHAT: Final = "chat"
"""The model that a service with OpenAI's chat completions is asked for; its answer stands where theirs does."""
CHAT_ANSWER: Final = "choices.0.message.content"


def fields_of(parameters: Mapping[str, JsonValue]) -> dict[str, str]:
    """Return the names of all fields, by their content."""
    usual = {name: name for name in (*SENT, *READ)} | ({"answer": CHAT_ANSWER} if CHAT in parameters else {})
    return usual | {name: str(value) for name, value in parameters.items()}


def check_fields(parameters: dict[str, JsonValue], **_: Any) -> None:
    """Refuse values that do not name a field of a service's JSON.

    Raises:
        ValueError: lists the names.
    """
    for name, value in parameters.items():
        if name not in (*SENT, *READ, CHAT):
            raise ValueError(
                f"'{name}' names no field of a service's JSON: {', '.join((*SENT, *READ))} do; {CHAT} names a model"
            )
        if name in SENT and CHAT in parameters:
            raise ValueError(f"{name} and {CHAT} do not go together: chat completions have messages")
        if not isinstance(value, str) or not value or (name in SENT and "." in value):
            what = "the name of the service's model" if name == CHAT else f"the name of a field, such as '{name}'"
            raise ValueError(f"{name} {value!r} must be {what}")
    if parameters.get("question", "question") == parameters.get("passages", "passages"):
        raise ValueError("question and passages name one field: give each its own")
