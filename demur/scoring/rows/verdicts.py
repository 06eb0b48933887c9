"""Rows of all tables with statistics of verdicts.

The statistics are pass rates, agreement, and an order of verifiers. They are computed over matched cells, which the
module scoring.verdicts explains.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from demur.scoring.estimates import Row
from demur.scoring.rows.responses import Bootstrap
from demur.scoring.verdicts import MatchedVerdicts, match_cells, short_circuit
from demur.scoring.verification import verify

if TYPE_CHECKING:
    import pandas as pd

STOPPED_EARLY: Final = (
    "asking ended at the first failing verdict: only candidates that every verifier was asked about are matched, and "
    "most of these pass"
)


def agreement_rows(
    verdicts: "pd.DataFrame",
    generators: Sequence[str],
    verifiers: Sequence[str],
    how: Bootstrap,
    *,
    stopped_early: bool = False,
) -> dict[str, list[Row]]:
    """Return the rows of each table with statistics of verdicts. The caller adds the columns of the round and the unit.

    Args:
        verdicts: the frame of scoring.verdicts.
        generators: all generators of the round.
        verifiers: all verifiers of the round.
        how: settings of the bootstrap.
        stopped_early: whether the round asked no further verifier after a failing verdict.
    """
    matched = match_cells(verdicts, generators=generators, verifiers=verifiers)
    rows: dict[str, list[Row]] = {"verifications": [_cells(matched, stopped_early)]}
    if matched.cells:
        rows |= verify(matched, replicates=how.replicates, seed=how.seed)
    return rows


def _cells(matched: MatchedVerdicts, stopped_early: bool) -> Row:
    remarks = [STOPPED_EARLY] if stopped_early else []
    if not matched.cells:
        remarks.append(
            f"none of {matched.cells_seen} cells is matched: in none has every generator a candidate and every "
            "candidate a verdict of every verifier"
        )
    asked = short_circuit(matched) if matched.cells else {}
    return {
        "cells": matched.cells,
        "cells_seen": matched.cells_seen,
        "instances": len(matched.instances),
        "stop_order": list(asked),
        "asked": list(asked.values()),
        "remark": "; ".join(remarks) or None,
    }
