"""The stage generate lets every generator pull one lever of every stratum on every base instance.

If the lever withholds passages, code makes the perturbation in the place of the generator, and the prover tests it.
A generator may decline. Code checks test each perturbation before any verifier is asked. The expected behaviour of an
item follows from its stratum, never from a model's reply.

If a perturbation fails a code check, its generator is asked for a repair and told what is wrong. With
`generation.repair_verdicts`, the same happens if verifiers reject a perturbation. A repair is a new unit in place of
the old one. The rows of the old unit stay stored, but are no part of the round's results any more.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final

from demur.configuration.settings import keys_of
from demur.engine.context import RoundContext, loader_reading
from demur.engine.models import InRole, ModelLoad, ModelUse, YieldRates
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.items.generate.lever_choice import KEY, NAME, OtherPassages, levers_by_generator, withhold
from demur.flows.stages.questions.prove import PROVER
from demur.flows.stages.volumes import check_row, perturbations, repaired, repairs_of, withheld
from demur.lanes.engine import open_models
from demur.lanes.spec import ModelSpec
from demur.levers.instances import (
    BaseInstance,
    Stratum,
    base_of,
    language_of,
    passage_records,
    perturbation_of,
    stratum_of,
    without_english,
)
from demur.levers.lever_models import Lever
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.checks.changes import Outcome
from demur.programs.checks.duplicates import duplicate_key
from demur.programs.checks.run import check
from demur.programs.document_questions import Prover, prover_prompts
from demur.programs.errors import Halted
from demur.programs.installation import checks_version
from demur.programs.language_variants import fingerprint_in
from demur.programs.perturbation import Generated, Generator, Repairer, generate, generator_prompts
from demur.programs.signatures.perturbation import FailedAttempt
from demur.programs.signatures.taxonomy_text import stratum_brief
from demur.rules.rivals import NO_CORPUS, Corpus
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
_GENERATOR: Final = Generator()
_REPAIRER: Final = Repairer()
GENERATORS: Final = InRole("generator")
SLOT: Final = ("base_id", "class", "intensity", "generator", "replicate")
"""Inputs that say for what a perturbation is made."""
ATTEMPT: Final = (*SLOT, "repair")
HOPELESS: Final = 24
"""A stage ends if none of a model's first perturbations of a shard, so many, can be used. One that plants one defect in
three fails so often once in 17,000 shards.
"""


class UsableWorks:
    """Notes of each model's perturbations whether verifiers can be asked about them, until the first one can."""

    def __init__(self) -> None:
        self._useless: dict[str, list[str]] = {}
        self._able: set[str] = set()

    def note(self, model: str, status: str, failed_checks: str) -> None:
        """Note a perturbation: its status, and the code checks that it fails.

        Raises:
            Halted: it is the last of HOPELESS perturbations of the model, and none of them is a candidate.
        """
        if status == "candidate":
            self._able.add(model)
        if model in self._able:
            return
        useless = self._useless.setdefault(model, [])
        useless.append(status if status == "declined" else f"{status}: {failed_checks}")  # no text of the model
        if len(useless) >= HOPELESS:
            often, times = Counter(useless).most_common(1)[0]
            raise Halted(
                f"none of the first {len(useless)} perturbations of '{model}' can be used ({times} of them "
                f"{often[:200]}). Name another model in roles.generators; gates.acceptance: 0 lets this one go on"
            )


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield a unit for each perturbation to make. If a perturbation is to be repaired, yield the unit of its repair."""
    bases = [without_english(base) for base in records(con, FOLDER / "plan.sql", [context.round_id])]
    draws = {str(base["base_id"]): int(base.pop("draw")) for base in bases}
    checks = checks_version()
    generation = context.config.generation
    by_name = {spec.name: spec for spec in GENERATORS.specs(context)}
    generators = tuple(by_name.values())
    faulty: dict[tuple[str, str], Mapping[str, Any]] = {}
    if any(repairs_of(context, spec) for spec in generators):
        rows = records(con, FOLDER / "faulty.sql", [context.round_id])
        faulty = {(str(row["unit_id"]), str(row["stamp"])): row for row in rows}
    instances = {str(base["base_id"]): base_of(base) for base in bases}
    digests = {lever.id: _lever_digest(lever) for lever in context.catalogue}
    corpus = Corpus.of(instances.values()).digest if any(map(_takes_from_corpus, generators)) else ""
    offers = {
        stratum: levers_by_generator(context, draws, instances, stratum)
        for stratum in product(generation.classes, generation.intensities)
    }
    others: OtherPassages | None = None
    for base in bases:
        passages = passage_records(base["passages"])
        program = fingerprint_in(_GENERATOR, language_of(base))
        repairing = fingerprint_in(_REPAIRER, language_of(base))
        for (lever_class, intensity), offered in offers.items():
            brief = stratum_brief(lever_class, intensity)
            for replicate, name in generation.turns(tuple(by_name), draws[str(base["base_id"])]):
                spec = by_name[name]
                levers = offered[spec.name][str(base["base_id"]), replicate]
                inputs: dict[str, Any] = {
                    **base,
                    "passages": passages,
                    "class": lever_class.value,
                    "intensity": intensity.value,
                    "generator": spec.name,
                    "replicate": replicate,
                    "levers": [lever.id for lever in levers],
                }
                own = (digests[lever.id] for lever in levers)
                known = (corpus,) if _takes_from_corpus(spec) else ()
                decisive = (checks, spec.fingerprint, brief.digest, *own, *known)
                if levers[0].withholds:
                    others = others or OtherPassages.of(context, con, instances)
                    inputs["instead"] = others.instead(instances[str(base["base_id"])])
                    (prover,) = PROVER.specs(context)
                    yield planned_unit(
                        context, NAME, ATTEMPT, inputs, fingerprint(Prover()), prover.fingerprint, *decisive
                    )
                    continue
                unit = planned_unit(context, NAME, ATTEMPT, inputs, program, *decisive)
                for repair in range(1, repairs_of(context, spec) + 1):
                    if unit.key not in faulty:
                        break
                    repaired = {**inputs, "repair": repair, **_attempt(faulty[unit.key])}
                    unit = planned_unit(context, NAME, ATTEMPT, repaired, repairing, *decisive)
                yield unit


def _attempt(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "repaired": {name: row[name] for name in ("lever", "question", "changed")},
        "repair_of": row["perturbation_id"],
        "faults": list(row["faults"]),
    }


def _takes_from_corpus(spec: ModelSpec) -> bool:
    """Return whether a generator or its fallback is a rules model.

    Rules models plant values and passages that they take from other base instances.
    """
    return (spec.fallback or spec).lane.by_rule


def _corpus(context: RoundContext, specs: Iterable[ModelSpec]) -> Corpus:
    """Return the base instances from which rules models take values. It is empty if no generator is a rules model."""
    if not any(map(_takes_from_corpus, specs)):
        return NO_CORPUS
    with loader_reading(context) as con:
        return Corpus.of(base_of(base) for base in records(con, FOLDER / "plan.sql", [context.round_id]))


def _lever_digest(lever: Lever) -> str:
    shown = "|".join(example.model_dump_json() for example in lever.examples)
    frames = "|".join(frame.model_dump_json() for frame in lever.frames)
    return f"{lever.id}|{lever.name}|{lever.instruction}|{lever.target}|{lever.answer}|{lever.recipe}|{frames}|{shown}"


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    specs, provers = GENERATORS.specs(context), PROVER.specs(context)
    by_name = {spec.name: spec for spec in specs}
    works, watched = UsableWorks(), context.config.gates.acceptance > 0
    async with (
        open_models(specs, "generator", keys_of(specs), context.catalogue, _corpus(context, specs)) as models,
        open_models(provers, "prover", keys_of(provers)) as proving,
    ):

        async def work(unit: Unit) -> Rows:
            inputs = unit.inputs
            base = base_of(inputs)
            lever_class, intensity = stratum_of(inputs)
            levers = [context.catalogue.lever(lever_id) for lever_id in inputs["levers"]]
            if "instead" in inputs:
                [prover] = proving.values()
                return _rows(context, unit, base, await withhold(prover, base, levers[0], inputs["instead"]))
            model = models[inputs["generator"]]
            brief = stratum_brief(lever_class, intensity)
            if "repaired" in inputs:
                made = await generate(_REPAIRER, model, base, brief, levers, _failed_attempt(inputs))
            else:
                made = await generate(_GENERATOR, model, base, brief, levers)
            rows = _rows(context, unit, base, made)
            if watched and "repaired" not in inputs and not _takes_from_corpus(by_name[inputs["generator"]]):
                [row] = rows["perturbations"]
                works.note(inputs["generator"], str(row["status"]), str(row["reason"]))
            return rows

        yield work


def _failed_attempt(inputs: Mapping[str, Any]) -> FailedAttempt:
    repaired = inputs["repaired"]
    made = perturbation_of(repaired["question"], repaired["changed"], repaired["lever"])
    return FailedAttempt(
        lever=made.lever,
        perturbed_question=made.question,
        changed_passages=made.changed,
        faults=tuple(inputs["faults"]),
    )


def _rows(context: RoundContext, unit: Unit, base: BaseInstance, made: Generated) -> Rows:
    inputs = unit.inputs
    perturbation_id = unit.made_id(SLOT, inputs.get("repair", 0), made.perturbation and made.perturbation.model_dump())
    assigned = context.config.generation.lever_choice != "generator" and len(inputs["levers"]) == 1
    row: dict[str, object] = {
        **unit.row(context.round_id, *SLOT),
        **dict.fromkeys(("lever_id", "lever", "question", "content_key")),
        "perturbation_id": perturbation_id,
        "status": "declined",
        "reason": made.declined,
        "changed": [],
        "reasoning": made.reasoning,
        "answer_constraint": made.answer_constraint,
        "assigned_lever_id": inputs["levers"][0] if assigned else None,
        "repair": inputs.get("repair", 0),
        "repair_of": inputs.get("repair_of"),
    }
    if made.perturbation is None:
        return {"perturbations": [row]}
    perturbation = made.perturbation
    lever_class, intensity = stratum_of(inputs)
    lever = context.catalogue.named(perturbation.lever)
    stratum = Stratum(lever_class=lever_class, intensity=intensity)
    results = check(base, perturbation, lever, stratum, offered=inputs["levers"])
    failed = [result.name.value for result in results if result.outcome is Outcome.FAIL]
    row |= {
        "status": "rejected" if failed else "candidate",
        "reason": ", ".join(failed) or None,
        "lever_id": lever.id if lever else None,
        "lever": perturbation.lever or None,
        "question": perturbation.question or None,
        "changed": [{"index": change.index, "text": change.text} for change in perturbation.changed],
        "content_key": duplicate_key(base, perturbation),
    }
    key = unit.key(context.round_id)
    return {"perturbations": [row], "checks": [check_row(key, perturbation_id, inputs, result) for result in results]}


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    made = perturbations(context)
    for load in GENERATORS.loads(context, made, generator_prompts):
        yield replace(load, units=load.units + repaired(context, rates, load.spec))
    if made_by_code := withheld(context):
        yield from PROVER.loads(context, made_by_code, prover_prompts)


def _passes(context: RoundContext) -> int:
    return 1 + max(repairs_of(context, spec) for spec in GENERATORS.specs(context))


def _models(context: RoundContext) -> tuple[str, ...]:
    return (*GENERATORS.names(context), *(PROVER.names(context) if withheld(context) else ()))


_USE: Final = ModelUse(_models, _loads, KEY)
GENERATE: Final = Stage(NAME, "perturbations", FOLDER, _plan, _open, _USE, passes=_passes)
