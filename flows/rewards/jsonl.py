"""One line of a file of completions as what it must be, or an error that says where and what to do."""

import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from demur.flows.errors import FlowError

Line = TypeVar("Line", bound=BaseModel)


def read_line(kind: type[Line], what: str, path: Path, number: int, text: str) -> Line:
    """Return a line as a model has it; `what` is what stands on a line, as in "one completion".

    Raises:
        FlowError: it is no JSON object, or not what the model has.
    """
    try:
        found = json.loads(text)
    except json.JSONDecodeError as exc:
        raise FlowError(f"{path}:{number}: is not JSON ({exc.msg}, column {exc.colno}). Correct or remove it") from exc
    except RecursionError as exc:
        raise FlowError(f"{path}:{number}: is nested too deeply. Correct or remove it") from exc
    if not isinstance(found, dict):
        raise FlowError(f"{path}:{number}: is no JSON object. Give {what} per line, as an object")
    try:
        return kind.model_validate(found)
    except ValidationError as exc:
        problem = exc.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise FlowError(f"{path}:{number}: {place}: {problem['msg']}. Correct or remove it") from exc
