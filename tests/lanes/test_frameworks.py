"""The frameworks of docs/systems.md: every example as it stands on the page, with a model that answers offline."""

import asyncio
import re
import socket
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from demur.lanes.engine import open_models
from demur.lanes.spec import ModelSpec
from demur.lanes.system_functions import address_of
from demur.programs.call_scope import CallScope, call_scope
from demur.programs.respondent import Response, System, respond
from tests.flows.rounds import ROOT
from tests.lanes.asking import PASSAGES, QUESTION, MemoryCallStore

pytestmark = pytest.mark.exhaustive
SAID = "It was built in 1874."


def example(first_line: str) -> str:
    """Return the example of the page that begins so."""
    page = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
    [found] = re.findall(rf"^```python\n({re.escape(first_line)}\n.*?)^```", page, re.M | re.S)
    return str(found)


def loaded(first_line: str, model: object, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run an example whose model is ours, and return what it defines."""
    monkeypatch.setitem(sys.modules, "my_models", types.ModuleType("my_models"))
    monkeypatch.setattr(sys.modules["my_models"], "model", model, raising=False)
    module = types.ModuleType("my_system")
    monkeypatch.setitem(sys.modules, "my_system", module)
    exec(compile(example(first_line), "my_system.py", "exec"), module.__dict__)
    return module.__dict__


async def said_by(provider: str, address: str) -> Response:
    """Return what a system says, asked twice at once."""
    spec = ModelSpec(name="mine", provider=provider, model=address, version="1")
    async with open_models([spec], "respondent", {}) as models:
        with call_scope(CallScope("round-1", "respond", "unit-1", MemoryCallStore())):
            first, again = await asyncio.gather(
                *(respond(System(), models["mine"], f"{QUESTION}{end}", PASSAGES) for end in ("", " "))
            )
    assert first == again
    return first


async def test_dspy_module_answers_with_its_own_model(monkeypatch: pytest.MonkeyPatch) -> None:
    import dspy
    from dspy.utils import DummyLM

    assert dspy.settings.lm is None
    own = loaded("import dspy", DummyLM([{"answer": SAID}] * 2), monkeypatch)
    assert (await said_by("respondent", address_of(own["answer"]))).text == SAID


@pytest.fixture
def serve() -> Iterator[Callable[[Any], str]]:
    """Serve an application on this machine until the test ends; return its address."""
    uvicorn = pytest.importorskip("uvicorn")
    servers: list[Any] = []

    def served(app: Any) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning"))
        servers.append(server)
        threading.Thread(target=server.run, daemon=True).start()
        while not server.started:
            time.sleep(0.02)
        return f"http://127.0.0.1:{port}/answer"

    yield served
    for server in servers:
        server.should_exit = True


async def test_fastapi_service_answers(monkeypatch: pytest.MonkeyPatch, serve: Callable[[Any], str]) -> None:
    pytest.importorskip("fastapi")

    async def model(question: str, passages: list[str]) -> str:
        return passages[0]

    own = loaded("from fastapi import FastAPI", model, monkeypatch)
    assert (await said_by("service", serve(own["app"]))).text == PASSAGES[0].text


async def test_example_of_the_repository_answers_and_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = ROOT / "examples" / "rag"
    assert len((folder / "my_rag.py").read_text(encoding="utf-8").splitlines()) <= 45
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    said = await said_by("respondent", "my_rag:answer")
    assert (said.text, said.citations) == ("The lighthouse at Cape Harrow was built in 1874.", ("1",))
    my_rag = sys.modules["my_rag"]
    assert my_rag.answer("How tall is Ada Brook?", ["The sea."]) == "I'm sorry, the passages do not say that."
    assert my_rag.answer("Who is it?", ["The sea."]) == "What do you want to know?"
