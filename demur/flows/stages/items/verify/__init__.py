"""The stage verify asks every verifier for a verdict on every candidate.

The view `consensus` lists the accepted candidates. With `verification.short_circuit`, the verifiers of a candidate are
asked one after the other, in a drawn order, until acceptance is impossible. The stage is then planned several times.
Each plan has, for each candidate, the units of the verdicts so far and the unit of the next verdict. Plans depend only
on the warehouse, so an interrupted round continues as if there had been no interruption. The id of a verdict's unit is
the same with and without `verification.short_circuit`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from demur.engine.context import RoundContext, digest_of
from demur.engine.models import InRole, ModelLoad, ModelUse, WithModels, YieldRates
from demur.engine.recordings import BASE, STRATUM, ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.volumes import round_verifier, verified
from demur.lanes.spec import ModelSpec
from demur.levers.instances import base_of, language_of, passage_records, passages_of, perturbation_of, without_english
from demur.levers.lever_models import VERIFIED
from demur.programs.language_variants import fingerprint_in
from demur.programs.model import Model
from demur.programs.options import Prompts
from demur.programs.perturbation import (
    KeyReader,
    Verdict,
    VerdictOutcome,
    key_prompts,
    read_key,
    verifier_prompts,
    verify,
)
from demur.programs.signatures.perturbation import CHECKS
from demur.programs.signatures.taxonomy_text import stratum_brief
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "verify"
KEY: Final = ReplyKey(NAME, (*BASE, *STRATUM, "lever_id", "perturbed_question", "changed"), "verifier")
VERIFIERS: Final = InRole("verifier")


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    verifier = round_verifier(context)
    key_reader = _key_reader(context)
    roles = context.config.roles
    rule = context.config.verification
    rows = records(con, FOLDER / "verdicts_given.sql", [context.round_id])
    given = {(row["unit_id"], row["stamp"]): row["outcome"] for row in rows}
    for candidate in records(con, FOLDER / "plan.sql", [context.round_id]):
        lever = context.catalogue.lever(str(candidate["lever_id"]))
        brief = stratum_brief(lever.lever_class, lever.intensity)
        inputs = {**without_english(candidate), "passages": passage_records(candidate["passages"])}
        program = fingerprint_in(verifier, language_of(candidate))
        decisive = (brief.digest, lever.name, lever.target, lever.instruction)
        instructions = key_reader.respondent_instructions(passages_of(candidate["passages"]))
        reading = fingerprint_in(key_reader, language_of(candidate)), digest_of(instructions)
        looked_up = lever.model_dump_json(include=set(VERIFIED))
        names = roles.verifiers
        failures = len(roles.verifiers)
        if rule.short_circuit:
            names = _asking_order(context, candidate)
            failures = rule.failures_allowed(len(names))
        for spec in context.specs(names):
            unit = planned_unit(
                context,
                NAME,
                ("perturbation_id", "verifier"),
                {**inputs, "verifier": spec.name},
                program,
                spec.fingerprint,
                *decisive,
                *(reading if _reads_keys(context, spec) else ()),
                *((looked_up,) if spec.lane.by_rule else ()),
            )
            yield unit
            if rule.short_circuit:
                outcome = given.get(unit.key, VerdictOutcome.MISSING)
                failures -= outcome != VerdictOutcome.PASS
                if outcome == VerdictOutcome.MISSING or failures < 0:
                    break


def _asking_order(context: RoundContext, candidate: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of a candidate's counting verifiers, in the order in which they are asked."""
    names = list(context.config.verification.counting(str(candidate["generator"]), context.config.roles.verifiers))
    context.rng(NAME, str(candidate["perturbation_id"])).shuffle(names)
    return tuple(names)


def _passes(context: RoundContext) -> int:
    return len(context.config.roles.verifiers) if context.config.verification.short_circuit else 1


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    units = verified(context, rates)
    yield from VERIFIERS.loads(context, units, verifier_prompts)
    for spec in VERIFIERS.specs(context):
        if _reads_keys(context, spec):
            yield ModelLoad(VERIFIERS.role, spec, units, key_prompts)


def _reads_keys(context: RoundContext, spec: ModelSpec) -> bool:
    """Return whether a verifier reads keys. Rules compare texts, and cannot tell what instructions demand."""
    return context.config.verification.read_keys and not spec.lane.by_rule


def _key_reader(context: RoundContext) -> KeyReader:
    first = context.config.response_prompts[0]
    return KeyReader(Prompts.PUBLISHED if first is Prompts.PLAIN else first)


def _work(context: RoundContext, models: Mapping[str, Model]) -> UnitWork:
    program = round_verifier(context)
    key_reader = _key_reader(context)
    reading_keys = {spec.name for spec in VERIFIERS.specs(context) if _reads_keys(context, spec)}

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        lever = context.catalogue.lever(inputs["lever_id"])
        model = models[inputs["verifier"]]
        base = base_of(inputs)
        made = perturbation_of(inputs["perturbed_question"], inputs["changed"], lever.name)
        attempts = await verify(program, model, base, made, stratum_brief(lever.lever_class, lever.intensity), lever)
        rows = [_row(context, unit, verdict) for verdict in attempts]
        if attempts[-1].outcome is VerdictOutcome.PASS and inputs["verifier"] in reading_keys:
            read = await read_key(key_reader, model, made.question, made.passages(base), base.language)
            if read is not None:
                rows[-1] |= {
                    "demanded": read.demanded.value,
                    "also_defensible": [code.value for code in read.also_defensible],
                }
        return {"verdicts": rows}

    return work


def _row(context: RoundContext, unit: Unit, verdict: Verdict) -> dict[str, object]:
    reply = verdict.reply
    return {
        **unit.row(context.round_id, "perturbation_id", "class", "intensity", "generator", "verifier"),
        "call_id": verdict.call_id,
        "attempt": verdict.attempt,
        "outcome": verdict.outcome.value,
        "overall": None if reply is None else reply.overall == "PASS",
        **{check: verdict.checks.get(check) for check in CHECKS},
        "predicted_behaviour": None if reply is None else reply.predicted_behaviour.value,
        "observed_intensity": seen.value if (seen := reply and reply.observed_intensity) else None,
        "issues": list(verdict.issues),
        "refusal_analysis": None if reply is None else reply.refusal_analysis,
        "constraint_analysis": None if reply is None else reply.constraint_analysis,
        "demanded": None,
        "also_defensible": None,
    }


_OPEN: Final = WithModels(_work, (VERIFIERS,))
VERIFY: Final = Stage(NAME, "verdicts", FOLDER, _plan, _OPEN, ModelUse(_OPEN.models, _loads, KEY), _passes)
