"""What a round that draws levers by what they tell knows of them, written down once when it begins."""

from dataclasses import asdict
from itertools import product

from demur.flows.engine.context import RoundContext
from demur.scoring.lever_bandit import LeverEstimate, lever_states
from demur.warehouse.connection import Connection
from demur.warehouse.records import records, write_rows
from demur.warehouse.tables import Table


def note_lever_states(context: RoundContext, con: Connection) -> None:
    """Write down the states of the round's levers from earlier rounds of its configuration.

    A round that has them keeps them, whatever became of other rounds since: it goes on as it began.
    """
    generation = context.config.generation
    if generation.lever_choice != "informative" or next(records(con, "lever_states", [context.round_id]), None):
        return
    by_round: dict[str, list[LeverEstimate]] = {}
    for row in records(con, "lever_estimates", [context.round_id]):
        by_round.setdefault(row.pop("round_id"), []).append(LeverEstimate(**row))
    rows = [
        {"round_id": context.round_id, **asdict(state)}
        for stratum in product(generation.classes, generation.intensities)
        for state in lever_states([lever.id for lever in context.catalogue.stratum(*stratum)], by_round.values())
    ]
    write_rows(con, Table.LEVER_STATES, rows)
