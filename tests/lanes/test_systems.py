"""Systems that are functions: what they may do, and that none of it holds up an evaluation."""

import asyncio
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from demur.configuration.models import UNVERSIONED, chosen_model, system_as_model
from demur.errors import ConfigError
from demur.lanes.engine import open_models
from demur.lanes.spec import ModelSpec
from demur.lanes.system_functions import address_of, system_at
from demur.plugins import PluginError
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.respondent import Response, System, respond
from tests.lanes.asking import PASSAGES, QUESTION, MemoryCallStore

Texts = list[str]


async def said_by(
    system: Callable[..., object], call_store: MemoryCallStore | None = None, **limits: object
) -> Response:
    """Return what a function of this process says to the question."""
    spec = ModelSpec.model_validate(
        {"name": "mine", "provider": "respondent", "model": address_of(system), "version": "1", "limits": limits}
    )
    async with open_models([spec], "respondent", {}) as models:
        with call_scope(CallScope("round-1", "respond", "unit-1", call_store or MemoryCallStore())):
            return await respond(System(), models["mine"], QUESTION, PASSAGES)


def _fails(question: str, passages: Texts) -> str:
    raise KeyError(question[:4])


async def _fails_later(question: str, passages: Texts) -> str:
    await asyncio.sleep(0)
    raise SystemExit("enough")


async def _cancels_itself(question: str, passages: Texts) -> str:
    raise asyncio.CancelledError


class _Broken:
    @property
    def text(self) -> str:
        raise ValueError("no text yet")


@pytest.mark.parametrize(
    "system",
    [
        lambda question, passages: f"{question}|{passages[0]}",
        lambda question, passages: {"text": f"{question}|{passages[0]}"},
        lambda question, passages: SimpleNamespace(text=f"{question}|{passages[0]}"),
    ],
)
async def test_function_gets_question_and_texts_and_may_return_an_object(system: Callable[..., object]) -> None:
    assert (await said_by(system)).text == f"{QUESTION}|{PASSAGES[0].text}"


async def test_ids_that_a_system_names_are_kept_as_texts() -> None:
    said = await said_by(lambda question, passages: {"text": "In 1874.", "citations": [1], "retrieved": ("a", "b")})
    assert (said.citations, said.retrieved) == (("1",), ("a", "b"))
    said = await said_by(lambda question, passages: '{"response": "x"} {')
    assert (said.text, said.citations, said.retrieved) == ('{"response": "x"} {', None, None)


@pytest.mark.parametrize(
    ("system", "kind", "said"),
    [
        (_fails, ErrorKind.RAISED, r"raised KeyError: 'When', at test_systems.py:\d+ in _fails"),
        (_fails_later, ErrorKind.RAISED, "raised SystemExit: enough, at test_systems.py"),
        (_cancels_itself, ErrorKind.RAISED, "raised CancelledError"),
        (lambda question, passages: _Broken(), ErrorKind.RAISED, "raised ValueError: no text yet"),
        (lambda question, passages: None, ErrorKind.PROTOCOL, "returned NoneType, which has no text"),
        (lambda question, passages: b"bytes", ErrorKind.PROTOCOL, "returned bytes, which has no text"),
        (lambda question, passages: {"answer": "1874"}, ErrorKind.PROTOCOL, "returned dict, which has no text"),
        (lambda question, passages: " \n", ErrorKind.PROTOCOL, "returned an empty text"),
        (lambda question, passages: "x" * 1_000_001, ErrorKind.PROTOCOL, "1,000,001 characters, and 1,000,000"),
        (
            lambda question, passages: {"text": "x", "citations": "abc"},
            ErrorKind.PROTOCOL,
            "citations of type str, and a list",
        ),
        (
            lambda question, passages: {"text": "x", "retrieved": [b"a"]},
            ErrorKind.PROTOCOL,
            "retrieved that hold bytes",
        ),
    ],
)
async def test_whatever_goes_wrong_is_one_failed_request_that_says_what(
    system: Callable[..., object], kind: ErrorKind, said: str
) -> None:
    call_store = MemoryCallStore()
    with pytest.raises(LaneError, match=said) as caught:
        await said_by(system, call_store)
    assert caught.value.kind is kind
    assert [(call.status, call.error_class) for call in call_store.calls] == [("error", kind.value)]


def _sleeps(question: str, passages: Texts) -> str:
    time.sleep(300)
    return "late"


async def _blocks_its_loop(question: str, passages: Texts) -> str:
    time.sleep(300)
    return "late"


async def _waits(question: str, passages: Texts) -> str:
    await asyncio.sleep(300)
    return "late"


@pytest.mark.parametrize("system", [_sleeps, _waits, _blocks_its_loop])
async def test_function_that_hangs_is_left_at_its_time_limit_and_blocks_nobody(system: Callable[..., object]) -> None:
    with pytest.raises(LaneError, match=r"no answer within 1\.2 s") as caught:
        await said_by(system, timeout_seconds=1.2, retries=0)
    assert caught.value.kind is ErrorKind.TIMEOUT

    async def next_one(question: str, passages: Texts) -> str:
        return "there"

    assert (await said_by(next_one)).text == "there"


async def test_settings_of_our_programs_do_not_reach_a_system() -> None:
    import dspy

    def plain(question: str, passages: Texts) -> str:
        return str(dspy.settings.lm)

    async def later(question: str, passages: Texts) -> str:
        return str(dspy.settings.lm)

    assert [(await said_by(one)).text for one in (plain, later)] == ["None", "None"]


def test_address_is_looked_up_in_this_folder_and_faults_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "rag_of_mine.py").write_text(
        textwrap.dedent("""
            WORD = "five"
            def answer(question, passages): return "x"
            def narrow(question): return "x"
        """)
    )
    (tmp_path / "rag_broken.py").write_text("import nothing_of_this_name\n")
    assert system_at("rag_of_mine:answer")("q", []) == "x"
    for address, said in {
        "rag_of_mine:other": "AttributeError: module 'rag_of_mine' has no attribute 'other'",
        "rag_of_mine:WORD": "is of type str, but must be a function",
        "rag_of_mine:narrow": r"cannot be called with \(question, passages\): too many positional arguments",
        "rag_broken:answer": "No module named 'nothing_of_this_name', at rag_broken.py:1",
        "nowhere:answer": "cannot be imported .*No module named 'nowhere'",
    }.items():
        with pytest.raises(PluginError, match=f"system {address}: .*{said}"):
            system_at(address)


@pytest.mark.parametrize(
    ("text", "version", "model"),
    [
        ("my_rag:answer", "3", "answer=respondent:my_rag:answer,version=3"),
        ("rag=my_rag:answer,mode=live", "3", "rag=respondent:my_rag:answer,mode=live,version=3"),
        ("last-words", None, "last-words=respondent:last-words"),
    ],
)
def test_system_is_a_model_with_its_version(text: str, version: str | None, model: str) -> None:
    assert system_as_model(text, version) == model


def test_system_without_a_version_is_another_one_each_time() -> None:
    first, second = (chosen_model(system_as_model("my_rag:answer", None), ()) for _ in range(2))
    assert first.version is not None and first.version.startswith(UNVERSIONED)
    assert first.fingerprint != second.fingerprint
    assert chosen_model(system_as_model("my_rag:answer", "1.10"), ()).version == "1.10"
    with pytest.raises(ConfigError, match="--system '=x' is not .*package.module:function"):
        system_as_model("=x", None)
    with pytest.raises(ConfigError, match=r"write the module as in an import, folder\.my_rag:\.\.\."):
        system_as_model("folder/my_rag.py:answer", None)
    with pytest.raises(PluginError, match="or write a function as my_rag:FUNCTION"):
        system_at("my_rag")


def test_version_belongs_to_systems_and_is_needed_by_those_that_nobody_sees_change() -> None:
    with pytest.raises(ValidationError, match="a system needs a version, such as version: '1'"):
        ModelSpec(name="mine", provider="respondent", model="my_rag:answer")
    with pytest.raises(ValidationError, match="version is for systems: a rules model is identified by its name"):
        ModelSpec(name="mine", provider="rules", model="respondent/always-answers", version="1")


async def test_asynchronous_functions_and_objects_share_a_loop_that_is_not_ours() -> None:
    loops = []

    class Rag:
        async def __call__(self, question: str, passages: Texts) -> str:
            loops.append(asyncio.get_running_loop())
            return question

    async def rag(question: str, passages: Texts) -> str:
        loops.append(asyncio.get_running_loop())
        return question

    assert (await said_by(Rag())).text == (await said_by(rag)).text == QUESTION
    assert (await said_by(lambda question, passages: rag(question, passages))).text == QUESTION
    assert len({id(one) for one in loops}) == 1 and loops[0] is not asyncio.get_running_loop()
