"""What a recipe is, and where recipes are found by name.

A recipe's name is `<class>.<what it does>` ('missing_info.excise_answer_sentence'); the part before the point is the
module (or package) of this folder that registers it, so that only the classes in use are imported.
"""

import importlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Protocol

from demur.programs.errors import ProgramError
from demur.programs.rules.edits.style import Style
from demur.programs.text.analysis import Analysis

MODULES = ("ambiguity", "contradiction", "missing_info", "false_premise", "granularity", "epistemic")


class DeclineReason(StrEnum):
    """Why a recipe does not apply to a base instance: codes, by which declines are counted."""

    NO_ANSWER_IN_PASSAGES = auto()
    """The answer stands in no passage."""
    NO_TOPIC = auto()
    """The question names nothing that the passages name."""
    QUESTION_NOT_PARSED = auto()
    """The question cannot be taken apart."""
    ANSWER_TYPE = auto()
    """The answer is of another type."""
    NO_SUITABLE_SPAN = auto()
    """No suitable span."""
    NO_NOISE_PASSAGE = auto()
    """No noise passage."""
    NOTHING_PERIPHERAL = auto()
    """Nothing peripheral to change."""
    PASSAGE_TOO_SHORT = auto()
    """Too little would remain."""
    ANSWER_WOULD_REMAIN = auto()
    """The answer would remain."""
    ANSWER_WOULD_GO = auto()
    """The answer would go."""
    STRATEGY = auto()
    """The change cannot be made where the class's strategy wants it."""
    CHECK_FAILED = auto()
    """A code check failed on the draft."""
    NO_RECIPE = auto()
    """No lever of the stratum has a recipe."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a recipe made: the question (as it was, where it does not change it) and the changed passages by index.

    `reasoning` is one sentence on what was done; `answer_note` one on how the answer's fate is met.
    """

    question: str
    changed: dict[int, str] = field(default_factory=dict)
    reasoning: str = ""
    answer_note: str = ""


@dataclass(frozen=True, slots=True)
class Declined:
    """A recipe (or all of them) does not apply; `detail` says to what."""

    reason: DeclineReason
    detail: str = ""


class Recipe(Protocol):
    """Pulls one lever on one analysed base instance, or says why it can't; deterministic in the state of `rng`."""

    def __call__(self, analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
        """Return the perturbed question and passages."""
        ...


_RECIPES: dict[str, Recipe] = {}
_LAST: set[str] = set()


def recipe(name: str, *, last: bool = False) -> Callable[[Recipe], Recipe]:
    """Register a function as the recipe `name`.

    One that takes nearly every base instance where its neighbours take few is tried `last`, so that it does not
    make most of a stratum.

    Raises:
        ProgramError: the name's first part is no module of this folder, or the name is taken.
    """

    def register(function: Recipe) -> Recipe:
        module = name.partition(".")[0]
        if module not in MODULES:
            raise ProgramError(f"recipe '{name}' must start with one of {', '.join(MODULES)} and a point")
        if name in _RECIPES:
            raise ProgramError(f"recipe '{name}' is registered twice; give one of the two another name")
        _RECIPES[name] = function
        if last:
            _LAST.add(name)
        return function

    return register


def find_recipe(name: str) -> Recipe:
    """Return the recipe of that name.

    Raises:
        ProgramError: there is none.
    """
    module = name.partition(".")[0]
    if name not in _RECIPES and module in MODULES:
        importlib.import_module(f"{__package__}.{module}")
    found = _RECIPES.get(name)
    if found is None:
        known = sorted(n for n in _RECIPES if n.partition(".")[0] == module) or [f"{m}.*" for m in MODULES]
        raise ProgramError(f"recipe '{name}' is not one of {', '.join(known)}; correct the lever's recipe field")
    return found


def is_tried_last(name: str) -> bool:
    """Say whether a recipe is to be tried after all others of its stratum.

    Raises:
        ProgramError: there is no recipe of that name.
    """
    find_recipe(name)
    return name in _LAST


def recipe_names() -> tuple[str, ...]:
    """Return the names of all recipes, sorted; imports every class."""
    for module in MODULES:
        importlib.import_module(f"{__package__}.{module}")
    return tuple(sorted(_RECIPES))
