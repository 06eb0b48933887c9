"""The first requests of a stage: one wave, until a reply can be read."""

import asyncio

import pytest

from demur.engine.first_wave import FirstWave, first_waves, surely_beyond
from demur.programs.errors import Halted
from demur.programs.journal import CallScope

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


def test_waves_are_those_of_a_model_in_one_run_of_a_stage() -> None:
    waves = first_waves("run", 0.2)
    assert waves.of("a", 4) is first_waves("run", 0.2).of("a", 4)
    assert waves.of("a", 4) is not waves.of("b", 4)
    assert waves.of("a", 4) is not first_waves("another run", 0.2).of("a", 4)


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
