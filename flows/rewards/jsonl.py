"""JSONL files of completions as typed lines; errors name file and line, and no text of them."""

import hashlib
import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from demur.flows.errors import FlowError

Line = TypeVar("Line", bound=BaseModel)


def read_lines(kind: type[Line], what: str, path: Path, name: str) -> tuple[str, list[tuple[int, Line]]]:
    """Return a file's SHA-256 and its lines by number; blank ones are left out.

    Args:
        kind: the model of a line.
        what: what stands on a line, as in "one completion".
        path: the file.
        name: what the file is, as in "a gold file".

    Raises:
        FlowError: the file cannot be read, is not UTF-8 or has no lines, or a line is not what the model has.
    """
    try:
        raw = path.read_bytes()
    except OSError as exc:
        raise FlowError(f"{path}: cannot be read ({exc.strerror}). Name {name} (JSONL)") from exc
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as exc:
        line = raw.count(b"\n", 0, exc.start) + 1
        raise FlowError(f"{path}:{line}: is not UTF-8. Save the file as UTF-8") from exc
    found = [(at, _line(kind, what, path, at, text)) for at, text in enumerate(lines, start=1) if text.strip()]
    if not found:
        raise FlowError(f"{path}: holds no rows. Name {name} with one JSON object per line")
    return hashlib.sha256(raw).hexdigest(), found


def _line(kind: type[Line], what: str, path: Path, number: int, text: str) -> Line:
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
