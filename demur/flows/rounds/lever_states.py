"""What a round that draws levers and knobs by what they tell knows of them, written down once when it begins."""

from dataclasses import asdict, replace
from itertools import product

from demur.engine.context import RoundContext
from demur.flows.stages.generate.two_defects import ARMS, KNOB
from demur.scoring.lever_bandit import LeverEstimate, lever_states
from demur.warehouse.connection import Connection
from demur.warehouse.records import records, write_rows
from demur.warehouse.tables import Table


def note_lever_states(context: RoundContext, con: Connection) -> None:
    """Write down the states of the round's levers and knobs from earlier rounds of its configuration.

    A round that has them keeps them, whatever became of other rounds since: it goes on as it began.
    """
    generation = context.config.generation
    if generation.lever_choice != "informative" or next(records(con, "lever_states", [context.round_id]), None):
        return
    strata = product(generation.classes, generation.intensities)
    of_levers = _estimates(context, con, "lever_id")
    states = [
        state
        for stratum in strata
        for state in lever_states([lever.id for lever in context.catalogue.stratum(*stratum)], of_levers)
    ]
    if generation.defects > 1:
        named = [[replace(one, lever_id=f"{KNOB}={one.lever_id}") for one in r] for r in _estimates(context, con, KNOB)]
        states += lever_states(ARMS, named)
    write_rows(con, Table.LEVER_STATES, [{"round_id": context.round_id, **asdict(state)} for state in states])


def _estimates(context: RoundContext, con: Connection, factor: str) -> list[list[LeverEstimate]]:
    """Return what each earlier round says of the values of a factor."""
    by_round: dict[str, list[LeverEstimate]] = {}
    for row in records(con, "lever_estimates", [context.round_id, factor]):
        by_round.setdefault(row.pop("round_id"), []).append(LeverEstimate(**row))
    return list(by_round.values())
