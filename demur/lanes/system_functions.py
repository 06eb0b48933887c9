"""The lane of systems that are functions: `(question, passages) -> text`, run in threads of their own."""

import asyncio
import inspect
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextvars import Context
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, cast

from dspy.lm15 import Request
from pydantic import JsonValue

from demur.lanes.probe import PROBE_TASK
from demur.lanes.spec import ModelSpec
from demur.lanes.transport import Access, Transport, no_logprobs
from demur.plugins import PluginError, PluginKind, required
from demur.programs.adapter.json_adapter import read_request, system_text, task_of
from demur.programs.call_scope import Reply
from demur.programs.errors import ErrorKind, LaneError, ProgramError
from demur.programs.signatures.registry import SIGNATURES
from demur.programs.signatures.response import AskSystem, AskSystemOfIndex

# Threads for functions of other packages, which may block, hang, raise or fork.
#
# Each call of a plain function has its own thread. Asynchronous functions share one event loop in a thread, so that
# clients bound to a loop work. Threads are daemons: a hanging thread ends with the process.


BEAT_SECONDS: Final = 0.2
STUCK_SECONDS: Final = 1.0
"""A loop without a beat for this time is blocked."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a call: a return value or an exception."""

    returned: object = None
    raised: BaseException | None = None


class _LoopThread:
    """An event loop in a daemon thread; the loop regularly records the time, to show that no call blocks the loop."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._beaten = time.monotonic()
        threading.Thread(target=self._run, name="systems", daemon=True).start()

    @property
    def stuck(self) -> bool:
        """True if a call blocks the loop."""
        return time.monotonic() - self._beaten > STUCK_SECONDS

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self._beat()
        self.loop.run_forever()

    def _beat(self) -> None:
        self._beaten = time.monotonic()
        self.loop.call_later(BEAT_SECONDS, self._beat)


_lock: Final = threading.Lock()
_current: list[_LoopThread] = []


def _loop_thread() -> _LoopThread:
    with _lock:
        if not _current:
            _current.append(_LoopThread())
        return _current[0]


def _leave_if_stuck(thread: _LoopThread) -> None:
    """Abandon a blocked loop, so that later calls get a new loop."""
    with _lock:
        if thread.stuck and thread in _current:
            _current.remove(thread)


async def call(function: Callable[..., object], *arguments: object) -> Ended:
    """Call a function, and return its value or exception.

    If the task that awaits the result is cancelled, an asynchronous function is cancelled too, but a plain function
    continues in its thread.
    """
    if _is_async(function):
        return await _in_loop(function, arguments)
    ended = await _in_thread(function, arguments)
    if not inspect.isawaitable(ended.returned):
        return ended
    returned = ended.returned
    return await _in_loop(lambda: returned, ())


def _is_async(function: Callable[..., object]) -> bool:
    return any(map(inspect.iscoroutinefunction, (function, getattr(function, "__call__", None))))  # noqa: B004


async def _in_thread(function: Callable[..., object], arguments: tuple[object, ...]) -> Ended:
    future: Future[Ended] = Future()
    process = os.getpid()

    def work() -> None:
        try:
            ended = Ended(function(*arguments))
        except BaseException as exc:
            ended = Ended(raised=exc)
        if os.getpid() != process:
            os._exit(0)  # the function forked; the child has nothing to do here
        future.set_result(ended)

    future.set_running_or_notify_cancel()
    threading.Thread(target=work, name="system", daemon=True).start()
    return await asyncio.wrap_future(future)


async def _in_loop(function: Callable[..., object], arguments: tuple[object, ...]) -> Ended:
    process = os.getpid()

    async def work() -> Ended:
        try:
            ended = Ended(await cast("Any", function(*arguments)))
        except BaseException as exc:
            task = asyncio.current_task()
            if isinstance(exc, asyncio.CancelledError) and task is not None and task.cancelling():
                raise
            ended = Ended(raised=exc)
        if os.getpid() != process:
            os._exit(0)
        return ended

    thread = _loop_thread()
    # a context of its own: settings of our programs, such as DSPy's model, are not those of the function
    future = Context().run(asyncio.run_coroutine_threadsafe, work(), thread.loop)
    try:
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        _leave_if_stuck(thread)
        raise


# Systems: products around models, which get a question and passages and reply in plain words.
#
# This module reads requests for systems, and turns their answers into replies.


LONGEST_TEXT: Final = 1_000_000
"""The longest answer in characters."""
INDEX_SECONDS: Final = 1_800
"""The longest time in which a system must index all passages."""
MOST_REFERENCES: Final = 10_000
"""The most citations of an answer, or retrieved passages."""
REFERENCES: Final = ("citations", "retrieved")


@dataclass(frozen=True, slots=True)
class SystemQuestion:
    """A question to a system, with the texts of its passages.

    If the system searches an index itself, `passages` is empty, and `view` has the ids of the item (`item`) and of the
    base instance (`base`). These ids decide which passages of the index the system may use. Otherwise `view` is None.
    """

    question: str
    passages: list[str]
    view: dict[str, str] | None = None


PROBE: Final = SystemQuestion("What colour is the door?", ["The door is green."])
"""The probe of a system."""


def asked_of_system(spec: ModelSpec, request: Request) -> SystemQuestion:
    """Return a request as a question to a system.

    Raises:
        LaneError: the request asks for something other than a response in plain words.
    """
    if request.config.logprobs is not None:
        raise no_logprobs(spec)
    if task_of(system_text(request)) == PROBE_TASK:
        return PROBE
    try:
        task, inputs = read_request(request, SIGNATURES)
    except ProgramError as exc:
        raise LaneError(str(exc), kind=ErrorKind.REQUEST) from exc
    if task == AskSystemOfIndex.__name__:
        return SystemQuestion(inputs["question"], [], {name: inputs[name] for name in ("item", "base")})
    if task != AskSystem.__name__:
        raise LaneError(f"system '{spec.name}' only answers questions and cannot do {task}", kind=ErrorKind.REQUEST)
    return SystemQuestion(inputs["question"], [passage.text for passage in inputs["passages"]])


def unreadable(spec: ModelSpec, what: str) -> LaneError:
    """Return the error for a system's unusable return value; the error is not retryable."""
    return LaneError(f"system '{spec.name}' returned {what}", kind=ErrorKind.PROTOCOL, retryable=False)


def reply_of_system(spec: ModelSpec, text: object, references: Mapping[str, object]) -> Reply:
    """Return a system's answer as a reply to `AskSystem`.

    Raises:
        LaneError: the answer is not a text, or its references are not a list of texts or numbers.
    """
    if not isinstance(text, str):
        raise unreadable(spec, f"{type(text).__name__}, which has no text")
    if not text.strip():
        raise unreadable(spec, "an empty text")
    if len(text) > LONGEST_TEXT:
        raise unreadable(spec, f"{len(text):,} characters, and {LONGEST_TEXT:,} are the most that are read")
    read: dict[str, Any] = {"response": text}
    for name in REFERENCES:
        given = references.get(name)
        read[name] = None if given is None else _references(spec, name, given)
    return Reply(text=json.dumps(read, ensure_ascii=False))


def _references(spec: ModelSpec, name: str, given: object) -> list[str]:
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | set | frozenset):
        raise unreadable(spec, f"{name} of type {type(given).__name__}, and a list of ids is needed")
    if len(given) > MOST_REFERENCES:
        raise unreadable(spec, f"{len(given):,} {name}, and {MOST_REFERENCES:,} are the most that are read")
    wrong = [one for one in given if isinstance(one, bool) or not isinstance(one, str | int)]
    if wrong:
        raise unreadable(spec, f"{name} that hold {type(wrong[0]).__name__}, and ids (texts or numbers) are needed")
    return [str(one) for one in given]


# The lane of systems that are functions: `(question, passages) -> text`, sync or async.
#
# A system is an entry point in `demur.respondents`, `package.module:function`, or a function of this process. The
# function returns a text, or else an object or mapping with `text`. This object may also have `citations` and
# `retrieved`.


System = Callable[..., object]
_given: Final[dict[str, System]] = {}
"""Functions of this process, by address."""
_NOT_THEIRS: Final = (str(Path(__file__).parent), "<frozen ")
"""Traceback frames of demur and of the import system."""


def address_of(function: System) -> str:
    """Return the address `module:name` of a function of this process.

    If several functions have the same name, all but the first have a number in the address.
    """
    named = function if hasattr(function, "__qualname__") else type(function)
    address = base = f"{getattr(named, '__module__', None) or '__main__'}:{named.__qualname__}"
    number = 1
    while _given.setdefault(address, function) is not function:
        number += 1
        address = f"{base}#{number}"
    return address


def system_at(address: str) -> System:
    """Return the function at an address: an entry point's name, or `package.module:function`.

    Raises:
        PluginError: the function cannot be imported, is not callable, or does not take a question and passages.
    """
    if address in _given:
        found: object = _given[address]
    elif ":" not in address:
        found = required(PluginKind.RESPONDENT, address).load(callable, "a function")
    else:
        found = _imported(address)
    place = f"system {address}"
    if not callable(found):
        raise PluginError(f"{place}: is of type {type(found).__name__}, but must be a function")
    try:
        inspect.signature(found).bind("question", ["passage"])
    except TypeError as exc:
        raise PluginError(f"{place}: cannot be called with (question, passages): {exc}") from exc
    except ValueError:
        pass  # of a function that tells nothing of its parameters
    return cast("System", found)


def _imported(address: str) -> object:
    module, _, name = address.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)  # as for a script of this folder
    try:
        return attrgetter(name)(import_module(module))
    except (Exception, SystemExit) as exc:
        raise PluginError(
            f"system {address}: cannot be imported ({type(exc).__name__}: {exc}{_place(exc, address)}). Write the "
            "address as package.module:function, from an installed package or a file in this folder"
        ) from exc


class RespondentTransport(Transport):
    """Calls the function at the model's address."""

    def __init__(self, spec: ModelSpec, access: Access) -> None:
        self._spec = spec
        self._system = system_at(spec.model)

    async def ask(self, request: Request) -> Reply:
        """Return the function's answer.

        Raises:
            LaneError: the function raises, or returns no text.
        """
        asked = asked_of_system(self._spec, request)
        ended = await call(self._system, asked.question, asked.view or asked.passages)
        if ended.raised is not None:
            raise self._raised(ended.raised)
        try:
            text, references = _parts(ended.returned)
        except Exception as exc:  # of a property of the object
            raise self._raised(exc) from exc
        return reply_of_system(self._spec, text, references)

    async def index(self, passages: Sequence[Mapping[str, JsonValue]]) -> None:
        """Call the system's `index` with all passages; `index` is a method of the system or a function of its module.

        Raises:
            ProgramError: there is no `index`, or it raises or takes too long.
        """
        function = getattr(self._system, "index", None)
        if function is None:
            function = getattr(sys.modules.get(getattr(self._system, "__module__", "")), "index", None)
        if not callable(function):
            raise ProgramError(
                f"system '{self._spec.name}' ({self._spec.model}) has no index: for --passages index, the system needs "
                "a method index(passages), or its module a function index(passages)"
            )
        try:
            async with asyncio.timeout(INDEX_SECONDS):
                ended = await call(function, [dict(passage) for passage in passages])
        except TimeoutError as exc:
            raise ProgramError(f"system '{self._spec.name}': index takes more than {INDEX_SECONDS:,} s") from exc
        if ended.raised is not None:
            raise ProgramError(f"index: {self._raised(ended.raised)}") from ended.raised

    def _raised(self, error: BaseException) -> LaneError:
        said = f"{type(error).__name__}: {error}{_place(error, self._spec.model)}"
        return LaneError(f"system '{self._spec.name}' raised {said}", kind=ErrorKind.RAISED)


def _parts(said: object) -> tuple[object, Mapping[str, object]]:
    """Return the text and the references in a system's return value; a value without `text` is itself the text."""
    if isinstance(said, str):
        return said, {}
    if isinstance(said, Mapping):
        return said.get("text", said), said
    if not hasattr(said, "text"):
        return said, {}
    found: Any = said
    return found.text, {name: getattr(found, name, None) for name in REFERENCES}


def _place(error: BaseException, address: str) -> str:
    """Return the place of an exception: the deepest line in the function's module, else the deepest line."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_NOT_THEIRS)
    ]
    module = sys.modules.get(address.partition(":")[0])
    own = [frame for frame in frames if frame.filename == getattr(module, "__file__", None)]
    if not frames:
        return ""
    last = (own or frames)[-1]
    return f", at {Path(last.filename).name}:{last.lineno} in {last.name}"
