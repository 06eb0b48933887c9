import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import Code
from demur.programs.replies import code_reader
from demur.programs.replies.code_reader import _slips
from demur.programs.replies.refusal_codes import codes_in, other_codes, sole_code

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
        (r"REFUSE\_AMBIGUOUS\_QUERY", Code.AMBIGUOUS),
        ("refuse_ambiguous_query", Code.AMBIGUOUS),
        ("GRANULARITY_MISMATCH", Code.GRANULARITY),
        ("REFUSE_EPISTEMIC_MISMATCH", Code.NONFACTUAL),
        ("refuse_ambiguity", Code.AMBIGUOUS),
        ("ＲＥＦＵＳＥ＿ＯＴＨＥＲ", Code.OTHER),
        ("答：ＲＥＦＵＳＥ＿ＩＮＦＯ＿ＭＩＳＳＩＮＧ＿ＩＮ＿ＣＯＮＴＥＸＴ。", Code.MISSING),
        ("𝐑𝐄𝐅𝐔𝐒𝐄_𝐀𝐌𝐁𝐈𝐆𝐔𝐎𝐔𝐒_𝐐𝐔𝐄𝐑𝐘", Code.AMBIGUOUS),
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


@pytest.mark.parametrize("said", ["REFUSE_TO_ANSWER", r"**REFUSE\_UNSAFE**", "My decision: REFUSE_NO_EVIDENCE."])
def test_codes_invented_code_is_a_refusal_of_no_class(said: str) -> None:
    assert codes_in(said) == (Code.OTHER,)


@pytest.mark.parametrize("said", ["I REFUSE TO ANSWER", "Not REFUSE_TO_ANSWER; it is 5.", "REFUSE_", "CONTRADICTION"])
def test_codes_capitals_without_a_code_given_state_none(said: str) -> None:
    assert codes_in(said) == ()


def test_codes_two_of_them_are_kept_in_order() -> None:
    said = "REFUSE_OTHER, or rather REFUSE_AMBIGUOUS_QUERY REFUSE_OTHER"
    assert codes_in(said) == (Code.OTHER, Code.AMBIGUOUS)


DECIDED = [
    ("REFUSE_INFO_MISSING_INCONTEXT", Code.MISSING),
    ("INFO_MISSING_IN_CONTEXT", Code.MISSING),
    ("Code: GRANULARITY", Code.GRANULARITY),
    ("**AMBIGUOUS_QUERY**", Code.AMBIGUOUS),
    ("I considered REFUSE_AMBIGUOUS_QUERY but it names one, so REFUSE_FALSE_PREMISE_IN_QUERY.", Code.FALSE_PREMISE),
    ("At first it was like REFUSE_AMBIGUOUS_QUERY. They differ.\n\nREFUSE_CONTRADICTORY_CONTEXT", Code.CONTRADICTORY),
    ("Could it be REFUSE_OTHER? Two readings fit equally well. Decision: REFUSE_AMBIGUOUS_QUERY", Code.AMBIGUOUS),
    ("If a year were given I would answer; none is: REFUSE_INFO_MISSING_IN_CONTEXT", Code.MISSING),
    ("REFUSE_OTHER does not apply. REFUSE_GRANULARITY_MISMATCH does.", Code.GRANULARITY),
    ("The right code would be REFUSE_FALSE_PREMISE_IN_QUERY.", Code.FALSE_PREMISE),
    ("I cannot answer this. REFUSE_INFO_MISSING_IN_CONTEXT", Code.MISSING),
    ("The passage does not say who: REFUSE_MISSING", Code.MISSING),
    ("This seems to be REFUSE_AMBIGUOUS_QUERY.", Code.AMBIGUOUS),
    ("REFUSE_AMBIGUOUS_QUERY, REFUSE_OTHER, REFUSE_NONFACTUAL_QUERY", Code.AMBIGUOUS),
    (
        "The codes are REFUSE_AMBIGUOUS_QUERY, REFUSE_FALSE_PREMISE_IN_QUERY and REFUSE_OTHER. Here the tower is taken "
        "to have burnt down, which it has not: REFUSE_FALSE_PREMISE_IN_QUERY",
        Code.FALSE_PREMISE,
    ),
    ("> REFUSE_CONTRADICT", Code.CONTRADICTORY),
    ("I won't say REFUSE_OTHER; REFUSE_FALSE_PREMISE is right", Code.FALSE_PREMISE),
    ("I can't say REFUSE_OTHER here, so REFUSE_GRANULARITY_MISMATCH", Code.GRANULARITY),
    ("You shouldn't use REFUSE_OTHER or REFUSE_AMBIGUOUS_QUERY: REFUSE_CONTRADICTORY_CONTEXT", Code.CONTRADICTORY),
    ("I won't answer REFUSE_OTHER", Code.OTHER),
    ('{"answer": "REFUSE_NONFACTUAL_QUERY"}', Code.NONFACTUAL),
]  # fmt: skip


@pytest.mark.parametrize(("said", "code"), DECIDED)
def test_codes_first_stated_decision_wins(said: str, code: Code) -> None:
    assert codes_in(said)[:1] == (code,)


@pytest.mark.parametrize(
    "said",
    [
        "I am afraid I cannot answer that from the passage.",
        "The question is AMBIGUOUS in principle, but the passage settles it: 1871.",
        "It opened in 1871; there is no reason to reply REFUSE_OTHER.",
        "The light was lit in 1868, so REFUSE_INFO_MISSING_IN_CONTEXT does not apply.",
        "I considered REFUSE_AMBIGUOUS_QUERY, but the answer is 1871.",
        "If the passage gave no year I would say REFUSE_INFO_MISSING_IN_CONTEXT. It does: 1871.",
        "I was asked to choose among REFUSE_AMBIGUOUS_QUERY, REFUSE_OTHER or REFUSE_NONFACTUAL_QUERY. It was in 1871.",
        "- REFUSE_AMBIGUOUS_QUERY: two readings\n- REFUSE_OTHER: anything else\n- REFUSE_MISSING: nothing is said\n"
        "None of these fits. The answer is 1871.",
        "The instructions say REFUSE_OTHER when nothing else fits. The answer is 1871.",
        "It is not REFUSE_OTHER or REFUSE_AMBIGUOUS_QUERY: the answer is 1871.",
        "I didn't find REFUSE_MISSING justified: 1871.",
        "1871 (REFUSE_AMBIGUOUS_QUERY would be wrong here)",
        "They REFUSED to sign the CONTRACT in 1871.",
    ],
)
def test_codes_denied_weighed_recited_or_prose_is_no_refusal(said: str) -> None:
    assert codes_in(said) == ()


def test_other_codes_are_what_a_response_names_beside_its_decision() -> None:
    said = "I considered REFUSE_AMBIGUOUS_QUERY but this is REFUSE_OTHER, not REFUSE_MISSING."
    assert codes_in(said) == (Code.OTHER,)
    assert other_codes(said) == (Code.AMBIGUOUS, Code.MISSING)
    assert other_codes("In 1871; not REFUSE_OTHER.") == (Code.OTHER,)
    assert other_codes("REFUSE_OTHER. REFUSE_OTHER") == ()


@given(st.text("ABR", max_size=9), st.text("ABR", max_size=9))
def test_slips_are_counted_as_the_levenshtein_distance_is(one: str, other: str) -> None:
    assert _slips(one, other) == Levenshtein.distance(one, other, score_cutoff=2)


def test_code_reader_runs_alone_on_plain_python(tmp_path: Path) -> None:
    copied = tmp_path / "code_reader.py"
    copied.write_text(inspect.getsource(code_reader), encoding="utf-8")
    program = (
        "import code_reader;"
        "reader = code_reader.CodeReader({'REFUSEOTHER': 'o', 'REFUSEAMBIGUOUSQUERY': 'a'}, {}, 'o');"
        "print([found.code for found in reader.stated_codes('I go for REFUSE_AMBIGOUS_QUERY.')])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[0:0] = ['{tmp_path}']; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['a']\n"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ('{"answer": "REFUSE_OTHER"}', Code.OTHER),
        ("**Final answer:** refuse other", Code.OTHER),
        ("```text\nREFUSE_INFO_MISSING_INCONTEXT\n```", Code.MISSING),
        ("\ufeffREFUSE\\_\u200bAMBIGUOUS-QUERY.", Code.AMBIGUOUS),
        ("答：ＲＥＦＵＳＥ＿ＯＴＨＥＲ。", Code.OTHER),
        ("REFUSE_NONFACTUAL [1, 2]", Code.NONFACTUAL),
        ("REFUSE_OTHER\nREFUSE_OTHER", Code.OTHER),
    ],
)
def test_sole_code_with_signs_around_it_is_the_whole_response(said: str, code: Code) -> None:
    assert sole_code(said) is code


@pytest.mark.parametrize(
    "said",
    ["", "Sodium.", "REFUSE_OTHER?", "~~REFUSE_OTHER~~", "not REFUSE_OTHER", "REFUSE_TO_ANSWER", "REFUSE_OTHER: 0.2",
     "REFUSE_OTHER, REFUSE_AMBIGUOUS_QUERY", "REFUSE_OTHER. No year is given."],
)  # fmt: skip
def test_sole_code_response_with_more_than_one_code_has_none(said: str) -> None:
    assert sole_code(said) is None
