"""Verifiers that read keys, and screeners that review accepted answers, over HTTP."""

from pathlib import Path
from typing import Any

import pytest

from demur.configuration.round_config import SHIPPED
from demur.configuration.sections import Verification
from demur.engine.context import RoundContext
from demur.engine.units import Unit
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.bases import screen
from demur.flows.stages.items import verify
from demur.lanes.engine import open_models
from demur.lanes.simulator.server import serve
from demur.lanes.spec import ModelSpec
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.checks.changes import are_common_words
from demur.warehouse.home import Home
from tests.lanes.asking import KEYS, MemoryCallStore, spec

BASE = {
    "base_id": "b1",
    "question": "Who built the mill at Harrow?",
    "answers": ["the court"],
    "passages": [{"index": 0, "text": "The mill at Harrow was built in 1802 by the court.", "relevant": True}],
}
PULLED = {
    **BASE,
    "perturbation_id": "p1",
    "class": "P-FalsePremise",
    "intensity": "MEDIUM",
    "generator": "g",
    "lever_id": "false-premise.first-vs-second-mission-clash",
    "perturbed_question": "Who built the second mill at Harrow?",
    "changed": [],
    "verifier": "served",
}


def context_of(folder: Path, served: ModelSpec, **changes: Any) -> RoundContext:
    config = read_round_config(SHIPPED / "rules.yaml")
    roles = config.roles.model_copy(update={"screeners": ("served",), "verifiers": ("served",)})
    models = (*config.models, served)
    return RoundContext(
        Home(folder), config.model_copy(update={"models": models, "roles": roles, **changes}), folder, "r", 1
    )


@pytest.mark.parametrize("reads", [True, False])
async def test_verifier_that_passes_a_candidate_reads_its_key_where_the_round_wants_it(
    tmp_path: Path, reads: bool
) -> None:
    call_store = MemoryCallStore()
    scope = CallScope("r", "verify", "u1", call_store)
    with serve() as simulator:
        served = spec(simulator, "openai", "verifier/editor")
        context = context_of(tmp_path, served, verification=Verification(read_keys=reads))
        async with open_models([served], "verifier", KEYS) as models:
            with call_scope(scope):
                found = await verify._work(context, models)(Unit("u1", "s1", PULLED, "P-FalsePremise", "MEDIUM", scope))
    [row] = found["verdicts"]
    assert row["outcome"] == "pass"
    assert [call.program for call in call_store.calls] == ["VerifyPerturbation", *(["ReadKey"] if reads else [])]
    assert (row["demanded"] is not None, row["also_defensible"] is not None) == (reads, reads)
    if reads:
        asked = str(call_store.calls[-1])
        assert "P-FalsePremise" not in asked and "First vs. Second" not in asked, "the key is not in view"


@pytest.mark.parametrize(
    ("answer", "reviewed", "doubt"),
    [("Crown Court", False, None), ("the court", True, None), ("them", True, "points elsewhere")],
)
async def test_screener_decides_whether_an_answer_that_is_a_common_word_can_serve(
    tmp_path: Path, answer: str, reviewed: bool, doubt: str | None
) -> None:
    call_store = MemoryCallStore()
    scope = CallScope("r", "screen", "u1", call_store)
    text = f"The mill at Harrow was built in 1802 by {answer}."
    base = {**BASE, "answers": [answer], "passages": [{"index": 0, "text": text, "relevant": True}]}
    with serve() as simulator:
        served = spec(simulator, "openai", "respondent/always-answers")
        judging = spec(simulator, "openai", "judge/patterns", name="judging")
        context = context_of(tmp_path, served)
        async with (
            open_models([served], "screener", KEYS) as screeners,
            open_models([judging], "judge", KEYS) as judges,
        ):
            with call_scope(scope):
                unit = Unit("u1", "s1", {**base, "screener": "served"}, None, None, scope)
                found = await screen._work(context, screeners, judges)(unit)
    [row] = found["screenings"]
    assert ("ReviewAnswer" in [call.program for call in call_store.calls]) is reviewed
    assert (row["correct"], row["doubt"]) == (doubt is None, doubt)


@pytest.mark.parametrize("answers", [["they"], ["the court", "court"], ["seven"], ["ils"]])
def test_common_words_are_one_or_two_words_in_small_letters(answers: list[str]) -> None:
    assert are_common_words(answers)


@pytest.mark.parametrize("answers", [["US"], ["the court", "Crown Court"], ["1904"], ["法院"], ["out of the way"]])
def test_names_figures_and_longer_answers_are_no_common_words(answers: list[str]) -> None:
    assert not are_common_words(answers)
