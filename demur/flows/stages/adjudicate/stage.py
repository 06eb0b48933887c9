"""Adjudicate: what every probe missed is looked at once more, with the responses: is the item wrong, or are they?

One model is asked of each, neither the generator's nor a probe's. Only what stands can become an item.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from demur.engine.context import RoundContext
from demur.engine.instances import base_of, passage_records, perturbation_of, stratum_of
from demur.engine.model_use import ModelLoad, ModelUse, WithModels, YieldRates, loads_of
from demur.engine.reply_key import BASE, STRATUM, ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.volumes import accepted
from demur.lanes.factory import Model
from demur.levers.models import VERIFIED
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.adjudicator import Adjudication, Adjudicator, adjudicate
from demur.programs.prompt_sizes import Sizes
from demur.programs.signatures.strata import stratum_brief
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = Path(__file__).parent
NAME: Final = "adjudicate"
KEY: Final = ReplyKey(NAME, (*BASE, *STRATUM, "lever_id", "perturbed_question", "changed", "responses"), "adjudicator")


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    difficulty = context.config.assemble.difficulty
    if difficulty is None:
        return
    program = fingerprint(Adjudicator())
    for missed in records(con, FOLDER / "plan.sql", [context.round_id, len(difficulty.probe)]):
        lever = context.catalogue.lever(str(missed["lever_id"]))
        (spec,) = context.specs((_adjudicator(context, missed),))
        inputs = {**missed, "passages": passage_records(missed["passages"]), "adjudicator": spec.name}
        yield planned_unit(
            context,
            NAME,
            inputs,
            program,
            spec.fingerprint,
            stratum_brief(*stratum_of(missed)).digest,
            *(lever.name, lever.target, lever.instruction),
            *((lever.model_dump_json(include=set(VERIFIED)),) if spec.lane.by_rule else ()),
        )


def _adjudicator(context: RoundContext, missed: Mapping[str, Any]) -> str:
    """Return who adjudicates a perturbation: one of those who may, by its id."""
    return context.rng(NAME, str(missed["perturbation_id"])).choice(_independent(context, str(missed["generator"])))


def _independent(context: RoundContext, generator: str) -> tuple[str, ...]:
    config = context.config
    assert config.assemble.difficulty is not None
    models = {model.name: model for model in config.models}
    return config.assemble.difficulty.independent(models, config.roles.verifiers, generator)


def _work(context: RoundContext, models: Mapping[str, Model]) -> UnitWork:
    program = Adjudicator()

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        lever = context.catalogue.lever(inputs["lever_id"])
        found = await adjudicate(
            program,
            models[inputs["adjudicator"]],
            base_of(inputs),
            perturbation_of(inputs["perturbed_question"], inputs["changed"], lever.name),
            stratum_brief(*stratum_of(inputs)),
            lever,
            inputs["responses"],
        )
        return {"adjudications": [_row(context, unit, found)]}

    return work


def _row(context: RoundContext, unit: Unit, found: Adjudication) -> dict[str, object]:
    reply = found.reply
    return {
        **unit.row(context.round_id, "perturbation_id", "class", "intensity", "generator", "adjudicator"),
        "outcome": found.outcome.value,
        "right_behaviour": None if reply is None else reply.right_behaviour.value,
        "reading": None if reply is None else reply.reading,
        "issues": list(found.issues),
    }


def _models(context: RoundContext) -> tuple[str, ...]:
    """Return who may be asked: those who may adjudicate what one of the generators made."""
    if context.config.assemble.difficulty is None:
        return ()
    asked = (name for generator in context.config.roles.generators for name in _independent(context, generator))
    return tuple(dict.fromkeys(asked))


def _loads(context: RoundContext, sizes: Sizes, rates: YieldRates) -> Iterator[ModelLoad]:
    """Yield who is asked how often if the probes miss everything: nothing is known before they respond."""
    models = _models(context)
    if models:
        yield from loads_of(context, "adjudicator", models, accepted(context, rates) / len(models), sizes.verify)


ADJUDICATE: Final = Stage(
    NAME, "adjudications", FOLDER, _plan, WithModels("adjudicator", _models, _work), ModelUse(_models, _loads, KEY)
)
