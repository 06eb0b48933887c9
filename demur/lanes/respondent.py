"""The lane of systems that are functions: `(question, passages) -> text`, sync or async.

A system is an entry point in `demur.respondents`, `package.module:function`, or a function of this process. The
function returns a text, or else an object or mapping with `text`. This object may also have `citations` and
`retrieved`.
"""

import asyncio
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, cast

from dspy.lm15 import Request
from pydantic import JsonValue

from demur.lanes.spec import ModelSpec
from demur.lanes.system_threads import call
from demur.lanes.systems import INDEX_SECONDS, REFERENCES, asked_of_system, reply_of_system
from demur.lanes.transport import Access, Transport
from demur.plugins import PluginError, PluginKind, required
from demur.programs.errors import ErrorKind, LaneError, ProgramError
from demur.programs.journal import Reply

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
