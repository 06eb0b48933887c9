"""Responses in plain words, as the rules judge reads them: the floor of what a model that judges does."""

import pytest

from demur.levers.catalogue import Catalogue, load_catalogue
from demur.rules.roles.judge import reply

QUESTION = "When was the lighthouse built?"
ANSWERS = ("1874",)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("It was built in 1874.", "ANSWER_ATTEMPT"),
        ("Which lighthouse do you mean?", "ASKED_BACK"),
        ("There are two lighthouses, so it is unclear which is meant. Do you mean the old one?", "ASKED_BACK"),
        ("Could you clarify which lighthouse you are asking about?", "ASKED_BACK"),
        (
            "The passage does not say when it was built. Would you like me to look elsewhere?",
            "REFUSE_INFO_MISSING_IN_CONTEXT",
        ),
        ("I'm sorry, the text never mentions the year.", "REFUSE_INFO_MISSING_IN_CONTEXT"),
        ("The passages contradict each other on the year, so I cannot say.", "REFUSE_CONTRADICTORY_CONTEXT"),
        ("The exact day is not stated in the passage, but it was built in 1874 by Ada Brook.", "PARTIAL_ANSWER"),
        ("It was built in 1874. The passage does not mention by whom.", "PARTIAL_ANSWER"),
        ("REFUSE_GRANULARITY_MISMATCH", "REFUSE_GRANULARITY_MISMATCH"),
        ("I can't help with that.", "REFUSE_OTHER"),
        (
            "I don't know. One keeper's diary says 1874, whereas another insists on 1880.",
            "REFUSE_CONTRADICTORY_CONTEXT",
        ),
        ("It never was. The plan was dropped, so there is nothing to date.", "REFUSE_FALSE_PREMISE_IN_QUERY"),
        ('"The tower" could refer to the old light or to the church, so I can\'t say.', "REFUSE_AMBIGUOUS_QUERY"),
        ("The text speaks of the coast as a whole, which is far too coarse for this.", "REFUSE_GRANULARITY_MISMATCH"),
        ("Whether it came too late is a matter of taste, and I won't take sides.", "REFUSE_NONFACTUAL_QUERY"),
        ("There is a lighthouse on the cape and one in the port. Which one?", "ASKED_BACK"),
        ("I can look it up once I know which lighthouse is the one.", "ASKED_BACK"),
        ("If you mean the old light, it was 1874; the other is not described.", "PARTIAL_ANSWER"),
        ("In **1874**. Would you like me to look for the architect?", "ANSWER_ATTEMPT"),
        ("They never put it up; the drawing was a joke.", "REFUSE_FALSE_PREMISE_IN_QUERY"),
        ("It was not finished until 1874.", "ANSWER_ATTEMPT"),
        ("The handbook does not contain that information.", "REFUSE_INFO_MISSING_IN_CONTEXT"),
        ("I don't have enough information to answer that.", "REFUSE_INFO_MISSING_IN_CONTEXT"),
        ("I am unable to answer from the given context.", "REFUSE_INFO_MISSING_IN_CONTEXT"),
        ("I'm not sure.", "REFUSE_OTHER"),
        ("Based on the given context, it was finished in 1874.", "ANSWER_ATTEMPT"),
    ],
)
def test_reaction_is_read_from_plain_words(said: str, expected: str, catalogue: Catalogue) -> None:
    inputs = {"question": QUESTION, "reference_answers": ANSWERS, "response": said}
    found = reply("patterns", "JudgePlainShortAnswer", inputs, 0, catalogue)
    assert found["classification"] == expected
    assert (found["quality"] is not None) is (expected in ("ANSWER_ATTEMPT", "PARTIAL_ANSWER"))
