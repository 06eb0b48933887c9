"""The recorded lane: replies are found by what decided them, also after prompts were worded anew."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from demur.lanes.engine import open_models
from demur.lanes.prices import FREE, prices_of
from demur.lanes.simulator.server import serve
from demur.lanes.spec import ModelSpec, Replayed
from demur.programs.call_scope import CallScope, Decided, KnownReply, call_scope
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.judge import Judge, judge
from demur.programs.model import Model
from demur.programs.recording import Entry, Recorded, Speaker, write_recording
from demur.programs.respondent import Respondent, respond
from tests.lanes.asking import OVERLAP, PASSAGES, QUESTION, MemoryCallStore, spec

DECIDED = Decided("0" * 16, (), "respond of the lighthouse question")


def recorded(
    folder: Path, dialogues: Sequence[Sequence[Recorded]], task: str = "AnswerFromPassage", **changes: Any
) -> ModelSpec:
    """Write a recording with the replies of one unit, and return the spec of its model."""
    speaker = Speaker(
        name="voice", roles=("respondent",), asked=("m",), first=date(2026, 1, 2), last=date(2026, 1, 2), replies=1
    )
    entry = Entry(
        stage="respond",
        model="voice",
        task=task,
        key=DECIDED.key,
        dialogues=tuple(map(tuple, dialogues)),
    )
    write_recording(folder / "replies.jsonl.gz", [speaker], [entry])
    given = {"name": "again", "provider": "recorded", "model": "voice", "file": folder / "replies.jsonl.gz"}
    return ModelSpec.model_validate(given | changes)


def said(text: str, request: str = "0" * 12, tokens: int = 7) -> Recorded:
    return Recorded(text=text, request=request, input=tokens, output=tokens + 1, cached=2)


async def ask(
    model: Model,
    call_store: MemoryCallStore,
    known: tuple[KnownReply, ...] = (),
    decided: Decided | None = DECIDED,
) -> tuple[str, CallScope]:
    scope = CallScope("round-1", "respond", "unit-1", call_store, known, decided=decided)
    with call_scope(scope):
        return (await respond(Respondent(), model, QUESTION, PASSAGES)).text, scope


async def test_recorded_reply_comes_with_its_tokens_at_no_cost_and_is_marked_where_the_prompt_was_another(
    tmp_path: Path,
) -> None:
    call_store = MemoryCallStore()
    model = recorded(tmp_path, [[said("In 1874.")]])
    async with open_models([model], "respondent", {}) as models:
        assert (await ask(models["again"], call_store))[0] == "In 1874."
    [call] = call_store.calls
    assert (call.model, call.provider, call.provider_model) == ("again", "recorded", "voice")
    assert (call.input_tokens, call.output_tokens, call.cached_tokens, call.cost_usd) == (7, 8, 2, 0.0)
    assert call.earlier_prompt is True
    same = recorded(tmp_path, [[said("In 1874.", call.request_digest[:12])]])
    async with open_models([same], "respondent", {}) as models:
        await ask(models["again"], call_store)
    assert call_store.calls[1].earlier_prompt is False


async def test_recorded_correction_follows_the_reply_that_it_corrected_also_after_a_kill(tmp_path: Path) -> None:
    async def judged(model: Model, call_store: MemoryCallStore, known: tuple[KnownReply, ...] = ()) -> bool | None:
        with call_scope(CallScope("round-1", "respond", "unit-1", call_store, known, decided=DECIDED)):
            return (await judge(Judge(), model, QUESTION, ("1874",), "In 1874.", PASSAGES)).correct

    first, again = MemoryCallStore(), MemoryCallStore()
    right = '{"explanation": "as it is", "classification": "ANSWER_ATTEMPT", "quality": 5}'
    model = recorded(tmp_path, [[said(" "), said(right)]], task="JudgeShortAnswer")
    async with open_models([model], "judge", {}) as models:
        assert await judged(models["again"], first)
        assert [call.reply for call in first.calls] == [" ", right]
        assert await judged(models["again"], again, first.known()[:1])
    assert [call.reply for call in again.calls] == [right]


async def test_recorded_unit_that_asks_the_same_again_gets_the_next_reply(tmp_path: Path) -> None:
    call_store = MemoryCallStore()
    model = recorded(tmp_path, [[said("One.")], [said("Two.")]])
    async with open_models([model], "respondent", {}) as models:
        with call_scope(CallScope("round-1", "respond", "unit-1", call_store, decided=DECIDED)):
            answers = [(await respond(Respondent(), models["again"], QUESTION, PASSAGES)).text for _ in range(2)]
            assert answers == ["One.", "Two."]
            with pytest.raises(LaneError):
                await respond(Respondent(), models["again"], QUESTION, PASSAGES)


async def test_reply_that_is_not_recorded_is_an_error_that_names_the_request(tmp_path: Path) -> None:
    call_store = MemoryCallStore()
    model = recorded(tmp_path, [[said("In 1874.")]])
    other = Decided("1" * 16, (), "respond of another question, base b-7")
    async with open_models([model], "respondent", {}) as models:
        with pytest.raises(LaneError) as caught:
            await ask(models["again"], call_store, decided=other)
        with pytest.raises(LaneError, match="outside of a round"):
            await ask(models["again"], call_store, decided=None)
    assert caught.value.kind is ErrorKind.NOT_RECORDED and not caught.value.retryable
    assert "has no reply of 'voice' to AnswerFromPassage: respond of another question, base b-7" in str(caught.value)
    assert [(call.status, call.error_class) for call in call_store.calls] == [("error", "not_recorded")] * 2


async def test_fallback_answers_what_is_not_recorded_under_its_own_name(tmp_path: Path) -> None:
    call_store = MemoryCallStore()
    fallback = {"name": "floor", "provider": "rules", "model": "respondent/lexical-overlap"}
    model = recorded(tmp_path, [[said("In 1874.")]], fallback=fallback)
    other = Decided("1" * 16, (), "respond of another question")
    async with open_models([model], "respondent", {}) as models:
        assert (await ask(models["again"], call_store))[0] == "In 1874."
        answer, scope = await ask(models["again"], call_store, decided=other)
    assert "1874" in answer
    assert [(call.model, call.provider, call.earlier_prompt) for call in call_store.calls] == [
        ("again", "recorded", True),
        ("floor", "rules", None),
    ]
    assert scope.last_call_id == call_store.calls[1].call_id
    alone = model.model_copy(update={"fallback": None})
    assert alone.fingerprint != model.fingerprint


async def test_replayed_model_keeps_its_fingerprint_and_needs_neither_key_nor_network(tmp_path: Path) -> None:
    call_store = MemoryCallStore()
    with serve() as provider:
        api = spec(provider, "openai", OVERLAP, name="voice", mode="batch")
    written = recorded(tmp_path, [[said("In 1874.")]])
    assert written.file is not None
    replayed = Replayed.by(api, written.file)
    assert replayed.fingerprint == api.fingerprint
    assert (replayed.key_variable, replayed.key_source, prices_of(replayed)) == (None, None, FREE)
    assert "read_from" not in str(ModelSpec.model_json_schema())
    async with open_models([replayed], "respondent", {}) as models:
        assert (await ask(models["voice"], call_store))[0] == "In 1874."
    assert (call_store.calls[0].provider, call_store.calls[0].fingerprint) == ("recorded", api.fingerprint)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"file": None}, "needs a file, which `demur record ROUND --out FILE` writes"),
        ({"base_url": "http://127.0.0.1:1/v1"}, "a recorded model takes no base_url"),
        ({"provider": "rules", "model": OVERLAP, "file": None, "fallback": "any"}, "fallback is for provider recorded"),
    ],
)
def test_recorded_spec_with_what_it_cannot_have_is_refused(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    other = {"name": "other", "provider": "rules", "model": OVERLAP}
    given = {key: other if value == "any" else value for key, value in changes.items()}
    with pytest.raises(ValueError, match=told):
        recorded(tmp_path, [[said("x")]], **given)
