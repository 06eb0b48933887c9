import pytest

from demur.levers.instances import Passage, cited
from demur.levers.vocabulary import Code
from demur.rules.roles import Outputs, answer
from demur.rules.roles.judge import refusal_of
from tests.rules.roles.cases import CATALOGUE, MILL

QUESTION = "When did the mill burn down?"


def judge(response: str, references: tuple[str, ...] = ("1871",)) -> Outputs:
    inputs = {"question": QUESTION, "reference_answers": references, "response": response}
    return answer("judge/patterns", "JudgeShortAnswer", inputs, 0, CATALOGUE)


def judge_grounded(response: str, passages: tuple[Passage, ...] = MILL.passages) -> Outputs:
    inputs = {
        "question": MILL.question,
        "reference_answers": MILL.answers,
        "response": response,
        "passages": cited(passages),
    }
    return answer("judge/patterns", "JudgeGroundedAnswer", inputs, 0, CATALOGUE)


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


def test_judge_grounded_answer_from_relevant_passages_meets_all_three() -> None:
    judged = judge_grounded("The Vester Mill burned down in 1894. [2]")
    assert (judged["eligible"], judged["supported_all"], judged["supported_relevant"]) == (True, True, True)


def test_judge_grounded_claim_from_noise_is_supported_by_all_only() -> None:
    judged = judge_grounded("It burned down in 1894 [2]. The Osten Mill ground rye for the garrison. [3]")
    assert (judged["supported_all"], judged["supported_relevant"]) == (True, False)


def test_judge_grounded_foreign_figure_is_not_supported() -> None:
    judged = judge_grounded("The Vester Mill burned down in 1897. [2]")
    assert (judged["eligible"], judged["supported_all"]) == (False, False)
