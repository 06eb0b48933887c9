"""Pairwise comparisons of models from several evaluations, on shared items under one judge."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from demur.errors import FlowError
from demur.flows.evaluations import REPLICATES
from demur.flows.evaluations.boards import labelled_responses, shared_boards
from demur.scoring.estimates import Row
from demur.scoring.rows import SEED
from demur.scoring.rows.responses import Bootstrap, paired_rows
from demur.warehouse.connection import Connection
from demur.warehouse.records import records


@dataclass(frozen=True, slots=True)
class ComparedPairs:
    """Pairs of models on one board.

    Attributes:
        board_id: The id of the board.
        release: The release of the board.
        prompts: The prompts of the board.
        judge: The judge of the board.
        rows: A row for each headline metric and pair. For each metric, Holm's method adjusts the p-values of its pairs.
    """

    board_id: str
    release: str
    prompts: str
    judge: str
    rows: list[Row]


def compared_pairs(con: Connection, evaluations: Sequence[str]) -> list[ComparedPairs]:
    """Compare the respondents of several evaluations in pairs, on every board that contains all these evaluations.

    `evaluations` are ids of evaluations or of released rounds.

    Raises:
        FlowError: an evaluation is missing, the evaluations share no board, or only one model has answered.
    """
    boards = shared_boards(con, list(records(con, "boards", [None, list(evaluations)])), evaluations)
    found = []
    for board in boards:
        entries = list(records(con, "entries_of_evaluations", [board["board_id"], list(evaluations)]))
        if len(entries) < 2:
            continue
        _, responses = labelled_responses(con, entries)
        rows = list(paired_rows(responses, Bootstrap(REPLICATES, SEED)))
        facts: dict[str, Any] = {name: board[name] for name in ("board_id", "release", "prompts", "judge")}
        found.append(ComparedPairs(**facts, rows=rows))
    if not found:
        raise FlowError(
            f"{', '.join(evaluations)}: only one model has answered, so there is no pair. Name another evaluation"
        )
    return found
