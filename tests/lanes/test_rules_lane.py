"""The rules lane as a lane: what it answers is decided by the unit, and what it cannot answer is a row."""

import pytest

from demur.lanes.factory import open_models
from demur.lanes.spec import ModelSpec
from demur.levers.instances import BaseInstance, Passage
from demur.levers.load import load_catalogue
from demur.levers.vocabulary import Intensity, LeverClass
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.generator import Generator, generate
from demur.programs.journal import CallScope, call_scope
from demur.programs.signatures.strata import stratum_brief
from tests.lanes.asking import PASSAGES, QUESTION, MemoryJournal, ask

BASE = BaseInstance(
    question="How many keepers lived in the lighthouse at Cape Harrow in 1901?",
    answers=("four",),
    passages=(
        Passage(
            index=0,
            text="In 1901 four keepers lived in the lighthouse at Cape Harrow. The lamp was lit at dusk. Coal came by "
            "boat every month, and two goats grazed behind the tower.",
            relevant=True,
        ),
    ),
)


def rules(model: str) -> ModelSpec:
    return ModelSpec.model_validate({"name": "embedded", "provider": "rules", "model": model})


async def generated(unit: str) -> str:
    stratum = LeverClass.FALSE_PREMISE, Intensity.LOW
    async with open_models([rules("recipes/elaborate")], "generator", {}) as models:
        with call_scope(CallScope("round-1", "generate", unit)):
            made = await generate(
                Generator(), models["embedded"], BASE, stratum_brief(*stratum), load_catalogue().stratum(*stratum)
            )
    assert made.perturbation is not None, made.declined
    return made.perturbation.model_dump_json()


async def test_rules_lane_same_unit_same_perturbation_and_other_units_others() -> None:
    units = [f"unit-{number}" for number in range(6)]
    made = [await generated(unit) for unit in units]
    assert made == [await generated(unit) for unit in units]
    assert len(set(made)) > 1


async def test_rules_lane_asked_in_a_role_it_does_not_know_is_a_lasting_error_in_the_ledger() -> None:
    journal = MemoryJournal()
    async with open_models([rules("judge/patterns")], "respondent", {}) as models:
        with pytest.raises(LaneError, match="rules model 'judge/patterns' does not do AnswerFromPassage") as caught:
            await ask(models["embedded"], journal)
    assert caught.value.kind is ErrorKind.RULES and not caught.value.retryable
    [call] = journal.calls
    assert (call.status, call.error_class, call.attempt) == ("error", "rules", 1)


async def test_rules_lane_calls_are_free_and_named_as_rules() -> None:
    journal = MemoryJournal()
    async with open_models([rules("respondent/always-answers")], "respondent", {}) as models:
        await ask(models["embedded"], journal)
    [call] = journal.calls
    assert (call.provider, call.provider_model, call.cost_usd) == ("rules", "respondent/always-answers", 0.0)
    assert call.input_tokens is None and call.output_tokens is None
    assert call.fingerprint == rules("respondent/always-answers").fingerprint


def test_rules_lane_serves_synchronous_callers_too() -> None:
    """DSPy's optimisers are synchronous."""
    import asyncio

    import dspy

    from demur.programs.adapter.json_adapter import JsonAdapter
    from demur.programs.errors import ProgramError
    from demur.programs.respondent import Respondent
    from demur.programs.signatures.response import NumberedPassage

    async def opened() -> dspy.LM:
        async with open_models([rules("respondent/lexical-overlap")], "respondent", {}) as models:
            return models["embedded"].lm

    numbered = (NumberedPassage(number=1, text=PASSAGES[0].text),)
    with dspy.context(lm=asyncio.run(opened()), adapter=JsonAdapter()):
        assert "1874" in Respondent()(question=QUESTION, passages=numbered).response

        async def from_a_loop() -> None:
            Respondent()(question=QUESTION, passages=numbered)

        with pytest.raises(Exception, match="asynchronous here") as caught:
            asyncio.run(from_a_loop())
    assert isinstance(caught.value.__cause__, ProgramError)
