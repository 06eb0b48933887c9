"""Derived answers: what code finds in the passages, what counts as no answer, and what the judge must confirm."""

import asyncio
from collections.abc import Callable
from typing import Any

import dspy
import pytest

from demur.levers.instances import Passage, UsedStatement
from demur.levers.vocabulary import ATTEMPT, INVALID, Code
from demur.programs.checks.changes import rests_on
from demur.programs.document_questions import Derivation, DerivationJudge, Deriver, derive, is_proved
from demur.programs.errors import ReplyError
from demur.programs.model import Model

TABLE = "In millions\n2022 \n2021\nNet  sales\n1,250.5 \n1,000 \nUmsatz „netto“ 37 %"
PASSAGES = (Passage(index=0, text=TABLE, relevant=True),)


@pytest.mark.parametrize(
    ("taken", "quote", "stands"),
    [
        ("1,250.5; 1,000", "Net sales 1,250.5 1,000", True),
        ("2022 (first column)", "In millions 2022 2021", True),
        ("37", 'umsatz "netto" 37 %', True),
        ("the sales", "Net sales", True),
        ("1,250.5", "Net sales 1,250.5 900", False),
        ("1,251", "Net sales 1,250.5 1,000", False),
        ("250", "Net sales 1,250.5 1,000", False),
        ("Net sales", "", False),
    ],
)
def test_figures_of_a_derivation_must_stand_in_quotes_and_quotes_in_passages(
    taken: str, quote: str, stands: bool
) -> None:
    assert rests_on([UsedStatement(taken=taken, quote=quote)], [TABLE]) is stands
    assert not rests_on([], [TABLE])


def derivation(**changes: Any) -> Derivation:
    fields: dict[str, Any] = {
        "answer": "25.05 %",
        "definitions": ("growth is the change over the earlier year, by common use",),
        "used": (UsedStatement(taken="1,250.5; 1,000", quote="Net sales 1,250.5 1,000"),),
        "steps": "1250.5 / 1000 - 1",
        "lacking": (),
        "other_answers": (),
    }
    return Derivation(**fields | changes)


@pytest.mark.parametrize(
    ("changes", "predicted"),
    [
        ({}, ATTEMPT),
        ({"answer": None}, Code.MISSING),
        ({"lacking": ("sales of 2020",)}, Code.MISSING),
        ({"other_answers": ("20 %",)}, Code.AMBIGUOUS),
        ({"used": ()}, INVALID),
    ],
)
def test_derivation_counts_as_an_attempt_only_if_nothing_lacks_and_it_is_quoted(
    changes: dict[str, Any], predicted: str
) -> None:
    assert derivation(**changes).predicted(PASSAGES) == predicted


def replying(reply: Callable[[dict[str, Any]], dspy.Prediction]) -> Model:
    class Replying(Model):
        async def run(self, program: dspy.Module, **inputs: object) -> dspy.Prediction:
            return reply(inputs)

    return Replying("m", lm=None)


def test_screener_is_asked_without_the_accepted_answers() -> None:
    asked: list[dict[str, Any]] = []

    def reply(inputs: dict[str, Any]) -> dspy.Prediction:
        asked.append(inputs)
        return dspy.Prediction(answer=" ", definitions=(" ",), used=(), steps="", lacking=(" x ",), other_answers=())

    found = asyncio.run(derive(Deriver(), replying(reply), "How much?", PASSAGES))
    assert (found.answer, found.definitions, found.lacking) == (None, (), ("x",))
    assert set(asked[0]) == {"question", "passages"}


@pytest.mark.parametrize(
    ("said", "proved"),
    [
        ({}, True),
        ({"same": False}, False),
        ({"settled": False}, False),
        ({"not_carried": ("the reason",)}, False),
        ({"not_carried": (" ",)}, True),
    ],
)
def test_answer_is_proved_if_the_judge_finds_it_the_same_settled_and_carried(
    said: dict[str, Any], proved: bool
) -> None:
    verdict = {"same": True, "settled": True, "not_carried": ()} | said
    judge = replying(lambda _: dspy.Prediction(**verdict))
    found = asyncio.run(is_proved(DerivationJudge(), judge, "How much?", ("25 %",), derivation(), PASSAGES))
    assert found is proved


def test_judgement_that_cannot_be_read_three_times_proves_nothing() -> None:
    times = []

    def unreadable(_: object) -> dspy.Prediction:
        times.append(1)
        raise ReplyError("no JSON", reply="x")

    found = asyncio.run(is_proved(DerivationJudge(), replying(unreadable), "?", ("25 %",), derivation(), PASSAGES))
    assert (found, len(times)) == (False, 3)
