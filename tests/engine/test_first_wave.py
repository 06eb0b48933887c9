"""The first requests of a stage: one wave, until a reply can be read."""

import asyncio

import pytest

from demur.engine.concurrency import FirstWave, FirstWaves, first_waves, surely_beyond
from demur.lanes.engine import open_models
from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.server import serve
from demur.programs.errors import Halted
from demur.programs.journal import CallScope, call_scope
from demur.programs.judge import Judge, judge
from demur.programs.respondent import Respondent, respond
from tests.lanes.asking import KEYS, PASSAGES, QUESTION, spec

GARBAGE = "the reply holds no JSON object"


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


async def sent_by(wave: FirstWave, requests: int, readable: int | None, allowed: float = 0.2) -> tuple[int, int]:
    """Send so many requests at once, of which one (or none) gets a readable reply; return those sent, and refusals."""
    sent = halted = 0

    async def one(number: int) -> None:
        nonlocal sent, halted
        try:
            await wave.enter()
        except Halted:
            halted += 1
            return
        sent += 1
        await asyncio.sleep(0.01)
        wave.note(None if number == readable else GARBAGE)

    await asyncio.gather(*(one(number) for number in range(requests)))
    return sent, halted


async def test_wave_without_a_readable_reply_is_the_last() -> None:
    assert await sent_by(FirstWave(8, 0.2), 100, readable=None) == (8, 92)


async def test_wave_too_small_to_tell_is_followed_by_another() -> None:
    assert await sent_by(FirstWave(2, 0.2), 100, readable=None) == (6, 94)


async def test_wave_with_a_readable_reply_holds_nothing_back() -> None:
    assert await sent_by(FirstWave(8, 0.2), 100, readable=3) == (100, 0)


async def test_wave_of_a_stage_that_allows_everything_never_stops_it() -> None:
    assert await sent_by(FirstWave(8, 1.0), 40, readable=None) == (40, 0)


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


def test_waves_are_those_of_a_model_and_task_in_one_run_of_a_stage() -> None:
    waves = first_waves("run", 0.2)
    first = waves.of("a", "Judge", 4)
    assert first is first_waves("run", 0.2).of("a", "Judge", 4)
    assert first is not waves.of("b", "Judge", 4)
    assert first is not waves.of("a", "Answer", 4)
    assert first is not first_waves("another run", 0.2).of("a", "Judge", 4)


async def test_reply_that_its_unit_never_reads_frees_its_place_at_the_end_of_the_unit() -> None:
    wave, scope = FirstWave(1, 0.2), CallScope("round", "judge", "unit")
    await wave.enter()
    scope.awaits_note(wave)
    scope.close()
    async with asyncio.timeout(1):
        await wave.enter()


async def test_reply_of_an_earlier_run_is_not_one_of_the_wave() -> None:
    wave, scope = FirstWave(1, 0.2), CallScope("round", "judge", "unit")
    await wave.enter()
    scope.awaits_note(wave)
    scope.note(GARBAGE, was_read=False)
    scope.note(None, was_read=False)  # recalled: no request was sent for it
    await wave.enter()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
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
