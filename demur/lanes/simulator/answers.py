"""Replies of the simulator: answers by rule, smallest valid answers, and answers with a fault."""

import hashlib
import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any, Final

from demur.lanes.registry import RULES_MODELS
from demur.lanes.simulator.asking import SIMULATED
from demur.lanes.simulator.faults import UNFINISHED, SimulatorFault
from demur.lanes.simulator.wire import Body, SimulatedReply, Turns
from demur.levers.catalogue import Catalogue
from demur.levers.load import load_catalogue
from demur.levers.vocabulary import Code
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import read_turns, task_of
from demur.programs.errors import ProgramError
from demur.programs.signatures.grading import Grade
from demur.programs.signatures.registry import SIGNATURES
from demur.rules.roles import answer

_JSON_FAULTS: Final = frozenset(
    {SimulatorFault.PROSE, SimulatorFault.WRONG_TYPES, SimulatorFault.MISSING_FIELDS, SimulatorFault.EXTRA_TEXT}
)
_PLAIN: Final = "ok"


class Answers(StrEnum):
    """Modes of answering."""

    RULES = "rules"
    MINIMAL = "minimal"


class UnknownModelError(ProgramError):
    """The simulator has no model of this name."""


def is_plain(task: str) -> bool:
    """Return whether replies to a task are plain text. Replies to unknown tasks are plain text."""
    return task not in SIGNATURES or contract(SIGNATURES[task]).plain_text is not None


def answered(model: str, system: str, turns: Turns) -> str:
    """Return the answer of a rules model, or of the simulated asker or prover, to a conversation.

    Random draws depend only on the model and the inputs. If an answer had a fault, the answer to the repair request
    therefore equals the answer without the fault. Unknown tasks, such as probes, get one word.

    Raises:
        UnknownModelError: there is no model of this name.
        ProgramError: the rules have no answer.
    """
    part, _, which = model.partition("/")
    if which not in RULES_MODELS.get(part, ()) and model not in SIMULATED:
        raise UnknownModelError(f"The model `{model}` does not exist: it is none of the rules models")
    if task_of(system) not in SIGNATURES:
        return _PLAIN
    task, inputs = read_turns(system, turns, SIGNATURES)
    codec = contract(SIGNATURES[task])
    if model in SIMULATED:
        return codec.write_reply(SIMULATED[model](task, inputs))
    given = {name: inputs[name] for name in codec.inputs.model_fields}
    drawn = hashlib.sha256(f"{model}|{task}|{codec.write_inputs(given)}".encode()).digest()
    try:
        return codec.write_reply(answer(model, task, inputs, int.from_bytes(drawn[:7], "big"), _catalogue()))
    except ProgramError:
        if task not in _OF_ANY_POLICY:
            raise
        return codec.write_reply(_OF_ANY_POLICY[task](inputs))


def _completion(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {"completion": f"A completion of the kind {inputs['label']}, for a rehearsal."}


def _grades(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each proposition a probability of 0.1 or 0.9, drawn from proposition and completion."""

    def probability(name: str) -> float:
        return (0.1, 0.9)[hashlib.sha256(f"{name}|{inputs['completion']}".encode()).digest()[0] % 2]

    names = [proposition.name for proposition in inputs["propositions"]]
    return {"grades": tuple(Grade(proposition=name, probability=probability(name)) for name in names)}


_OF_ANY_POLICY: Final[Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "WriteCompletion": _completion,
    "GradePropositions": _grades,
}
"""Replies about policies that the rules do not know, by task."""


def refusal(task: str, mark: bytes, share: float) -> str | None:
    """Return a refusal code for the stated share of questions with passages, drawn by the request's `mark`; else None.

    Codes of missing information are half of all, as they are the commonest of real models.
    """
    if not task.startswith("AnswerFromPassage") or mark[0] + mark[1] / 256 >= 256 * share:
        return None
    codes = sorted(code for code in Code if code.is_refusal and code is not Code.OTHER)
    return (Code.MISSING if mark[2] % 2 else codes[mark[3] % len(codes)]).value


def smallest(system: str, shape: Body | None) -> str:
    """Return the smallest valid answer to a known task; for another task, the smallest value that `shape` allows."""
    task = task_of(system)
    if task in SIGNATURES:
        return _smallest_reply(task)
    return _PLAIN if shape is None else json.dumps(_smallest_value(shape))


@lru_cache(maxsize=64)
def _smallest_reply(task: str) -> str:
    codec = contract(SIGNATURES[task])
    wanted = codec.response_format
    return _PLAIN if codec.plain_text or wanted is None else json.dumps(_smallest_value(wanted.sent["schema"]))


def _smallest_value(schema: Body) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _smallest_value(schema["anyOf"][0])
    kind = schema.get("type")
    if kind == "object":
        return {name: _smallest_value(field) for name, field in schema.get("properties", {}).items()}
    return {"array": [], "string": _PLAIN, "integer": 1, "number": 1, "boolean": True}.get(str(kind))


def spoilt(text: str, fault: SimulatorFault | None, *, plain: bool) -> SimulatedReply:
    """Return an answer with a fault. If `plain` is true, faults in the JSON of an answer do not apply."""
    if fault is SimulatorFault.EMPTY:
        return SimulatedReply("")
    if fault is SimulatorFault.CUT:
        return SimulatedReply(text[: len(text) // 2], "length")
    if fault in UNFINISHED:
        return SimulatedReply(text[: len(text) // 2], UNFINISHED[fault])
    if fault is SimulatorFault.REFUSAL:
        return SimulatedReply("I cannot help with that.", declined=True)
    if fault is SimulatorFault.CONTENT_FILTER:
        return SimulatedReply(text[: len(text) // 3], "content_filter")
    if plain or fault not in _JSON_FAULTS:
        return SimulatedReply(text)
    fields = json.loads(text)
    if fault is SimulatorFault.PROSE:
        return SimulatedReply("Let me think {aloud} about this. All in all it looks fine to me.")
    if fault is SimulatorFault.EXTRA_TEXT:
        return SimulatedReply(
            f"Here is the reply {{as wanted}}:\n```json\n{json.dumps(fields, indent=1)}\n```\nAnything else?"
        )
    if fault is SimulatorFault.MISSING_FIELDS:
        for name in list(fields)[1:] or list(fields):  # a last field alone may be one that can be left out
            del fields[name]
    if fault is SimulatorFault.WRONG_TYPES:
        fields = {name: {"value": value} for name, value in fields.items()}
    return SimulatedReply(json.dumps(fields))


@cache
def _catalogue() -> Catalogue:
    return load_catalogue()
