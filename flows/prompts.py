"""What completions are written to: the round's own items, or the prompts that a policy brings."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.context import RoundContext
from flows.errors import ConfigError
from flows.payload import passage_records
from levers.policies import Policy, load_policy
from levers.vocabulary import Code
from warehouse.connection import Connection
from warehouse.records import records

ITEM_POLICY = "selective_refusal"
"""The policy whose prompts are the round's own items; every other one brings prompts."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What completions are written to: a free prompt, or an item with its grounding."""

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


def policies(context: RoundContext) -> list[Policy]:
    """Return the policies that the round fits."""
    named = (context.file(Path(name)) if Path(name).suffix else name for name in context.config.fit.policies)
    return [load_policy(name) for name in named]


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


def item_prompts(context: RoundContext, con: Connection) -> list[Prompt]:
    """A seeded sample of items, half of them to be refused, half to be answered, where the round has as many."""
    by_behaviour: dict[str, list[Prompt]] = {"refuse": [], "answer": []}
    for item in records(con, "plan_write", [context.round_id]):
        behaviour = item_behaviour(item["expected"])
        by_behaviour[behaviour].append(
            Prompt(
                prompt_id=item["item_id"],
                behaviour=behaviour,
                prompt=item["question"],
                facts={},
                material=None,
                grounding=grounding_of(item),
                lever_class=item["class"],
                intensity=item["intensity"],
            )
        )
    half = context.config.fit.items_for_comparisons // 2
    chosen = []
    for behaviour, prompts in by_behaviour.items():
        rng = context.rng("comparisons", behaviour)
        chosen += rng.sample(prompts, k=min(half, len(prompts)))
    return chosen


def safety_prompts(context: RoundContext, policy: Policy) -> list[Prompt]:
    """The prompts of the file that the configuration names, in file order.

    Raises:
        ConfigError: the file cannot be read, or a line is no prompt of this policy.
    """
    named = context.config.fit.safety_prompts
    assert named is not None  # the configuration demands it
    path = context.file(named)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigError(f"fit.safety_prompts {path}: cannot be read ({exc}). Give a JSONL file in UTF-8") from exc
    prompts = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            behaviour = policy.behaviour(row["behaviour"])
            facts = {name: bool(row.get(name, default)) for name, default in policy.default_facts.items()}
            prompts.append(Prompt(row["id"], behaviour.name, row["prompt"], facts, row.get("facts"), None))
        except (ValueError, KeyError, TypeError) as exc:
            raise ConfigError(
                f"{path}: line {number}: is no prompt of policy {policy.name} ({exc!r}). A line is a JSON object with "
                "id, behaviour and prompt"
            ) from exc
    return prompts
