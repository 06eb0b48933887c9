"""The adjudicator: what its reply amounts to, and what the rules verifiers say when they are shown responses."""

import json

import pytest

from demur.lanes.factory import open_models
from demur.lanes.simulator.engine import SimulatorConfig
from demur.lanes.simulator.serving import serve
from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation
from demur.levers.vocabulary import Code, Intensity, LeverClass
from demur.programs.adjudicator import AdjudicationOutcome, Adjudicator, adjudicate
from demur.programs.journal import CallScope, call_scope
from demur.programs.signatures.strata import stratum_brief
from tests.lanes.asking import KEYS, MemoryJournal, spec
from tests.rules.roles.cases import lever_of

MISSING = LeverClass.MISSING_INFO, Intensity.HIGH
LEVER = lever_of(*MISSING)
FERRY = BaseInstance(
    question="When does the last ferry to Orlo leave?",
    answers=("at nine",),
    passages=(
        Passage(index=0, text="The ferry to Orlo is red. The last ferry to Orlo leaves at nine.", relevant=True),
    ),
)
WITHOUT = Perturbation(
    question=FERRY.question, changed=(ChangedPassage(index=0, text="The ferry to Orlo is red."),), lever=LEVER.name
)
REPLY = {"reading": "It is not said.", "right_behaviour": Code.MISSING.value, "issues": [], "fault": "RESPONSES"}


async def outcome_of(
    config: SimulatorConfig, model: str, response: str
) -> tuple[AdjudicationOutcome, tuple[str, ...], int]:
    with serve(config=config) as provider:
        async with open_models([spec(provider, "openai", model)], "adjudicator", KEYS) as models:
            with call_scope(CallScope("r", "adjudicate", "unit-1", MemoryJournal())):
                found = await adjudicate(
                    Adjudicator(), models["served"], FERRY, WITHOUT, stratum_brief(*MISSING), LEVER, (response,)
                )
        return found.outcome, found.issues, len(provider.asked)


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, AdjudicationOutcome.STANDS),
        ({"fault": "ITEM"}, AdjudicationOutcome.FAULTY),
        ({"right_behaviour": Code.ANSWER_CORRECTLY.value}, AdjudicationOutcome.INCONSISTENT),
        ({"issues": ["the ferry is not the last one"]}, AdjudicationOutcome.INCONSISTENT),
    ],
)
async def test_item_stands_only_where_the_adjudicator_agrees_with_it(
    changes: dict[str, object], outcome: AdjudicationOutcome
) -> None:
    reply = json.dumps(REPLY | changes)
    found, _, _ = await outcome_of(SimulatorConfig(reply=lambda *_: reply), "verifier/strict", "At nine.")
    assert found is outcome


async def test_adjudication_that_cannot_be_read_is_missing_after_three_attempts() -> None:
    config = SimulatorConfig(reply=lambda *_: "who knows")
    found, issues, asked = await outcome_of(config, "verifier/strict", "At nine.")
    assert found is AdjudicationOutcome.MISSING and len(issues) == 1 and asked >= 3


async def test_rules_find_the_item_wrong_where_a_response_still_gives_the_answer() -> None:
    found, issues, _ = await outcome_of(SimulatorConfig(), "verifier/strict", "It leaves at nine.")
    assert found is AdjudicationOutcome.FAULTY and "a response still gives the answer 'nine'" in issues
    found, _, _ = await outcome_of(SimulatorConfig(), "verifier/strict", "It leaves at noon.")
    assert found is AdjudicationOutcome.STANDS
