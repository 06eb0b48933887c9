"""Files of graded completions, one JSON object per line, made by any grader: what weights are fitted to.

A line has prompt_id, completion_id, behaviour, label and features (name to number), and may have base_reward.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from flows.errors import FlowError
from levers.policies import OURS, Policy, load_policy
from scoring.comparisons import Completions

Finite = Annotated[float, Field(allow_inf_nan=False, strict=True)]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    prompt_id: StrictStr | StrictInt
    completion_id: StrictStr | StrictInt
    behaviour: str
    label: str
    features: Annotated[dict[str, Finite], Field(min_length=1)]
    base_reward: Finite | None = None


@dataclass(frozen=True, slots=True)
class GradedFile:
    """Completions by behaviour, in the order of first appearance, and the file's checksum.

    `has_base` says of each behaviour whether base rewards are given.
    """

    path: Path
    sha256: str
    completions: dict[str, Completions]
    has_base: dict[str, bool]


def read_graded(path: Path, use_base: bool = True) -> GradedFile:
    """Return a file's completions; without `use_base`, base rewards are left out.

    Raises:
        FlowError: a line cannot be used, a completion stands twice, or lines of one behaviour differ in their features.
    """
    try:
        raw = path.read_bytes()
        lines = raw.decode("utf-8-sig").split("\n")
    except OSError as exc:
        raise FlowError(f"{path}: cannot be read ({exc.strerror}). Name a JSONL file of graded completions") from exc
    except UnicodeDecodeError as exc:
        line = exc.object.count(b"\n", 0, exc.start) + 1
        raise FlowError(f"{path}:{line}: is not UTF-8. Save the file as UTF-8") from exc
    parts: dict[str, list[tuple[int, _Line]]] = {}
    seen: dict[tuple[str, str, str], int] = {}
    for number, text in enumerate(lines, start=1):
        if text.strip():
            row = _parsed(path, number, text)
            key = (row.behaviour, str(row.prompt_id), str(row.completion_id))
            if key in seen:
                raise FlowError(
                    f"{path}:{number}: completion_id '{row.completion_id}' of prompt_id '{row.prompt_id}' stands in "
                    f"line {seen[key]} already. Remove one"
                )
            seen[key] = number
            parts.setdefault(row.behaviour, []).append((number, row))
    if not parts:
        raise FlowError(f"{path}: holds no rows. Give one JSON object per line")
    read = {name: _completions(path, rows, use_base) for name, rows in parts.items()}
    given = {name: use_base and rows[0][1].base_reward is not None for name, rows in parts.items()}
    return GradedFile(path, hashlib.sha256(raw).hexdigest(), read, given)


def policy_for(path: Path, behaviours: Iterable[str], name: str | None) -> Policy:
    """Return the named policy, or that one of ours which has all behaviours of a file.

    Raises:
        FlowError: no policy has them all, or the named one does not.
    """
    wanted = list(behaviours)
    if name is not None:
        policy = load_policy(name)
        return _with_all(path, policy, wanted)
    ours = [load_policy(file) for file in sorted(OURS.glob("*.yaml"))]
    fitting = [policy for policy in ours if set(wanted) <= {behaviour.name for behaviour in policy.behaviours}]
    if len(fitting) != 1:
        known = "; ".join(f"{p.name}: {', '.join(b.name for b in p.behaviours)}" for p in ours)
        raise FlowError(
            f"{path}: behaviours {', '.join(wanted)} are not those of one of our policies ({known}). Name "
            "yours with --policy"
        )
    return fitting[0]


def check_labels(path: Path, policy: Policy, behaviour: str, labels: Sequence[str]) -> None:
    """Refuse labels that the policy does not order.

    Raises:
        FlowError: naming them and those there are.
    """
    known = [label.name for label in policy.behaviour(behaviour).labels]
    if unknown := sorted(set(labels) - set(known)):
        raise FlowError(
            f"{path}: labels {', '.join(unknown)} are none of behaviour '{behaviour}' of policy '{policy.name}', which "
            f"orders {', '.join(known)}. Rename them, or name another policy"
        )


def _with_all(path: Path, policy: Policy, wanted: Sequence[str]) -> Policy:
    known = [behaviour.name for behaviour in policy.behaviours]
    if unknown := [name for name in wanted if name not in known]:
        raise FlowError(
            f"{path}: behaviours {', '.join(unknown)} are none of policy '{policy.name}', which has {', '.join(known)}"
        )
    return policy


def _parsed(path: Path, number: int, text: str) -> _Line:
    try:
        return _Line.model_validate(json.loads(text))
    except json.JSONDecodeError as exc:
        raise FlowError(f"{path}:{number}: is not JSON ({exc.msg}, column {exc.colno}). Correct or remove it") from exc
    except RecursionError as exc:
        raise FlowError(f"{path}:{number}: is nested too deeply. Correct or remove it") from exc
    except ValidationError as exc:
        problem = exc.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in problem["loc"]) or "the line"
        raise FlowError(f"{path}:{number}: {place}: {problem['msg']}. Correct or remove it") from exc


def _completions(path: Path, rows: list[tuple[int, _Line]], use_base: bool) -> Completions:
    first_line, first = rows[0]
    names = tuple(first.features)
    for number, row in rows:
        if row.features.keys() != first.features.keys():
            odd = ", ".join(sorted(row.features.keys() ^ first.features.keys()))
            raise FlowError(
                f"{path}:{number}: features differ from line {first_line} of the same behaviour in {odd}. Grade all "
                "completions of a behaviour on the same features"
            )
        if (row.base_reward is None) != (first.base_reward is None) and use_base:
            raise FlowError(
                f"{path}:{number}: base_reward is given for some completions of behaviour '{row.behaviour}' only. Give "
                "all or none, or fit with --without-base"
            )
    return Completions.of(
        names,
        [[row.features[name] for name in names] for _, row in rows],
        [str(row.prompt_id) for _, row in rows],
        [row.label for _, row in rows],
        [row.base_reward or 0.0 for _, row in rows] if use_base else None,
    )
