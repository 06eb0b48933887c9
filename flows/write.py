"""Write: completions that differ in known merits and faults, to learn reward weights from.

The policy selective_refusal takes its prompts from the round's own items. A policy with prompts of its own (safety) is
written, graded and fitted again only when policy, prompts, programs or models change: its units outlive rounds.
"""

import json
import random
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from flows.context import RoundContext
from flows.errors import ConfigError
from flows.payload import passage_records, passages_of, planned_unit
from flows.settings import keys_of
from flows.shard import Rows, Unit, UnitWork
from flows.stage import PlannedUnit, Stage
from levers.policies import Behaviour, Label, Policy, load_policy
from levers.vocabulary import Code
from programs.adapter import fingerprint
from programs.comparison_writer import ComparisonWriter, Grounding, PropositionAim, write_completion
from programs.lanes.factory import open_models
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
    return [load_policy(name) for name in context.config.fit.policies]


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


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    program = fingerprint(ComparisonWriter())
    writer = context.config.model_spec(context.config.roles.writer)
    for policy in policies(context):
        prompts = _items(context, con) if policy.name == ITEM_POLICY else _own_prompts(context, policy)
        for prompt in prompts:
            behaviour = policy.behaviour(prompt.behaviour)
            for label in behaviour.labels:
                for variant in range(label.variants):
                    inputs = _inputs(context, policy, behaviour, prompt, label, variant)
                    yield planned_unit(
                        context,
                        "write",
                        inputs,
                        program,
                        policy.fingerprint,
                        writer.fingerprint,
                        lever_class=prompt.lever_class,
                        intensity=prompt.intensity,
                        scope=policy_scope(context, policy.name),
                    )


def _inputs(
    context: RoundContext, policy: Policy, behaviour: Behaviour, prompt: Prompt, label: Label, variant: int
) -> dict[str, Any]:
    rng = random.Random(f"{policy_scope(context, policy.name)}|{prompt.prompt_id}|{label.name}|{variant}")
    faults = []
    if label.faults is not None:
        least, most = label.faults
        faults = rng.sample(list(behaviour.faults), k=min(len(behaviour.faults), rng.randint(least, most)))
    truth = behaviour.truth(label, faults, prompt.facts)
    return {
        "policy": policy.name,
        "behaviour": behaviour.name,
        "prompt_id": prompt.prompt_id,
        "class": prompt.lever_class,
        "intensity": prompt.intensity,
        "label": label.name,
        "variant": variant,
        "faults": [fault.name for fault in faults],
        "facts": dict(prompt.facts),
        "truth": truth,
        "prompt": prompt.prompt,
        "grounding": prompt.grounding,
        "material": prompt.material,
        "writer": context.config.roles.writer,
    }


def _items(context: RoundContext, con: Connection) -> list[Prompt]:
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


def _own_prompts(context: RoundContext, policy: Policy) -> list[Prompt]:
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


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    specs = context.specs((context.config.roles.writer,))
    program = ComparisonWriter()
    known = {policy.name: policy for policy in policies(context)}
    async with open_models(specs, "writer", keys_of(specs)) as models:

        async def work(unit: Unit) -> Rows:
            inputs = unit.inputs
            policy = known[inputs["policy"]]
            aims = [_aim(policy, name, holds) for name, holds in inputs["truth"].items()]
            completion = await write_completion(
                program,
                models[inputs["writer"]],
                policy=policy.name,
                behaviour=inputs["behaviour"],
                label=inputs["label"],
                variant=inputs["variant"],
                aims=aims,
                prompt=inputs["prompt"],
                grounding=typed_grounding(inputs["grounding"]),
                material=inputs["material"],
            )
            row = {
                **unit.key(context.round_id),
                "call_id": unit.scope.last_call_id,
                "completion_id": unit.unit_id,
                "policy": policy.name,
                "behaviour": inputs["behaviour"],
                "prompt_id": inputs["prompt_id"],
                "class": inputs["class"],
                "intensity": inputs["intensity"],
                "label": inputs["label"],
                "variant": inputs["variant"],
                "faults": inputs["faults"],
                "intended": [{"proposition": name, "holds": holds} for name, holds in inputs["truth"].items()],
                "facts": [{"fact": name, "holds": holds} for name, holds in inputs["facts"].items()],
                "prompt": inputs["prompt"],
                "completion": completion,
                "writer": inputs["writer"],
            }
            return {"completions": [row]}

        yield work


def _aim(policy: Policy, name: str, holds: bool) -> PropositionAim:
    proposition = policy.proposition(name)
    return PropositionAim(name=name, question=proposition.question, definition=proposition.definition, holds=holds)


def typed_grounding(grounding: Mapping[str, Any] | None) -> Grounding | None:
    """Return a grounding as programs take it."""
    if grounding is None:
        return None
    return Grounding(
        question=grounding["question"],
        passages=passages_of(grounding["passages"]),
        reference_answers=tuple(grounding["reference_answers"]),
        expected_behaviour=grounding["expected_behaviour"],
    )


WRITE = Stage("write", "completions", _plan, _open, lambda context: (context.config.roles.writer,))
