"""JSONL files as typed lines. An error gives file and line number, but no text of the file."""

from pathlib import Path
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from demur.corpora.faults import FaultReason, RowFault
from demur.corpora.jsonl import parse_record, raw_lines
from demur.errors import FlowError
from demur.levers.explain import first_fault
from demur.warehouse.releases.manifest import sha256

Line = TypeVar("Line", bound=BaseModel)
_FOUND: Final = {
    FaultReason.MALFORMED_JSON: "is not JSON",
    FaultReason.NOT_AN_OBJECT: "is no JSON object",
    FaultReason.NOT_UTF8: "is not UTF-8",
    FaultReason.NUL_CHARACTER: "holds a NUL byte",
    FaultReason.LINE_TOO_LONG: "is too long",
}


def read_lines(
    kind: type[Line], path: Path, shape: str, *, extra: Literal["forbid"] | None = None
) -> tuple[str, list[tuple[int, Line]]]:
    """Return a file's SHA-256, and the file's lines with their numbers, without blank lines.

    Args:
        kind: the model of a line.
        path: the file.
        shape: the remedy in errors, such as "Give one completion per line".
        extra: `forbid` refuses unknown fields; None for the model's own rule.

    Raises:
        FlowError: the file cannot be read or has no lines, or a line does not fit the model.
    """
    found = []
    for line in raw_lines(path):
        try:
            found.append((line.number, kind.model_validate(parse_record(line), extra=extra)))
        except RowFault as exc:
            raise FlowError(f"{path}:{line.number}: {_FOUND[exc.reason]}. {shape}") from exc
        except ValidationError as exc:
            raise FlowError(f"{path}:{line.number}: {first_fault(exc)}. {shape}") from exc
    if not found:
        raise FlowError(f"{path}: holds no rows. {shape}")
    return sha256(path), found
