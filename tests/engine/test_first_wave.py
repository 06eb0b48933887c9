"""The first requests of a stage: one wave, until a reply can be read."""

import asyncio

import pytest

from demur.engine.concurrency import FirstWave, FirstWaves, surely_beyond
from demur.lanes.engine import open_models
from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.server import serve
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.errors import Halted
from demur.programs.judge import Judge, judge
from demur.programs.respondent import Respondent, respond
from tests.lanes.asking import KEYS, PASSAGES, QUESTION, spec


@pytest.mark.parametrize(
    ("unreadable", "ended", "share", "stops"),
    [
        (5, 5, 0.2, False),  # .2 to the fifth is 3.2e-4
        (6, 6, 0.2, True),
        (20, 100, 0.2, False),
        (25, 100, 0.2, False),
        (40, 100, 0.2, True),
        (1, 400, 0.0, True),
        (400, 400, 1.0, False),
        (0, 0, 0.2, False),
    ],
)
def test_share_of_unreadable_replies_stops_where_it_is_surely_beyond(
    unreadable: int, ended: int, share: float, stops: bool
) -> None:
    assert surely_beyond(unreadable, ended, share) is stops


async def test_request_without_a_reply_frees_its_place() -> None:
    wave = FirstWave(1, 0.2)
    await wave.enter()
    wave.leave()
    async with asyncio.timeout(1):
        await wave.enter()


async def test_reply_whose_contents_cannot_be_used_counts_as_unreadable() -> None:
    wave = FirstWave(8, 0.2)
    for _ in range(6):
        await wave.enter()
        wave.note(None)
        wave.retract("an attempt on an answerable question was given no quality")
    with pytest.raises(Halted, match="replies to 6 of 6 requests could not be read.*was given no quality"):
        await wave.enter()


async def test_reply_that_its_unit_never_reads_frees_its_place_at_the_end_of_the_unit() -> None:
    wave, scope = FirstWave(1, 0.2), CallScope("round", "judge", "unit")
    await wave.enter()
    scope.awaits_note(wave)
    scope.close()
    async with asyncio.timeout(1):
        await wave.enter()


async def test_model_that_answers_but_cannot_judge_is_asked_for_six_judgements() -> None:
    """A screener that is the judge too: its answers can be read, and none of its judgements."""
    waves, judged = FirstWaves(0.2), 0
    with serve(config=SimulatorConfig(reply=lambda request: "The passage says that the passage says")) as weak:
        async with open_models([spec(weak, "openai", limits={"concurrency": 1})], "screener", KEYS) as models:
            with pytest.raises(Halted, match=r"replies to 6 of 6 requests could not be read"):
                for unit in range(24):
                    with call_scope(CallScope("round", "screen", str(unit), waves=waves)):
                        said = await respond(Respondent(), models["served"], QUESTION, PASSAGES)
                        await judge(Judge(), models["served"], QUESTION, ("1874",), said.text, PASSAGES)
                        judged += 1
    assert (judged, len(weak.asked)) == (1, 8)  # two answers, and three judgements with their corrections
