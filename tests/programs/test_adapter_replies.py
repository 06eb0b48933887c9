"""Replies as models give them: what is read, and what is said where nothing can be."""

import json
from typing import Any

import dspy
import pytest
from dspy.lm15 import Config, Message, Request, Response, Usage
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.lanes.simulator.wire import check_strict
from demur.levers.instances import ChangedPassage
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import DIGESTED_FORMAT, JsonAdapter, request_digest
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.errors import ReplyError
from demur.programs.signatures.judgement import Classification
from demur.programs.signatures.registry import SIGNATURES

JUDGE = SIGNATURES["JudgeShortAnswer"]
RESPOND = SIGNATURES["AnswerFromPassage"]
GOOD = {"explanation": "It says so.", "classification": "ANSWER_ATTEMPT", "quality": 4}
TYPED = {**GOOD, "classification": Classification.ANSWER_ATTEMPT}  # type: ignore[attr-defined]
ONE = json.dumps(GOOD)


def read(text: str, signature: type[dspy.Signature] = JUDGE) -> dict[str, Any]:
    return JsonAdapter().parse(signature, text)


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        json.dumps(GOOD, indent=4),
        f"```json\n{ONE}\n```",
        f"```\n{ONE}```",
        f"Sure! Here is my verdict:\n\n{ONE}\n\nLet me know {{if}} you need more.",
        f'I looked at {{the response}} and {{"this"}}: {ONE}',
        f"{ONE}\n{ONE}",
        f"<think>Is it {json.dumps({**GOOD, 'quality': 1})}? No.</think>\n{ONE}",
        f"[{ONE}]",
        "\ufeff" + ONE,
        json.dumps({"notes": 1}) + ONE,
        f"<answer>{ONE}</answer>",
        json.dumps({"result": GOOD}),
        json.dumps({"name": "JudgeShortAnswer", "arguments": GOOD}),
        json.dumps({name.title(): value for name, value in GOOD.items()}),
        str(GOOD),
        f"The verdict:\n{str(GOOD)[:-1]},\n}} as I see it.",
        f"```\n{ONE[:-1]},\n}}\n```",
        ONE.replace('"explanation"', "explanation").replace('"ANSWER_ATTEMPT"', "ANSWER_ATTEMPT"),
        ONE.replace('"', "\u201d"),
        json.dumps(GOOD, indent=1).replace("4", "4  // needless words\n"),
    ],
)
def test_reply_with_something_around_it_is_read(text: str) -> None:
    assert read(text) == TYPED


def test_reply_with_line_breaks_within_a_string_is_read() -> None:
    assert read(ONE.replace("says so", "says\n\tso"))["explanation"] == "It says\n\tso."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the reply is empty"),
        (" \n", "the reply is empty"),
        ("<think>hm</think>", "the reply has reasoning, and no response behind it"),
        ("It is fine.", "the reply holds no JSON object"),
        ("true", "the reply holds no JSON object"),
        (ONE[:-5], "the reply is not valid JSON: Unterminated string"),
        (ONE.replace('"', "'").replace("says", "doesn't say"), "the reply is not valid JSON: Expecting property name"),
        (f"{GOOD} { ({**GOOD, 'quality': 1}) }", "the reply is not valid JSON: Expecting property name"),
        (str(GOOD)[:-1] + ", 'quality': 1}", "the reply is not valid JSON: Expecting property name"),
        (str(GOOD).replace("4", "print(4)"), "the reply is not valid JSON: Expecting property name"),
        ('{"explanation": ' * 5000, "the reply is "),
        (json.dumps({**GOOD, "quality": 9}), "quality: Input should be less than or equal to 5, got 9"),
        (json.dumps({**GOOD, "quality": "good"}), "quality: Input should be a valid integer"),
        (json.dumps({**GOOD, "classification": "MAYBE"}), "classification: Input should be 'ANSWER_ATTEMPT'"),
        (json.dumps({"explanation": "a", "quality": 4}), "classification is missing"),
        (json.dumps({"verdict": GOOD, "draft": {**GOOD, "quality": 1}}), "the reply holds 2 JSON objects that differ"),
        (ONE[:-1] + ', "quality": 1}', "the reply is JSON that cannot be read: quality stands there twice"),
        (json.dumps({**GOOD, "Quality": 1}), "quality stands there twice, with different values"),
        (json.dumps({**GOOD, "quality": 4.5}), "quality: Input should be a valid integer"),
        (json.dumps({**GOOD, "quality": 10}), "quality: Input should be less than or equal to 5"),
        (json.dumps({**GOOD, "quality": "4/10"}), "quality: Input should be a valid integer"),
        (json.dumps({**GOOD, "classification": "REFUSE"}), "classification: Input should be"),
        (json.dumps({**GOOD, "classification": "REFUSE_OTHER or ANSWER_ATTEMPT"}), "classification: Input should be"),
        (json.dumps({**GOOD, "classification": None}), "classification is missing"),
        (
            json.dumps({"type": "object", "properties": {"explanation": {"type": "string"}}}),
            "classification is missing",
        ),
        (json.dumps({**GOOD, "explanation": "\ud83d"}), "the reply holds half of a surrogate pair"),
        (ONE + json.dumps({**GOOD, "quality": 1}), "the reply holds 2 JSON objects that differ; wanted is one"),
        ("{note} " + json.dumps({**GOOD, "quality": 9}), "quality: Input should be less than or equal to 5"),
        ('{"quality": ' + "9" * 5000 + "}", "the reply "),
    ],
)
def test_reply_that_cannot_be_read_says_why_in_one_line_and_keeps_the_text(text: str, problem: str) -> None:
    with pytest.raises(ReplyError) as caught:
        read(text)
    assert caught.value.problem.startswith(problem)
    assert "\n" not in caught.value.problem and len(caught.value.problem) < 1000
    assert caught.value.reply == text


REFUSED: dict[str, Any] = {"explanation": "", "classification": "REFUSE_INFO_MISSING_IN_CONTEXT", "quality": None}


@pytest.mark.parametrize(
    "said",
    [
        "refuse_info_missing_in_context",
        "REFUSE INFO MISSING IN CONTEXT",
        "REFUSE_INFO_MISSING_IN CONTEXT",
        "Refuse-Info-Missing-In-Context",
        "REFUSE\\_INFO\\_MISSING\\_IN\\_CONTEXT",
        "**REFUSE_INFO_MISSING_IN_CONTEXT**",
        "`REFUSE_INFO_MISSING_IN_CONTEXT`.",
        "\u200bREFUSE_INFO_\u2060MISSING_IN_CONTEXT\ufeff",
        "\uff32EFUSE_INFO_MISSING_IN_CONTEXT",
        "REFUSE_INFO_MISSING",
        "INFO_MISSING_IN_CONTEXT",
    ],
)
def test_reply_whose_choice_is_spelled_otherwise_is_that_choice(said: str) -> None:
    assert read(json.dumps({**REFUSED, "classification": said}, ensure_ascii=False)) == REFUSED
    assert read(json.dumps({**REFUSED, "classification": said})) == REFUSED


@pytest.mark.parametrize(
    ("changes", "quality"),
    [
        ({"quality": "4"}, 4),
        ({"quality": 4.0}, 4),
        ({"quality": "4.0"}, 4),
        ({"quality": "4/5"}, 4),
        ({"quality": "4 out of 5"}, 4),
        ({"quality": " 4 "}, 4),
        ({"quality": "null"}, None),
        ({"quality": "N/A"}, None),
        ({"quality": 0}, None),
        ({"quality": float("nan")}, None),
        ({"confidence": 0.9}, 4),
        ({"classification": "answer_attempt"}, 4),
        ({"explanation": None}, 4),
    ],
)
def test_reply_whose_value_is_written_otherwise_is_that_value(changes: dict[str, Any], quality: int | None) -> None:
    found = read(json.dumps({**GOOD, **changes}))
    assert (found["classification"], found["quality"]) == ("ANSWER_ATTEMPT", quality)


@pytest.mark.parametrize("left_out", [("quality",), ("explanation", "quality")])
def test_reply_without_a_field_that_says_nothing_is_read(left_out: tuple[str, ...]) -> None:
    assert read(json.dumps({name: value for name, value in REFUSED.items() if name not in left_out})) == REFUSED


def test_reply_of_a_text_that_reads_like_nothing_stays_a_text() -> None:
    values = {"reasoning": "", "declined": "None", "lever": None, "perturbed_question": "N/A", "changed_passages": ()}
    codec = contract(SIGNATURES["GeneratePerturbation"])
    assert codec.read_reply(json.dumps({**values, "answer_constraint_met": "null"})) == {
        **values,
        "answer_constraint_met": "null",
    }


def test_request_lists_whole_numbers_between_bounds_and_its_digest_does_not_change() -> None:
    wanted = contract(JUDGE).response_format
    assert wanted is not None
    [number, _] = wanted.sent["schema"]["properties"]["quality"]["anyOf"]
    [free, _] = wanted.digested["schema"]["properties"]["quality"]["anyOf"]
    assert (number, free) == ({"type": "integer", "enum": [1, 2, 3, 4, 5]}, {"type": "integer"})
    rating = contract(SIGNATURES["RateHelpfulness"]).response_format
    assert rating is not None and rating.sent["schema"]["properties"]["rating"]["enum"] == list(range(11))
    requests = [
        Request(model="m", messages=(Message.user("{}"),), config=Config(response_format=shape, extensions=notes))
        for shape, notes in ((wanted.sent, {DIGESTED_FORMAT: wanted.digested}), (wanted.digested, None))
    ]
    assert request_digest(requests[0]) == request_digest(requests[1])


@pytest.mark.parametrize("depth", range(850, 1_010, 40))
def test_reply_nested_as_deep_as_it_can_just_be_decoded_is_a_reply_error(depth: int) -> None:
    text = ONE.replace('"It says so."', '{"a": ' * depth + "1" + "}" * depth)
    with pytest.raises(ReplyError):
        read(text)


def test_reply_in_plain_text_is_kept_but_for_white_space_and_thinking() -> None:
    assert read("  In 1874.\n", RESPOND) == {"response": "In 1874."}
    assert read("<think>When?\n</think>\nIn 1874.", RESPOND) == {"response": "In 1874."}
    assert read('{"response": "In 1874."}', RESPOND) == {"response": '{"response": "In 1874."}'}
    assert read("<think>When?</think>In 1874.<think>Sure?</think>", RESPOND) == {"response": "In 1874."}
    assert read("<think>When? In 18", RESPOND) == {"response": ""}


@given(
    changed=st.lists(
        st.builds(ChangedPassage, index=st.integers(0, 9), text=st.text(st.characters(exclude_categories=("Cs",)))),
        max_size=3,
    ).map(tuple),
    words=st.text(st.characters(exclude_categories=("Cs",)), max_size=30),
    before=st.sampled_from(["", "So:\n", "```json\n", "<think>{}</think>", "{x} "]),
    after=st.sampled_from(["", "\n```", "\nDone.", " }"]),
)
@settings(max_examples=60)
def test_reply_written_by_a_model_that_is_exact_is_read_back_whatever_its_texts(
    changed: tuple[ChangedPassage, ...], words: str, before: str, after: str
) -> None:
    codec = contract(SIGNATURES["GeneratePerturbation"])
    values = {
        "reasoning": words,
        "declined": None,
        "lever": words,
        "perturbed_question": words,
        "changed_passages": changed,
        "answer_constraint_met": words,
    }
    assert codec.read_reply(before + codec.write_reply(values) + after) == values


@given(text=st.text())
def test_reply_of_any_text_is_read_or_is_a_reply_error(text: str) -> None:
    for signature in SIGNATURES.values():
        try:
            assert set(read(text, signature)) == set(signature.output_fields)
        except ReplyError as exc:
            assert exc.reply == text


def inputs_of(signature: type[dspy.Signature]) -> dict[str, Any]:
    inputs = {"question": "q", "reference_answers": (), "response": "r", "passages": ()}
    return {name: inputs[name] for name in signature.input_fields}


@pytest.mark.parametrize(
    ("signature", "text", "kept"),
    [
        (JUDGE, ONE, TYPED),
        (JUDGE, ONE[:-5], None),
        (RESPOND, "In 18", {"response": "In 18"}),
    ],
)
def test_reply_cut_off_is_used_if_it_is_whole_json_or_a_text_taken_as_sent(
    signature: type[dspy.Signature], text: str, kept: dict[str, Any] | None
) -> None:
    dialogue = JsonAdapter()._dialogue("demur/any", signature, [], inputs_of(signature))
    next(dialogue)
    cut = Response(id=None, model="m", message=Message.assistant(text), finish_reason="length", usage=Usage())
    scope = CallScope("round", "stage", "unit")
    with call_scope(scope):
        if kept is None:
            again = dialogue.send(cut)
            assert "cut off at the limit of tokens" in (again.messages[-1].text or "")
        else:
            with pytest.raises(StopIteration) as done:
                dialogue.send(cut)
            assert done.value.value == kept
    assert scope.is_cut


@pytest.mark.parametrize("task", SIGNATURES)
def test_text_is_taken_as_sent_unless_it_is_a_completion_for_the_round(task: str) -> None:
    codec = contract(SIGNATURES[task])
    assert codec.taken_as_sent is (codec.plain_text is not None and task != "WriteCompletion")


@pytest.mark.parametrize("task", SIGNATURES)
def test_contract_schema_is_one_that_strict_modes_take(task: str) -> None:
    wanted = contract(SIGNATURES[task]).response_format
    if contract(SIGNATURES[task]).plain_text:
        assert wanted is None
        return
    assert wanted is not None and wanted.sent["strict"] is True
    check_strict(wanted.sent["schema"])
    assert list(wanted.sent["schema"]["properties"]) == list(SIGNATURES[task].output_fields)


def test_contract_schema_with_free_names_is_sent_but_not_as_strict() -> None:
    class Free(dspy.Signature):  # type: ignore[misc]
        """Collect facts."""

        text: str = dspy.InputField(desc="a text")
        facts: dict[str, int] = dspy.OutputField(desc="numbers by name")
        kind: str | None = dspy.OutputField(desc="its kind")

    codec = contract(Free)
    assert codec.response_format is not None and codec.response_format.sent["strict"] is False
    assert "- facts (object whose values are each integer): numbers by name" in codec.system
    assert codec.read_reply('{"facts": {"a": 1}, "kind": null}') == {"facts": {"a": 1}, "kind": None}
