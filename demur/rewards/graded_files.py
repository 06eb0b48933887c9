"""JSONL files as typed lines, and files of graded completions, the input of a fit. Any grader may grade."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, Field, StrictInt, StrictStr, ValidationError

from demur.corpora.corpus_rows import FaultReason, RowFault
from demur.corpora.jsonl import parse_record, raw_lines
from demur.errors import FlowError
from demur.levers.explain import first_fault
from demur.levers.lever_models import Strict
from demur.levers.policies import OURS, load_policy
from demur.levers.policy_models import Policy
from demur.scoring.reward_fitting.ordered_pairs import ComparisonData
from demur.warehouse.releases.manifest import sha256

# JSONL files as typed lines. An error gives file and line number, but no text of the file.


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


# Files of graded completions, as input of a fit. The grades may come from any grader.
#
# A file has one JSON object per line. A line has prompt_id, completion_id, behaviour, label and features, and may
# have base_reward. `features` maps names to numbers.


LARGEST: Final = 1e9
"""Largest absolute value of a feature or base reward; larger values exceed the precision of the solver."""

Finite = Annotated[float, Field(allow_inf_nan=False, strict=True, ge=-LARGEST, le=LARGEST)]


class GradedLine(Strict):
    """A line of a file of graded completions."""

    prompt_id: StrictStr | StrictInt
    completion_id: StrictStr | StrictInt
    behaviour: str
    label: str
    features: Annotated[dict[str, Finite], Field(min_length=1)]
    base_reward: Finite | None = None
    class_: str | None = Field(default=None, alias="class", description="of `demur rbr grade`; not read")
    total_reward: float | None = Field(default=None, description="of `demur rbr grade`; not read")


@dataclass(frozen=True, slots=True)
class GradedFile:
    """The completions of a file by behaviour, and the file's SHA-256.

    Behaviours are in order of first appearance. `has_base` tells for each behaviour whether base rewards are used.
    `lines` maps each pair of behaviour and label to the first line with this pair.
    """

    path: Path
    sha256: str
    completions: dict[str, ComparisonData]
    has_base: dict[str, bool]
    lines: Mapping[tuple[str, str], int]


def read_graded(path: Path, use_base: bool = True) -> GradedFile:
    """Return the completions of a file. If `use_base` is false, base rewards are ignored.

    Raises:
        FlowError: a line is invalid, a completion is repeated, or lines of one behaviour have different features.
    """
    sha256, lines = read_lines(GradedLine, path, "Give one graded completion per line, as a JSON object")
    parts: dict[str, list[tuple[int, GradedLine]]] = {}
    seen: dict[tuple[str, str, str], int] = {}
    for number, row in lines:
        key = (row.behaviour, str(row.prompt_id), str(row.completion_id))
        if key in seen:
            raise FlowError(
                f"{path}:{number}: completion_id '{row.completion_id}' of prompt_id '{row.prompt_id}' is already "
                f"on line {seen[key]}. Remove one"
            )
        seen[key] = number
        parts.setdefault(row.behaviour, []).append((number, row))
    read = {name: _completions(path, rows, use_base) for name, rows in parts.items()}
    given = {name: use_base and rows[0][1].base_reward is not None for name, rows in parts.items()}
    lines_of = {(name, row.label): at for name, rows in parts.items() for at, row in reversed(rows)}
    return GradedFile(path, sha256, read, given, lines_of)


def policy_for(graded: GradedFile, name: str | None) -> Policy:
    """Return the policy `name`. If `name` is None, return the built-in policy that has all behaviours of the file.

    Raises:
        FlowError: the policy `name` lacks a behaviour; or `name` is None and there is not exactly one built-in policy
            with all behaviours.
    """
    wanted = list(graded.completions)
    if name is not None:
        return _with_all(graded, load_policy(name))
    ours = [load_policy(file) for file in sorted(OURS.glob("*.yaml"))]
    fitting = [policy for policy in ours if set(wanted) <= {behaviour.name for behaviour in policy.behaviours}]
    if len(fitting) != 1:
        known = "; ".join(f"{p.name}: {', '.join(b.name for b in p.behaviours)}" for p in ours)
        raise FlowError(
            f"{graded.path}: behaviours {', '.join(wanted)} are not those of one of our policies ({known}). Name "
            "your policy with --policy"
        )
    return fitting[0]


def check_labels(graded: GradedFile, policy: Policy, behaviour: str) -> None:
    """Check that the policy has all labels of a behaviour in the file.

    Raises:
        FlowError: a label is unknown; the message names its first line and the known labels.
    """
    known = [label.name for label in policy.behaviour(behaviour).labels]
    found = {label: line for (name, label), line in graded.lines.items() if name == behaviour}
    if unknown := sorted(set(found) - set(known), key=lambda label: found[label]):
        raise FlowError(
            f"{graded.path}:{found[unknown[0]]}: labels {', '.join(unknown)} are not in behaviour '{behaviour}' of "
            f"policy '{policy.name}', which orders {', '.join(known)}. Rename them, or name another policy"
        )


def _with_all(graded: GradedFile, policy: Policy) -> Policy:
    known = [behaviour.name for behaviour in policy.behaviours]
    if unknown := [name for name in graded.completions if name not in known]:
        line = min(at for (name, _), at in graded.lines.items() if name == unknown[0])
        raise FlowError(
            f"{graded.path}:{line}: behaviours {', '.join(unknown)} are not in policy '{policy.name}', which has "
            f"{', '.join(known)}. Rename them, or name another policy"
        )
    return policy


def _completions(path: Path, rows: list[tuple[int, GradedLine]], use_base: bool) -> ComparisonData:
    first_line, first = rows[0]
    names = tuple(first.features)
    for number, row in rows:
        if row.features.keys() != first.features.keys():
            odd = ", ".join(sorted(row.features.keys() ^ first.features.keys()))
            raise FlowError(
                f"{path}:{number}: features {odd} are only on this line or only on line {first_line}. Grade all "
                "completions of a behaviour on the same features"
            )
        if (row.base_reward is None) != (first.base_reward is None) and use_base:
            raise FlowError(
                f"{path}:{number}: only some completions of behaviour '{row.behaviour}' have a base_reward. Give "
                "all or none, or fit with --without-base"
            )
    return ComparisonData.of(
        names,
        [[row.features[name] for name in names] for _, row in rows],
        [str(row.prompt_id) for _, row in rows],
        [row.label for _, row in rows],
        [row.base_reward or 0.0 for _, row in rows] if use_base else None,
    )
