"""Two defects at once: a candidate whose question alone was changed, with the changed passages of another one.

Both were made of the same base instance by the same generator, and each passed the checks of it alone; they touch
different parts, so that neither undoes the other. The class of the changed question comes first in the order of
precedence: it stays the stratum, and its code is expected. A text that is torn by design shows its defect at once and
serves as no second one. What verifiers turn down is no item, as everywhere.

Where a round draws levers by what they tell, whether a candidate gets a second defect, and of which class, is drawn so
too: these are the arms of a bandit of its own. A quarter of the candidates takes every arm alike.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from pathlib import Path
from random import Random
from typing import Any, Final

from demur.engine.context import RoundContext
from demur.engine.instances import perturbation_of, stratum_of
from demur.engine.units import PlannedUnit
from demur.flows.stages.generate.lever_choice import EVEN_SHARE
from demur.levers.catalogue import Catalogue
from demur.levers.instances import BaseInstance, Stratum
from demur.levers.vocabulary import CLASS_CODE, PRECEDENCE, Intensity, LeverClass
from demur.programs.checks import CheckResult, check
from demur.scoring.lever_bandit import LeverState, draw_lever
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

FOLDER: Final = Path(__file__).parent
SECOND: Final = (LeverClass.CONTRADICTION, LeverClass.MISSING_INFO)
"""The classes whose levers change passages alone."""
KNOB: Final = "second_defect"
"""The factor of scores by which items with a second defect, of either class, and without one are told apart."""
NONE: Final = f"{KNOB}=none"
ARMS: Final = (NONE, *(f"{KNOB}={lever_class}" for lever_class in SECOND))
"""What a round can do to a candidate that could have a second defect, as its states name it."""
Record = Mapping[str, Any]
Asked = tuple[PlannedUnit, Record]
"""A unit that a generator works on, with its inputs."""


def with_second_defects(
    context: RoundContext, con: Connection, asked: Iterable[Asked], planned: Callable[[Record], PlannedUnit]
) -> Iterator[PlannedUnit]:
    """Yield in the place of every unit that can have a second defect the unit that combines both; all others as is.

    One whose combination came to nothing is yielded as it is. `planned` makes a unit of inputs.
    """
    made = {str(row["unit_id"]): row for row in records(con, FOLDER / "made.sql", [context.round_id])}
    known = (LeverState(**row) for row in records(con, "lever_states", [context.round_id]))
    states = {state.lever_id: state for state in known if state.lever_id in ARMS}
    every = list(asked)
    second: defaultdict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for unit, inputs in every:
        row = made.get(unit.unit_id)
        alone = row and row["changed"] and row["question"] == inputs["question"] and inputs["class"] in SECOND
        if row and alone and not context.catalogue.lever(row["lever_id"]).disfluent:
            second[_cell(inputs)].append({**row, "class": inputs["class"]})
    for unit, inputs in every:
        first = made.get(unit.unit_id)
        may = [row for row in second[_cell(inputs)] if first and _may_follow(inputs, first, row)]
        rng = context.rng("second defect", unit.unit_id)
        if states and may:
            arm = drawn_arm({NONE, *map(_arm, may)}, states, rng)
            may = [row for row in may if _arm(row) == arm]
        if first is None or not may:
            yield unit
            continue
        other = rng.choice(may)
        combined = planned(
            {
                **{name: inputs[name] for name in inputs if name not in ("repair", "repaired", "repair_of", "faults")},
                "levers": [first["lever_id"], other["lever_id"]],
                "combined": {"question": first["question"], "changed": list(other["changed"]), "class": other["class"]},
            }
        )
        landed = made.get(combined.unit_id)
        yield unit if landed is not None and landed["status"] != "candidate" else combined


def drawn_arm(arms: Set[str], states: Mapping[str, LeverState], rng: Random) -> str:
    """Return the arm that a candidate takes, of those that it can: by what each tells, or in an EVEN_SHARE alike.

    Without an earlier round nothing is known, and all are alike.
    """
    alike = rng.random() < EVEN_SHARE or not any(state.rounds for state in states.values())
    return rng.choice(sorted(arms)) if alike else draw_lever(sorted(arms), states, rng)


def _arm(second: Record) -> str:
    return f"{KNOB}={second['class']}"


def _cell(inputs: Record) -> tuple[str, str, str]:
    """Return what two defects must have in common: base instance, generator and intensity."""
    return str(inputs["base_id"]), str(inputs["generator"]), str(inputs["intensity"])


def _may_follow(inputs: Record, first: Record, second: Record) -> bool:
    """Return whether a candidate of changed passages may be the second defect of one whose question was changed."""
    codes = [PRECEDENCE.index(CLASS_CODE[LeverClass(row["class"])]) for row in (inputs, second)]
    alone = not first["changed"] and first["question"] != inputs["question"]
    sound = first["status"] == second["status"] == "candidate"
    return sound and alone and codes[0] < codes[1] and inputs["intensity"] != Intensity.LOW


def check_combined(catalogue: Catalogue, base: BaseInstance, inputs: Record) -> tuple[CheckResult, ...]:
    """Return the code checks of both parts, those that both have with the evidence of both.

    Where the answer stands, and that passages are untouched, is checked of the second part alone.
    """
    combined, (one, two) = inputs["combined"], inputs["levers"]
    _, intensity = stratum_of(inputs)
    question, passages = (
        {
            result.name: result
            for result in check(
                base,
                perturbation_of(asked, changed, catalogue.lever(lever).name),
                catalogue.lever(lever),
                Stratum(lever_class=LeverClass(lever_class), intensity=intensity),
                offered=[lever],
            )
        }
        for asked, changed, lever, lever_class in (
            (combined["question"], [], one, inputs["class"]),
            (base.question, combined["changed"], two, combined["class"]),
        )
    )
    return tuple(
        CheckResult(name, result.outcome, f"{question[name].evidence}; {result.evidence}", result.spans)
        if name in question
        else result
        for name, result in passages.items()
    )
