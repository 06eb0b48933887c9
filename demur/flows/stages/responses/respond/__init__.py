"""The stage respond asks every respondent every item, controls included."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from demur.configuration.labels import PromptedModel, labelled_respondents
from demur.engine.context import RoundContext
from demur.engine.models import InRole, ModelLoad, ModelUse, WithModels, YieldRates
from demur.engine.recordings import ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.responses.release_index import hand_over
from demur.flows.stages.volumes import items
from demur.levers.instances import language_of, passage_records, passages_of, without_english
from demur.programs.language_variants import fingerprint_in
from demur.programs.model import Model
from demur.programs.respondent import Respondent, System, SystemOfIndex, respond, respond_from_index, respondent_prompts
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

# The stage respond asks every respondent every item, controls included.
#
# Items come in the order of a hash of their ids, so the items that are answered before a cap stops the stage are a
# random part. A respondent that fails too often is left out (`left_out`), and the others go on.


FOLDER: Final = Path(__file__).parent
NAME: Final = "respond"
KEY: Final = ReplyKey(NAME, ("question", "passages", "replicate"), "respondent")
RESPONDENTS: Final = InRole("respondent")
ANSWERED: Final = ("item_id", "respondent", "replicate")
"""Inputs that say which response is asked for."""


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    programs = _programs(context)
    specs = {spec.name: spec for spec in RESPONDENTS.specs(context)}
    respondents = labelled_respondents(context.config)
    for item in records(con, FOLDER / "plan.sql", [context.round_id]):
        for label, respondent in respondents.items():
            for replicate in range(context.config.response_replicates):
                inputs = {
                    **without_english(item),
                    "passages": [] if context.config.has_index else passage_records(item["passages"]),
                    "respondent": label,
                    "replicate": replicate,
                }
                program = fingerprint_in(programs[label], language_of(item))
                decisive = program, specs[respondent.model].fingerprint
                yield planned_unit(context, NAME, ANSWERED, inputs, *decisive)


def _programs(context: RoundContext) -> dict[str, Respondent | System | SystemOfIndex]:
    return {label: _program(context, one) for label, one in labelled_respondents(context.config).items()}


def _program(context: RoundContext, respondent: PromptedModel) -> Respondent | System | SystemOfIndex:
    if context.config.model_spec(respondent.model).lane.system:
        return SystemOfIndex() if context.config.has_index else System()
    return Respondent(respondent.prompts, context.config.elicit_confidence)


def _work(context: RoundContext, models: Mapping[str, Model]) -> UnitWork:
    programs = _programs(context)
    respondents = labelled_respondents(context.config)

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        respondent = respondents[inputs["respondent"]]
        program = programs[inputs["respondent"]]
        model = models[respondent.model]
        if isinstance(program, SystemOfIndex):
            response = await respond_from_index(model, inputs["question"], inputs["item_id"], inputs["base_id"])
        else:
            passages = passages_of(inputs["passages"])
            response = await respond(program, model, inputs["question"], passages, language_of(inputs))
        text = response.text
        row = {
            **unit.row(context.round_id, "item_id", "base_id", "class", "intensity", "respondent", "replicate"),
            "response_id": unit.made_id(ANSWERED, text, response.problem),
            "response": text,
            "reasoning": response.reasoning or None,
            "invalid_reason": response.problem,
            "refused_by_provider": response.refused_by_provider,
            "is_cut": unit.scope.is_cut,
            "confidence": None if response.confidence is None else response.confidence.value,
            "citations": None if response.citations is None else list(response.citations),
            "retrieved": None if response.retrieved is None else list(response.retrieved),
        }
        return {"responses": [row]}

    return work


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    units = items(context, rates) * context.config.response_replicates
    times = Counter(respondent.model for respondent in labelled_respondents(context.config).values())
    for load in RESPONDENTS.loads(context, units, respondent_prompts):
        yield replace(load, units=load.units * times[load.spec.name])


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    """Open the respondents, and yield the function that works on a unit.

    Before that, if systems are to find passages themselves, send them all passages.
    """
    async with WithModels(_work, (RESPONDENTS,))(context) as work:
        if context.config.has_index:
            await hand_over(context, RESPONDENTS.specs(context))
        yield work


def _labels(context: RoundContext) -> tuple[str, ...]:
    return tuple(labelled_respondents(context.config))


RESPOND: Final = Stage(
    NAME, "responses", FOLDER, _plan, _open, ModelUse(RESPONDENTS.names, _loads, KEY), parties=_labels
)


# Respondents that are left out, since too many of their responses could not be obtained.


_FAILED: Final = Path(__file__).with_name("failed.sql")


def respondents_left_out(context: RoundContext, con: Connection) -> frozenset[str]:
    """Return the labels of the respondents that are neither judged nor scored.

    Of each of them, a larger share of responses than `gates.failure_rate` could not be obtained.
    """
    most = RESPOND.failure_rate(context)
    failed = records(con, _FAILED, [context.round_id])
    return frozenset(row["respondent"] for row in failed if row["failed"] > most * row["planned"])


def respondents_kept(context: RoundContext, con: Connection) -> list[str]:
    """Return the labels of all other respondents."""
    left_out = respondents_left_out(context, con)
    return [label for label in labelled_respondents(context.config) if label not in left_out]
