"""The rules lane as a lane: what it answers is decided by the unit, and what it cannot answer is a row."""

import pytest

from demur.lanes.engine import open_models
from demur.lanes.spec import ModelSpec
from demur.levers.catalogue import load_catalogue
from demur.levers.vocabulary import Intensity, LeverClass
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.judge import Judge, judge
from demur.programs.perturbation import Generator, generate
from demur.programs.respondent import Respondent, respond
from demur.programs.signatures.taxonomy_text import stratum_brief
from tests.lanes.asking import MemoryCallStore, ask
from tests.text.bases import single


def rules(model: str) -> ModelSpec:
    return ModelSpec.model_validate({"name": "embedded", "provider": "rules", "model": model})


async def test_rules_lane_asked_in_a_role_it_does_not_know_is_a_lasting_error_in_the_ledger() -> None:
    call_store = MemoryCallStore()
    async with open_models([rules("judge/patterns")], "respondent", {}) as models:
        with pytest.raises(LaneError, match="rules model 'judge/patterns' cannot do AnswerFromPassage") as caught:
            await ask(models["embedded"], call_store)
    assert caught.value.kind is ErrorKind.RULES and not caught.value.retryable
    [call] = call_store.calls
    assert (call.status, call.error_class, call.attempt) == ("error", "rules", 1)


GERMAN = single(
    "Wie viele Wärter wohnten 1901 im Leuchtturm?",
    ("vier",),
    "Der Leuchtturm steht am Kap. Im Jahr 1901 wohnten vier Wärter im Leuchtturm. Kohle kam mit dem Boot.",
    "de",
)


async def test_rules_generator_declines_what_is_not_english_with_that_reason() -> None:
    stratum = LeverClass.FALSE_PREMISE, Intensity.LOW
    async with open_models([rules("recipes/terse")], "generator", {}) as models:
        made = await generate(
            Generator(), models["embedded"], GERMAN, stratum_brief(*stratum), load_catalogue().stratum(*stratum)
        )
    assert made.perturbation is None
    assert made.declined == "recipes change English only, and these texts are German"


@pytest.mark.parametrize(
    ("baseline", "said"),
    [
        ("always-answers", "Im Jahr 1901 wohnten vier Wärter im Leuchtturm."),
        ("lexical-overlap", "Im Jahr 1901 wohnten vier Wärter im Leuchtturm."),
        ("always-refuses", "REFUSE_INFO_MISSING_IN_CONTEXT"),
    ],
)
async def test_baselines_that_know_no_language_answer_by_shared_words(baseline: str, said: str) -> None:
    async with open_models([rules(f"respondent/{baseline}")], "respondent", {}) as models:
        found = await respond(Respondent(), models["embedded"], GERMAN.question, GERMAN.passages, "de")
    assert found.text == said


async def test_rules_that_read_english_words_decline_other_languages_as_a_failure_of_its_own_kind() -> None:
    async with open_models([rules("judge/patterns")], "judge", {}) as models:
        with pytest.raises(LaneError, match="rules read only English, but these texts are German") as caught:
            await judge(Judge(), models["embedded"], GERMAN.question, GERMAN.answers, "vier", GERMAN.passages, "de")
    assert caught.value.kind is ErrorKind.LANGUAGE and not caught.value.retryable
    async with open_models([rules("respondent/defect-spotter")], "respondent", {}) as models:
        with pytest.raises(LaneError, match="Name a language model as respondent"):
            await respond(Respondent(), models["embedded"], GERMAN.question, GERMAN.passages, "de")
