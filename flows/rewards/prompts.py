"""Prompts that completions are written to: the round's own items, or those that a policy brings."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from demur.flows.configuration.fit import ITEM_POLICY
from demur.flows.engine.context import RoundContext
from demur.flows.engine.instances import passage_records
from demur.flows.errors import ConfigError
from demur.levers.errors import LeverError
from demur.levers.policies import Policy
from demur.levers.vocabulary import Code


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that completions are written to: a free one, or an item with its grounding."""

    prompt_id: str
    behaviour: str
    prompt: str
    facts: Mapping[str, bool]
    material: Mapping[str, str] | None
    grounding: Mapping[str, Any] | None
    lever_class: str | None = None
    intensity: str | None = None


def policy_scope(context: RoundContext, policy: str) -> str:
    """Return what the units of a policy belong to: the round, or the policy itself."""
    return context.round_id if policy == ITEM_POLICY else f"policy/{policy}"


def item_behaviour(expected: str) -> str:
    """Return the behaviour of selective_refusal that an item asks for."""
    return "answer" if expected == Code.ANSWER_CORRECTLY else "refuse"


def grounding_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a completion about an item is judged against."""
    return {
        "question": item["question"],
        "passages": passage_records(item["passages"]),
        "reference_answers": list(item["answers"]) if item["expected"] == Code.ANSWER_CORRECTLY else [],
        "expected_behaviour": item["expected"],
    }


def own_prompts(context: RoundContext, policy: Policy) -> list[Prompt]:
    """Return the prompts of the file that the configuration names for a policy, in file order.

    Raises:
        ConfigError: the file cannot be read or holds no prompts, or a line is no prompt of this policy.
    """
    path = _file_of(context, policy)
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as exc:
        raise ConfigError(f"prompts of policy '{policy.name}': {path}: cannot be read ({exc.strerror})") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"prompts of policy '{policy.name}': {path}: is not UTF-8. Save the file as UTF-8") from exc
    found: dict[str, Prompt] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            prompt = _prompt(policy, json.loads(line))
        except (ValueError, RecursionError, LeverError) as exc:  # of JSON, of pydantic, our own
            raise ConfigError(
                f"{path}:{number}: is no prompt of policy '{policy.name}': {_reason(exc)}. A line is a JSON object "
                f"with id, behaviour ({', '.join(behaviour.name for behaviour in policy.behaviours)}) and prompt"
            ) from exc
        if prompt.prompt_id in found:
            raise ConfigError(
                f"{path}:{number}: id '{prompt.prompt_id}' stands there before. Give every prompt its own"
            )
        found[prompt.prompt_id] = prompt
    if not found:
        raise ConfigError(f"{path}: holds no prompts for policy '{policy.name}'. Give one JSON object per line")
    return list(found.values())


class _Line(BaseModel):
    """A line of such a file; what else stands there are facts about the prompt, or the user's own."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    id: str = Field(min_length=1)
    behaviour: str
    prompt: str = Field(min_length=1)
    facts: dict[str, str] | None = None


def _file_of(context: RoundContext, policy: Policy) -> Path:
    config = context.config.fit
    named = next(name for name, each in zip(config.policies, context.policies, strict=True) if each.name == policy.name)
    file = config.prompts_of(named)
    if file is None:  # a file of a policy that calls itself as ours with items does
        raise ConfigError(f"fit: policy '{policy.name}' has no prompts. Name a JSONL file in fit.prompts")
    return context.file(file)


def _prompt(policy: Policy, row: object) -> Prompt:
    line = _Line.model_validate(row)
    behaviour = policy.behaviour(line.behaviour)
    facts = {}
    for name, default in policy.default_facts.items():
        facts[name] = (line.model_extra or {}).get(name, default)
        if not isinstance(facts[name], bool):
            raise ValueError(f"{name} is {facts[name]!r}, and must be true or false")
    return Prompt(line.id, behaviour.name, line.prompt, facts, line.facts, None)


def _reason(exc: Exception) -> str:
    if isinstance(exc, json.JSONDecodeError):
        return f"it is not JSON ({exc.msg}, column {exc.colno})"
    if not isinstance(exc, ValidationError):
        return str(exc).rstrip(".")
    problem = exc.errors(include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"{place}: {problem['msg']}" if place else "it is no JSON object"
