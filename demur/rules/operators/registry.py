"""Operators: code that cuts, copies, substitutes or retrieves, and fills the frames of its lever.

A lever of the catalogue names its operator in `recipe` and holds the texts in `frames` (levers/lever_models.py).
Levers that differ only in their frames share an operator. Code holds no phrases, frames hold no logic.

- `<class>.<action>` is an operator's name; `asking` serves the classes whose levers change only the question.
- An operator gets a `Pull`: the analysed base instance, the lever, the style, the random numbers, and the round's
  corpus as a source of values and passages. It returns a `Draft`, or `Declined` as soon as a precondition is not
  certain, such as the kind of the answer or the place of the edit. An operator should rather decline than return a
  wrong draft.
- The argument `slots` of `operator` names the slots that an operator can fill. A lever with other slots in its frames
  is refused (`frame_faults`).
- Words of the question are never turned into a statement. A sentence is copied from a passage whole or not at all.
"""

import importlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum, auto
from string import Formatter
from typing import Protocol

from demur.levers.lever_models import Frame, Kind, Lever, Slot, Style
from demur.programs.errors import ProgramError
from demur.rules.edits import fix_article_before
from demur.rules.rivals import Corpus
from demur.text.analysis import Analysis

CLASSES = ("ambiguity", "contradiction", "missing_info", "false_premise", "granularity", "epistemic")
_FILES = ("ambiguity", "asking", "contradiction", "missing_info")
"""The modules of this folder that register operators."""


class DeclineReason(StrEnum):
    """Reasons why an operator does not apply to a base instance."""

    NO_ANSWER_IN_PASSAGES = auto()
    """The answer stands in no passage."""
    NO_TOPIC = auto()
    """The question names nothing that the passages name."""
    QUESTION_NOT_PARSED = auto()
    """The question cannot be taken apart."""
    ANSWER_TYPE = auto()
    """The answer is not of the needed type, or its type is uncertain."""
    NO_SUITABLE_SPAN = auto()
    """No suitable span."""
    NO_RIVAL = auto()
    """There is no other value that could stand in the answer's place."""
    NO_FRAME = auto()
    """The lever has no frame for this kind and style."""
    NO_NOISE_PASSAGE = auto()
    """No noise passage."""
    NOTHING_PERIPHERAL = auto()
    """Nothing peripheral to change."""
    PASSAGE_TOO_SHORT = auto()
    """Too little would remain."""
    ANSWER_WOULD_REMAIN = auto()
    """The answer would remain."""
    CHECK_FAILED = auto()
    """A code check failed on the draft."""
    NO_RECIPE = auto()
    """The lever has no recipe."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An operator's result: the question, unchanged or changed, and the changed passages by index.

    `reasoning` is one sentence on the edit; `answer_note` is one sentence on the answer after the edit.
    """

    question: str
    changed: dict[int, str] = field(default_factory=dict)
    reasoning: str = ""
    answer_note: str = ""


@dataclass(frozen=True, slots=True)
class Declined:
    """An operator does not apply; `detail` names the unmet precondition."""

    reason: DeclineReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Pull:
    """One lever to be pulled on one base instance."""

    analysis: Analysis
    lever: Lever
    style: Style
    rng: random.Random
    corpus: Corpus

    def frames(self, kind: Kind | None = None) -> list[Frame]:
        """Return the lever's frames for this style, layout and kind."""
        return [f for f in self.lever.frames if f.fits(self.style, self.analysis.base.layout, kind)]


def fill(frame: Frame, **values: str) -> str:
    """Return a frame's text with the slots filled; an 'a' or 'an' before a slot is made to agree with the filling."""
    text = ""
    for literal, slot, _, _ in Formatter().parse(frame.text):
        text += literal
        if slot is not None:
            text = fix_article_before(text + values[slot], len(text))
    return text


class Operator(Protocol):
    """Pulls one lever on one base instance, or says why it cannot. The result depends only on `pull`."""

    def __call__(self, pull: Pull) -> Draft | Declined:
        """Return the perturbed question and passages."""
        ...


@dataclass(frozen=True, slots=True)
class _Registered:
    operator: Operator
    slots: frozenset[Slot]
    last: bool


_OPERATORS: dict[str, _Registered] = {}


def operator(name: str, *slots: Slot, last: bool = False) -> Callable[[Operator], Operator]:
    """Register a function as the operator `name`, which fills these slots of a frame.

    An operator is tried `last` if it applies to nearly every base instance and the stratum's other operators apply to
    few. Otherwise this operator would make most perturbations of the stratum.

    Raises:
        ProgramError: the name's first part is no class, or the name is taken.
    """

    def register(function: Operator) -> Operator:
        if name.partition(".")[0] not in CLASSES:
            raise ProgramError(f"recipe '{name}' must start with one of {', '.join(CLASSES)} and a dot")
        if name in _OPERATORS:
            raise ProgramError(f"recipe '{name}' is registered twice; give one of the two another name")
        _OPERATORS[name] = _Registered(function, frozenset(slots), last)
        return function

    return register


def _find(name: str) -> _Registered:
    known = operator_names()
    if name not in known:
        same = [n for n in known if n.partition(".")[0] == name.partition(".")[0]]
        fitting = ", ".join(same or known)
        raise ProgramError(f"recipe '{name}' is not one of {fitting}; correct the lever's recipe field")
    return _OPERATORS[name]


def find_operator(name: str) -> Operator:
    """Return the operator of that name.

    Raises:
        ProgramError: there is none.
    """
    return _find(name).operator


def is_tried_last(name: str) -> bool:
    """Return whether an operator is to be tried after all others of its stratum.

    Raises:
        ProgramError: there is no operator of that name.
    """
    return _find(name).last


def frame_faults(lever: Lever) -> Iterator[tuple[int, str]]:
    """Yield the index and the fault of each frame that has a slot which the lever's operator does not fill."""
    if lever.recipe is None:
        return
    filled = _find(lever.recipe).slots
    for number, frame in enumerate(lever.frames):
        if extra := sorted(frame.slots - filled):
            known = ", ".join(f"{{{slot}}}" for slot in sorted(filled)) or "none"
            yield number, f"has {{{extra[0]}}}, which '{lever.recipe}' does not fill; it fills {known}"


def operator_names() -> tuple[str, ...]:
    """Return the names of all operators, sorted; imports every module that registers one."""
    for module in _FILES:
        importlib.import_module(f"{__package__}.{module}")
    return tuple(sorted(_OPERATORS))
