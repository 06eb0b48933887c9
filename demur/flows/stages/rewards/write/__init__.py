"""The stage write lets a model write completions with known merits and faults. Reward weights are fitted to them.

For the policy selective_refusal, the prompts are items of the round. Other policies, such as safety, have prompts of
their own. Completions, grades and weights of these policies are used again in later rounds, as long as policy, prompts,
programs and models are the same.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from demur.configuration.sections import ITEM_POLICY
from demur.engine.context import RoundContext, digest_of
from demur.engine.models import InRole, ModelLoad, ModelUse, WithModels, YieldRates
from demur.engine.recordings import COMPLETION, ReplyKey, recorded_draws
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.volumes import completions
from demur.lanes.spec import ModelSpec
from demur.levers.instances import cited, language_of, passages_of
from demur.levers.policy_models import Behaviour, Fault, Label, Policy
from demur.programs.completions import ComparisonRequest, ComparisonWriter, write_completion, writer_prompts
from demur.programs.language_variants import fingerprint_in
from demur.programs.model import Model
from demur.programs.signatures.completions import Grounding
from demur.rewards.prompts import Prompt, grounding_of, item_behaviour, own_prompts, policy_scope
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "write"
KEY: Final = ReplyKey(NAME, (*COMPLETION, "label", "variant", "facts", "material"), "writer", ("faults",))
WRITER: Final = InRole("writer")
COMPLETED: Final = ("policy", "behaviour", "prompt_id", "label", "variant", "faults", "writer")
"""Inputs that say which completion is written."""


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    comparison_writer = ComparisonWriter()
    for policy in context.policies:
        (writer,) = WRITER.specs(context)
        if policy.name == ITEM_POLICY:
            prompts = item_prompts(context, con, partial(_is_recorded, writer, policy))
        else:
            prompts = own_prompts(context, policy)
        scope = policy_scope(context, policy.name)
        for prompt in prompts:
            program = fingerprint_in(comparison_writer, language_of(prompt.grounding or {}))
            behaviour = policy.behaviour(prompt.behaviour)
            for label in behaviour.labels:
                for variant in range(label.variants):
                    inputs = _inputs(writer, policy, prompt, label, variant)
                    faults = _faults(writer, behaviour, label, inputs, scope)
                    inputs |= {
                        "faults": [fault.name for fault in faults],
                        "truth": behaviour.truth(label, faults, prompt.facts),
                    }
                    asked = digest_of(_comparison_request(policy, inputs).inputs_of_policy)
                    decisive = program, asked, writer.fingerprint
                    yield planned_unit(context, NAME, COMPLETED, inputs, *decisive, scope=scope)


def _is_recorded(writer: ModelSpec, policy: Policy, prompt: Prompt) -> bool:
    return any(
        recorded_draws(writer, KEY, _inputs(writer, policy, prompt, label, variant))
        for label in policy.behaviour(prompt.behaviour).labels
        for variant in range(label.variants)
    )


def _inputs(writer: ModelSpec, policy: Policy, prompt: Prompt, label: Label, variant: int) -> dict[str, Any]:
    """Return the inputs of the unit of a completion, without its faults.

    The stamp of the unit is a hash of the inputs in this order. For a policy with its own prompts, the id holds the
    stamp: with another order, the completions would be written anew.
    """
    return {
        "policy": policy.name,
        "behaviour": prompt.behaviour,
        "prompt_id": prompt.prompt_id,
        "class": prompt.lever_class,
        "intensity": prompt.intensity,
        "label": label.name,
        "variant": variant,
        "faults": [],
        "facts": dict(prompt.facts),
        "truth": {},
        "prompt": prompt.prompt,
        "grounding": prompt.grounding,
        "material": prompt.material,
        "writer": writer.name,
    }


def _faults(
    writer: ModelSpec, behaviour: Behaviour, label: Label, inputs: Mapping[str, Any], scope: str
) -> list[Fault]:
    """Return the faults that the writer puts into a completion.

    For a recorded writer they are the faults in its recording. If no faults are recorded, they are drawn.
    """
    if label.faults is None:
        return []
    by_name = {fault.name: fault for fault in behaviour.faults}
    for drawn in recorded_draws(writer, KEY, inputs):
        if set(drawn) <= by_name.keys():
            return [by_name[name] for name in drawn]
    rng = random.Random(f"{scope}|{inputs['prompt_id']}|{label.name}|{inputs['variant']}")
    least, most = label.faults
    return _compatible(behaviour, rng.randint(least, most), least, rng)


def _compatible(behaviour: Behaviour, number: int, least: int, rng: random.Random) -> list[Fault]:
    """Draw faults that can occur together in a completion: at least `least` and at most `number` faults."""
    while True:
        chosen: list[Fault] = []
        for fault in rng.sample(behaviour.faults, k=len(behaviour.faults)):
            if len(chosen) < number and all(behaviour.compatible(fault, other) for other in chosen):
                chosen.append(fault)
        if len(chosen) >= least:
            return chosen


def item_prompts(context: RoundContext, con: Connection, is_recorded: Callable[[Prompt], bool]) -> list[Prompt]:
    """Draw a seeded sample of `fit.items_for_comparisons` items, and return the items as prompts.

    Half of them are items to refuse, and half are items to answer; a half is smaller if there are too few such items.
    If `is_recorded` is true for some items of a half, only these items are drawn.
    """
    by_behaviour: dict[str, list[Prompt]] = {"refuse": [], "answer": []}
    for item in records(con, FOLDER / "plan.sql", [context.round_id]):
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
        prompts = [prompt for prompt in prompts if is_recorded(prompt)] or prompts
        chosen += rng.sample(prompts, k=min(half, len(prompts)))
    return chosen


def _work(context: RoundContext, models: Mapping[str, Model]) -> UnitWork:
    program = ComparisonWriter()

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        completion = await write_completion(
            program,
            models[inputs["writer"]],
            _comparison_request(context.policy(inputs["policy"]), inputs),
            prompt=inputs["prompt"],
            grounding=typed_grounding(inputs["grounding"]),
            material=inputs["material"],
            language=language_of(inputs["grounding"] or {}),
        )
        row = {
            **unit.row(context.round_id, "policy", "behaviour", "prompt_id", "class", "intensity", "label", "variant"),
            **{name: inputs[name] for name in ("faults", "prompt", "writer")},
            "completion_id": unit.made_id(COMPLETED, completion, scope=policy_scope(context, inputs["policy"])),
            "intended": [{"proposition": name, "holds": holds} for name, holds in inputs["truth"].items()],
            "facts": [{"fact": name, "holds": holds} for name, holds in inputs["facts"].items()],
            "completion": completion,
        }
        return {"completions": [row]}

    return work


def _comparison_request(policy: Policy, inputs: Mapping[str, Any]) -> ComparisonRequest:
    behaviour = policy.behaviour(inputs["behaviour"])
    return ComparisonRequest(
        policy=policy,
        behaviour=behaviour,
        label=behaviour.label(inputs["label"]),
        variant=inputs["variant"],
        faults=tuple(fault for fault in behaviour.faults if fault.name in inputs["faults"]),
        truth=inputs["truth"],
    )


def typed_grounding(grounding: Mapping[str, Any] | None) -> Grounding | None:
    """Return the inputs `grounding` of a unit as the type that programs take. If `grounding` is None, return None."""
    if grounding is None:
        return None
    return Grounding(
        question=grounding["question"],
        passages=cited(passages_of(grounding["passages"])),
        reference_answers=tuple(grounding["reference_answers"]),
        expected_behaviour=grounding["expected_behaviour"],
    )


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    return WRITER.loads(context, completions(context, rates), writer_prompts)


_OPEN: Final = WithModels(_work, (WRITER,))
WRITE: Final = Stage(NAME, "completions", FOLDER, _plan, _OPEN, ModelUse(_OPEN.models, _loads, KEY))
