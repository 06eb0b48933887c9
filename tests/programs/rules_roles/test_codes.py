import pytest
from hypothesis import given
from hypothesis import strategies as st

from levers.taxonomy import load_taxonomy
from levers.vocabulary import Code
from programs.codes import codes_in, stated_codes

REFUSALS = [code for code in Code if code.is_refusal]


@pytest.mark.parametrize("code", REFUSALS)
@pytest.mark.parametrize("frame", ["{}", "{}.", "**{}**", "`{}`", "I would say {}, since it fits.", "Answer:\n{}\n"])
def test_codes_long_form_inside_text_is_found(code: Code, frame: str) -> None:
    assert codes_in(frame.format(code.value)) == (code,)


@pytest.mark.parametrize(("short", "code"), load_taxonomy().short_codes.items())
def test_codes_short_form_is_read_as_long_one(short: str, code: Code) -> None:
    assert codes_in(short) == (code,)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("REFUSE_INFO_MISSING_INCONTEXT", Code.MISSING),
        ("REFUSE_NONFACTICAL_QUERY", Code.NONFACTUAL),
        ("REFUSE_CONTRADICTARY_CONTEXT", Code.CONTRADICTORY),
        ("REFUSE-FALSE-PREMISE-IN-QUERY", Code.FALSE_PREMISE),
        ("REFUSE GRANULARITY MISMATCH", Code.GRANULARITY),
        (r"REFUSE\_AMBIGUOUS\_QUERY", Code.AMBIGUOUS),
        ("refuse_ambiguous_query", Code.AMBIGUOUS),
        ("GRANULARITY_MISMATCH", Code.GRANULARITY),
    ],
)
def test_codes_slip_of_the_pen_is_forgiven(said: str, code: Code) -> None:
    assert codes_in(said) == (code,)


@pytest.mark.parametrize(
    "said",
    ["", "In 1871.", "NASA and the FBI", "She had to refuse.", "The ANSWER is 5", "This is not REFUSE_OTHER; it is 5."],
)
def test_codes_other_text_states_none(said: str) -> None:
    assert codes_in(said) == ()


def test_codes_two_of_them_are_kept_in_order() -> None:
    said = "REFUSE_OTHER, or rather REFUSE_AMBIGUOUS_QUERY REFUSE_OTHER"
    assert codes_in(said) == (Code.OTHER, Code.AMBIGUOUS)


@given(
    st.text(max_size=60),
    st.sampled_from(REFUSALS),
    st.text(alphabet=" .,;:!?0189()", max_size=20),
)
def test_codes_place_of_a_code_covers_it(before: str, code: Code, after: str) -> None:
    text = f"{before.lower()}\n{code.value}\n{after}"
    for stated in stated_codes(text):
        assert text[stated.start : stated.end].strip()
        assert 0 <= stated.start < stated.end <= len(text)
