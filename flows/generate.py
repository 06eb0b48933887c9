"""Generate: every generator pulls one lever of every stratum on every base instance; code checks come with it.

A generator may decline; what it makes is checked by code before any verifier is paid. Expected behaviour is derived
from the stratum, never taken from what a model echoes.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager

from flows.context import RoundContext
from flows.payload import PlannedUnit, base_of, passage_records, planned_unit, stratum_of
from flows.settings import keys_of
from flows.shard import Rows, Unit, UnitWork
from flows.stage import Stage
from levers.models import Lever
from programs.adapter import fingerprint
from programs.checks import CheckResult, Outcome, check
from programs.checks.duplicates import duplicate_key
from programs.generator import Generated, Generator, generate
from programs.instances import BaseInstance, Stratum
from programs.lanes.factory import open_models
from programs.strata import stratum_brief
from warehouse.connection import Connection
from warehouse.records import records


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    program = fingerprint(Generator())
    generation = context.config.generation
    generators = context.specs(context.config.roles.generators)
    for base in records(con, "plan_generate", [context.round_id]):
        passages = passage_records(base["passages"])
        for lever_class in generation.classes:
            for intensity in generation.intensities:
                on_offer = context.catalogue.stratum(lever_class, intensity)
                brief = stratum_brief(lever_class, intensity)
                for replicate in range(generation.replicates):
                    levers = _offered(context, str(base["base_id"]), replicate, on_offer)
                    for spec in generators:
                        inputs = {
                            **base,
                            "passages": passages,
                            "class": lever_class.value,
                            "intensity": intensity.value,
                            "generator": spec.name,
                            "replicate": replicate,
                            "levers": [lever.id for lever in levers],
                        }
                        decisive = (
                            program,
                            spec.fingerprint,
                            brief.digest,
                            *(_lever_digest(lever) for lever in levers),
                        )
                        yield planned_unit(
                            context,
                            "generate",
                            inputs,
                            *decisive,
                            lever_class=lever_class.value,
                            intensity=intensity.value,
                        )


def _offered(context: RoundContext, base_id: str, replicate: int, levers: Sequence[Lever]) -> Sequence[Lever]:
    """All levers of the stratum, or the one that the round assigns, drawn uniformly for each base and replicate."""
    if context.config.generation.lever_choice == "generator" or not levers:
        return levers
    stratum = f"{levers[0].lever_class}|{levers[0].intensity}"
    return (context.rng("lever", base_id, stratum, str(replicate)).choice(list(levers)),)


def _lever_digest(lever: Lever) -> str:
    return f"{lever.id}|{lever.name}|{lever.instruction}|{lever.target}|{lever.answer}|{lever.recipe}"


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    specs = context.specs(context.config.roles.generators)
    program = Generator()
    async with open_models(specs, "generator", keys_of(specs), context.catalogue) as models:

        async def work(unit: Unit) -> Rows:
            inputs = unit.inputs
            base = base_of(inputs)
            lever_class, intensity = stratum_of(inputs)
            levers = [context.catalogue.lever(lever_id) for lever_id in inputs["levers"]]
            made = await generate(
                program, models[inputs["generator"]], base, stratum_brief(lever_class, intensity), levers
            )
            return _rows(context, unit, base, made)

        yield work


def _rows(context: RoundContext, unit: Unit, base: BaseInstance, made: Generated) -> Rows:
    inputs = unit.inputs
    row: dict[str, object] = {
        **unit.key(context.round_id),
        "call_id": unit.scope.last_call_id,
        "perturbation_id": unit.unit_id,
        "base_id": inputs["base_id"],
        "class": inputs["class"],
        "intensity": inputs["intensity"],
        "generator": inputs["generator"],
        "replicate": inputs["replicate"],
        "status": "declined",
        "reason": made.declined,
        "lever_id": None,
        "lever": None,
        "question": None,
        "changed": [],
        "content_key": None,
        "reasoning": made.reasoning,
        "answer_constraint": made.answer_constraint,
        "intensity_claimed": made.intensity_claimed.value,
        "behaviour_claimed": made.behaviour_claimed.value,
    }
    if made.perturbation is None:
        return {"perturbations": [row]}
    perturbation = made.perturbation
    lever_class, intensity = stratum_of(inputs)
    lever = context.catalogue.named(perturbation.lever)
    results = check(base, perturbation, lever, Stratum(lever_class=lever_class, intensity=intensity))
    failed = [result.name.value for result in results if result.outcome is Outcome.FAIL]
    row |= {
        "status": "rejected" if failed else "candidate",
        "reason": ", ".join(failed) or None,
        "lever_id": lever.id if lever else None,
        "lever": perturbation.lever,
        "question": perturbation.question,
        "changed": [{"index": change.index, "text": change.text} for change in perturbation.changed],
        "content_key": duplicate_key(base, perturbation),
    }
    return {"perturbations": [row], "checks": [_check_row(context, unit, result) for result in results]}


def _check_row(context: RoundContext, unit: Unit, result: CheckResult) -> dict[str, object]:
    return {
        **unit.key(context.round_id),
        "perturbation_id": unit.unit_id,
        "class": unit.inputs["class"],
        "intensity": unit.inputs["intensity"],
        "check_name": result.name.value,
        "outcome": result.outcome.value,
        "evidence": result.evidence,
    }


GENERATE = Stage("generate", "perturbations", _plan, _open, lambda context: context.config.roles.generators)
