"""Models evaluated apart, compared pair by pair on the items that both answered, under one judge."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from demur.errors import FlowError
from demur.flows.evaluations import REPLICATES
from demur.flows.evaluations.boards import judged_responses, labels_of, shared_boards
from demur.scoring.estimates import Row
from demur.scoring.rows import SEED
from demur.scoring.rows.responses import Bootstrap, paired_rows
from demur.warehouse.connection import Connection
from demur.warehouse.records import records


@dataclass(frozen=True, slots=True)
class ComparedPairs:
    """Pairs of models on one board: a row per headline metric and pair; Holm's adjustment is over pairs of a metric."""

    board_id: str
    release: str
    prompts: str
    judge: str
    rows: list[Row]


def compared_pairs(con: Connection, evaluations: Sequence[str]) -> list[ComparedPairs]:
    """Return all pairs of models of some evaluations and released rounds, a board at a time.

    Raises:
        FlowError: one is not there, they have no board in common, or a single model has answered on it.
    """
    boards = shared_boards(con, list(records(con, "boards", [None, list(evaluations)])), evaluations)
    found = []
    for board in boards:
        entries = list(records(con, "entries_of_evaluations", [board["board_id"], list(evaluations)]))
        if len(entries) < 2:
            continue
        labels = labels_of(entries)
        responses = pd.concat([judged_responses(con, entry, labels) for entry in entries], ignore_index=True)
        rows = list(paired_rows(responses, Bootstrap(REPLICATES, SEED)))
        facts: dict[str, Any] = {name: board[name] for name in ("board_id", "release", "prompts", "judge")}
        found.append(ComparedPairs(**facts, rows=rows))
    if not found:
        raise FlowError(
            f"{', '.join(evaluations)}: one model has answered, which makes no pair. Name another evaluation"
        )
    return found
