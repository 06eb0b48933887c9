"""What judges are asked, and judgements that contradict themselves."""

import json

import dspy
import pytest

from demur.lanes.engine import open_models
from demur.lanes.simulator.faults import always
from demur.lanes.simulator.server import serve
from demur.programs.judge import Contradiction, Judge, Judgement, _contradiction, judge
from tests.lanes.asking import KEYS, PASSAGES, QUESTION, judge_once, spec
from tests.lanes.odd_answers import REASONING_ONLY


@pytest.mark.parametrize(
    ("explanation", "classification", "quality", "wanted"),
    [
        ("It answers.", "ANSWER_ATTEMPT", 5, None),
        ("It declines with REFUSE_OTHER.", "REFUSE_OTHER", None, None),
        ("It declines with REFUSE_OTHER.", "ANSWER_ATTEMPT", 5, Contradiction.CODE),
        ("The code is REFUSE_AMBIGUOUS_QUERY.", "REFUSE_OTHER", None, Contradiction.CODE),
        ("This is not REFUSE_OTHER, it answers.", "ANSWER_ATTEMPT", 4, None),
        ("It declines.", "REFUSE_OTHER", 4, Contradiction.GRADE),
        ("", "REFUSE_OTHER", None, None),
    ],
)
def test_contradiction_of_explanation_or_grade_is_named(
    explanation: str, classification: str, quality: int | None, wanted: Contradiction | None
) -> None:
    reply = dspy.Prediction(explanation=explanation, classification=classification, quality=quality)
    assert _contradiction(reply, classification) == wanted


async def test_attempt_at_an_unanswerable_item_of_several_passages_is_only_classified_and_without_passages() -> None:
    several = (*PASSAGES, PASSAGES[0].model_copy(update={"index": 1, "relevant": False}))
    judged: list[Judgement] = []
    with serve() as provider:
        async with open_models([spec(provider, "openai", "judge/patterns")], "judge", KEYS) as models:
            for answers in (("1874",), ()):
                judged.append(await judge(Judge(), models["served"], QUESTION, answers, "In 1874.", several))
    graded, classified = judged
    assert (graded.predicted, graded.correct, graded.supported_all) == ("ANSWER_ATTEMPT", True, True)
    assert classified == Judgement("ANSWER_ATTEMPT", explanation=classified.explanation)
    sent = [json.loads(asked.body["messages"][-1]["content"]) for asked in provider.asked]
    assert [len(one.get("passages", ())) for one in sent] == [2, 0]


async def test_judge_whose_replies_are_all_reasoning_is_unreadable_for_this_reason() -> None:
    with serve(always(REASONING_ONLY)) as provider:
        judged = await judge_once(provider, "openai")
    assert judged.predicted == "INVALID" and "the reply has reasoning, and no response behind it" in judged.explanation
