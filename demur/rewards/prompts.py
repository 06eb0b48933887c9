"""Prompts of completions: items of the round, or the prompts in a file for a policy."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from demur.configuration.sections import ITEM_POLICY
from demur.engine.context import RoundContext
from demur.errors import ConfigError, FlowError
from demur.levers.explain import LeverError
from demur.levers.instances import passage_records, without_english
from demur.levers.policy_models import Policy
from demur.levers.vocabulary import Code
from demur.rewards.graded_files import read_lines


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt for completions: a prompt from a file, or an item with its grounding."""

    prompt_id: str
    behaviour: str
    prompt: str
    facts: Mapping[str, bool]
    material: Mapping[str, str] | None
    grounding: Mapping[str, Any] | None
    lever_class: str | None = None
    intensity: str | None = None


def policy_scope(context: RoundContext, policy: str) -> str:
    """Return the scope in which a policy's unit ids are unique.

    The scope is the round for the policy of items, and the policy itself for other policies.
    """
    return context.round_id if policy == ITEM_POLICY else f"policy/{policy}"


def item_behaviour(expected: str) -> str:
    """Return the behaviour of the policy selective_refusal that an item's expected code demands."""
    return "answer" if expected == Code.ANSWER_CORRECTLY else "refuse"


def grounding_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the passages and answers of an item, which are needed to judge completions."""
    return {
        "question": item["question"],
        "passages": passage_records(item["passages"]),
        "reference_answers": list(item["answers"]) if item["expected"] == Code.ANSWER_CORRECTLY else [],
        "expected_behaviour": item["expected"],
        **without_english({"language": item["language"]}),
    }


def own_prompts(context: RoundContext, policy: Policy) -> list[Prompt]:
    """Return the prompts of a policy's configured file, in the order of the file.

    Raises:
        ConfigError: the configuration names no file for the policy.
        FlowError: the file cannot be read or has no prompts, or a line is not a prompt of the policy.
    """
    path = _file_of(context, policy)
    behaviours = ", ".join(behaviour.name for behaviour in policy.behaviours)
    shape = f"Prompts of policy '{policy.name}' are JSON objects with id, behaviour ({behaviours}) and prompt"
    found: dict[str, Prompt] = {}
    for number, line in read_lines(PromptLine, path, shape)[1]:
        try:
            prompt = _prompt(policy, line)
        except (ValueError, LeverError) as exc:
            raise FlowError(f"{path}:{number}: {str(exc).rstrip('.')}. {shape}") from exc
        if prompt.prompt_id in found:
            raise FlowError(
                f"{path}:{number}: id '{prompt.prompt_id}' is on an earlier line too. Give every prompt its own id"
            )
        found[prompt.prompt_id] = prompt
    return list(found.values())


class PromptLine(BaseModel):
    """A line of a file of prompts. Fields besides these are facts about the prompt, if the policy has such facts."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    id: str = Field(min_length=1)
    behaviour: str
    prompt: str = Field(min_length=1)
    facts: dict[str, str] | None = None


def _file_of(context: RoundContext, policy: Policy) -> Path:
    config = context.config.fit
    named = next(name for name, each in zip(config.policies, context.policies, strict=True) if each.name == policy.name)
    file = config.prompts_of(named)
    if file is None:  # a policy file of the user with the name of the policy of items
        raise ConfigError(f"fit: policy '{policy.name}' has no prompts. Name a JSONL file in fit.prompts")
    return context.file(file)


def _prompt(policy: Policy, line: PromptLine) -> Prompt:
    behaviour = policy.behaviour(line.behaviour)
    facts = {}
    for name, default in policy.default_facts.items():
        facts[name] = (line.model_extra or {}).get(name, default)
        if not isinstance(facts[name], bool):
            raise ValueError(f"{name} is {facts[name]!r}, but must be true or false")
    return Prompt(line.id, behaviour.name, line.prompt, facts, line.facts, None)
