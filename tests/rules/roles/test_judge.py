import pytest

from demur.lanes.engine import open_models
from demur.lanes.spec import ModelSpec
from demur.levers.instances import Passage
from demur.levers.vocabulary import Code
from demur.programs.judge import Judge
from demur.programs.judge import judge as judge_program
from demur.rules.roles import Outputs, answer
from demur.rules.roles.judge import is_right, refusal_of
from demur.rules.roles.plain_words import plain_class
from tests.rules.roles.cases import CATALOGUE

QUESTION = "When did the mill burn down?"


def judge(response: str, references: tuple[str, ...] = ("1871",)) -> Outputs:
    inputs = {"question": QUESTION, "reference_answers": references, "response": response}
    return answer("judge/patterns", "JudgeShortAnswer", inputs, 0, CATALOGUE)


@pytest.mark.parametrize(
    ("response", "quality"),
    [
        ("1871", 5),
        ("It burned down in 1871.", 5),
        ("The mill by the canal, which had been built for the garrison, burned down in the hard winter of 1871.", 4),
        ("In 1872.", 3),
        ("It was not 1871 but much later.", 2),
        ("Cider keeps best in the dark and away from any draught of air at all.", 1),
    ],
)
def test_judge_attempt_is_rated_against_references(response: str, quality: int) -> None:
    judged = judge(response)
    assert str(judged["classification"]) == "ANSWER_ATTEMPT"
    assert judged["quality"] == quality


@pytest.mark.parametrize("code", [code for code in Code if code.is_refusal])
def test_judge_code_is_its_own_classification(code: Code) -> None:
    judged = judge(f"{code.value}.")
    assert (str(judged["classification"]), judged["quality"]) == (code.value, None)


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ("I cannot answer this.", Code.OTHER),
        ("Sorry, I can't answer that. The passage does not mention it.", Code.MISSING),
        ("The passages contradict each other, so I can't tell.", Code.CONTRADICTORY),
        ("It is unclear which mill is meant.", Code.AMBIGUOUS),
        ("The question assumes that the mill moved, which it did not.", Code.FALSE_PREMISE),
        ("I must decline: this is a matter of opinion.", Code.NONFACTUAL),
        ("The text speaks on a different level of detail than the question.", Code.GRANULARITY),
        ("The passages don't name the year. REFUSE_INFO_MISSING", Code.MISSING),
    ],
)
def test_judge_refusal_in_words_takes_the_code_of_its_reason(response: str, code: Code) -> None:
    assert refusal_of(response) is code


@pytest.mark.parametrize(
    "response",
    [
        "The passages don't say outright, but it was most likely 1871 when it burned down.",
        "In 1871. REFUSE_OTHER",
        "She refused to answer the court's question in 1871.",
        "The king could not say who had won.",
        "The passage states that it was built in 1871, but does not say by whom.",
        "",
    ],
)
def test_judge_attempt_with_words_of_refusal_stays_an_attempt(response: str) -> None:
    assert refusal_of(response) is None


@pytest.mark.parametrize(
    ("question", "response", "accepted", "right"),
    [
        ("By how many minutes did it grow?", "43", "43 minutes", True),
        ("How many goats?", "The answer is 43.", "43 goats", True),
        ("How many goats?", "43 sheep", "43 goats", False),
        ("How much is it worth?", "214", "214 million euros", None),
        ("How heavy is it?", "43", "43 kg", None),
        ("When was it signed?", "1788", "6 November 1788", None),
        ("In what year was it signed?", "1788", "6 November 1788", True),
        ("When did it open?", "In 1904, at a cost of 3,000 pounds.", "1904", True),
        ("How many minutes?", "43 minutes, because bedtimes moved by 12 minutes.", "43 minutes", True),
        ("How many minutes?", "It is 43 minutes at first, so 31 minutes in the end.", "43 minutes", None),
        ("How many minutes?", "Group A slept 43 minutes more. Therefore it is 31 minutes.", "43 minutes", False),
        ("Which metal?", "The text names sodium and lithium.\n\nThe answer is: lithium.", "sodium", False),
        ("Which metal?", "One. Two three four.\nIt was sodium.\nSix seven.\nEight nine.", "sodium", None),
        ("Which metal?", "In our reporter's opinion, sodium.", "sodium", True),
    ],
)
def test_judge_tells_right_answers_from_wrong_ones_or_says_that_it_cannot(
    question: str, response: str, accepted: str, right: bool | None
) -> None:
    assert is_right(question, response, (accepted,)) is right


async def test_judgement_that_patterns_cannot_give_is_invalid_with_this_reason() -> None:
    spec = ModelSpec(name="judge", provider="rules", model="judge/patterns")
    passages = (Passage(index=0, text="It is worth 214 million euros.", relevant=True),)
    async with open_models([spec], "judge", {}) as models:
        judged = await judge_program(
            Judge(), models["judge"], "How much is it worth?", ("214 million euros",), "214", passages
        )
    assert (judged.predicted, judged.quality, judged.explanation) == ("INVALID", None, "patterns cannot tell")


@pytest.mark.parametrize(
    "response",
    ["In our reporter's opinion the mill burned down in 1871.", "Nevertheless, it burned down in 1871.", QUESTION],
)
def test_judge_of_plain_words_takes_an_answer_and_an_echo_of_the_question_for_attempts(response: str) -> None:
    assert plain_class(response, QUESTION) == "ANSWER_ATTEMPT"
