"""Readings of keys: what they are told, and what becomes of the replies."""

from typing import Any, cast

import pytest

from demur.lanes.engine import open_models
from demur.lanes.spec import ModelSpec
from demur.levers.instances import Passage
from demur.levers.vocabulary import Code
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.errors import ErrorKind, LaneError, ProgramError, ReplyError
from demur.programs.model import Model
from demur.programs.options import Prompts
from demur.programs.perturbation import KeyReader, read_key
from demur.programs.signatures.response import ReadKey
from tests.lanes.asking import MemoryCallStore

TEXT = "The mill at Harrow was built in 1802. The mill at Harrow was built in 1811."
ONE = (Passage(index=0, text=TEXT, relevant=True),)
TWO = (*ONE, Passage(index=1, text="Harrow lies on a brook.", relevant=False))


def test_key_reader_is_told_what_respondents_are_told_and_nothing_of_the_key() -> None:
    published, ours = KeyReader(), KeyReader(Prompts.OURS)
    assert "Use what the passage says and nothing else" in published.respondent_instructions(ONE)
    assert "search results" in published.respondent_instructions(TWO)
    assert ours.respondent_instructions(ONE) != published.respondent_instructions(ONE)
    assert all(code.value in published.respondent_instructions(ONE) for code in Code if code.is_refusal)
    assert set(ReadKey.input_fields) == {"respondent_instructions", "passages", "question"}


async def test_key_reading_has_the_demanded_reply_and_others_once() -> None:
    verifier = ModelSpec(name="v", provider="rules", model="verifier/editor")
    async with open_models([verifier], "verifier", {}) as models:
        clean = await read_key(KeyReader(), models["v"], "When was the mill at Harrow built?", TWO[1:])
        clash = await read_key(KeyReader(), models["v"], "When was the mill at Harrow built?", ONE)
    assert clean is not None and clash is not None
    assert clash.demanded is Code.CONTRADICTORY
    assert clash.also_defensible == ()
    assert clean.demanded is not Code.CONTRADICTORY


@pytest.mark.parametrize(
    ("error", "noted"),
    [
        (ReplyError("no JSON", reply="none"), "no JSON"),
        (LaneError("a recording has none", kind=ErrorKind.NOT_RECORDED), None),
    ],
)
async def test_reading_without_a_readable_reply_decides_nothing_and_notes_it(
    error: ProgramError, noted: str | None
) -> None:
    class Failing(Model):
        async def run(self, *asked: object, **inputs: object) -> None:
            raise error

    model = Failing("v", cast("Any", None))
    with call_scope(CallScope("r", "verify", "u", MemoryCallStore())) as scope:
        assert await read_key(KeyReader(), model, "Who built the mill?", ONE) is None
        assert scope.unreadable == noted
