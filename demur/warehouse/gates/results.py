"""Results of a stage's gate, bounds of sample expectations, and exact intervals of shares."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np
import numpy.typing as npt

from demur.warehouse.gates.declared import ACCOUNTED, Expectation, Gate, StageGate
from demur.warehouse.plans import counts
from demur.warehouse.statements import statement
from demur.warehouse.transactions import Connection, transaction

# Bounds of sample expectations.


@dataclass(frozen=True, slots=True)
class GateBounds:
    """Bounds on shares of a round's samples, from 0 to 1.

    `screening` is the lowest share of base instances that are solved. `acceptance` is the lowest share of candidates
    that are accepted. `coverage` is the lowest share of a stratum's quota that is filled. `balance` bounds the share of
    each generator's items; the lowest allowed share is `balance` divided by the number of generators. `invalid` is the
    highest share of INVALID responses. `near_copies` is the highest share of items whose planted text nearly equals the
    planted text of another item. `last_sentence` is the highest share of items with changed passages whose change is
    their last sentence. `asked` is the lowest share of passages that gave an accepted question, among the
    passages that askers got.
    """

    screening: float
    acceptance: float
    coverage: float
    balance: float
    invalid: float
    near_copies: float
    asked: float = 0.0
    last_sentence: float = 1.0

    def share(self, measure: Expectation, subjects: int) -> float:
        """Return the bound that each subject of `measure` must meet.

        A subject may be a generator. The bound of `balance` is divided by `subjects`, the number of subjects.
        """
        bound: float = getattr(self, measure.name)
        return bound / max(subjects, 1) if measure.name == "balance" else bound

    def text(self, measure: Expectation) -> str:
        """Return the bound of a measure as text, such as "at least 0.5"."""
        word = "at least" if measure.at_least else "at most"
        times = " of an even share" if measure.name == "balance" else ""
        return f"{word} {getattr(self, measure.name):g}{times}"


# Exact intervals of a share, from successes and trials.


Counts = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]
_TAIL: Final = 0.025


def clopper_pearson(successes: Counts, trials: Counts) -> tuple[Shares, Shares]:
    """Return the lower and upper limits of exact 95 % intervals, each with the shape of `trials`.

    Without trials, the limits are 0 and 1. The coverage is at least 95 % for any number of independent trials.

    Source: Clopper and Pearson (1934); the limits are quantiles of the beta distribution.
    """
    from scipy.special import betaincinv  # a fifth of a second, and only gates that run need it

    failures = trials - successes
    low = betaincinv(np.maximum(successes, 1), failures + 1, _TAIL)
    high = betaincinv(successes + 1, np.maximum(failures, 1), 1 - _TAIL)
    return np.where(successes == 0, 0.0, low), np.where(failures == 0, 1.0, high)


# Results of a stage's gate, one per expectation and subject, computed from and stored in the loader's file.
#
# The result of an integrity expectation has the number of violating rows; the result of a sample expectation has a
# share.


_SHOWN_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class ExpectationResult:
    """Result of one expectation for one subject; `observed` and `bound` are texts for people.

    `offending` counts the rows that violate an integrity expectation. `successes` and `trials` give a sample's share.
    """

    stage: str
    suite: str
    gate: Gate
    expectation: str
    subject: str
    success: bool
    observed: str
    bound: str
    offending: int | None = None
    successes: int | None = None
    trials: int | None = None


def judged(con: Connection, gate: StageGate, round_id: str, bounds: GateBounds) -> list[ExpectationResult]:
    """Compute the results of a gate: for each expectation in order, one result per subject."""
    return [
        result
        for expectation in gate.expectations()
        for result in (
            _shares(con, gate, round_id, expectation, bounds)
            if expectation.gate is Gate.SAMPLE
            else [offending(con, gate, round_id, expectation)]
        )
    ]


def accounting(con: Connection, gate: StageGate, round_id: str) -> str:
    """Return a text with the number of planned units, the number of failed units and the digest of the plan."""
    bound = {"round_id": round_id, "stage": gate.stage}
    [(plan,)] = con.execute(statement("gate_plan"), bound).fetchall()
    units = counts(con, round_id, gate.stage, gate.table)
    return f"{units.planned} planned less {units.failed} failed (plan {plan})"


def offending(con: Connection, gate: StageGate, round_id: str, expectation: Expectation) -> ExpectationResult:
    """Return the result of an integrity expectation: the number of violating rows, and one of these rows."""
    values = expectation.parameters(round_id, gate.stage)
    [(rows,)] = con.execute(f"SELECT count(*) FROM ({expectation.sql})", values).fetchall()
    observed = f"{rows} row{'' if rows == 1 else 's'}"
    if rows:
        found = con.execute(f"FROM ({expectation.sql}) ORDER BY ALL LIMIT 1", values)
        names = [name for name, *_ in found.description]
        [first] = found.fetchall()
        observed += "; the first: " + ", ".join(
            f"{name} {_shown(value)}" for name, value in zip(names, first, strict=True)
        )
    return ExpectationResult(
        gate.stage,
        gate.suite(Gate.INTEGRITY),
        Gate.INTEGRITY,
        expectation.name,
        expectation.subject,
        rows == 0,
        observed,
        accounting(con, gate, round_id) if expectation.name == ACCOUNTED else "0 rows",
        offending=rows,
    )


def replace_results(con: Connection, round_id: str, stage: str, results: Sequence[ExpectationResult]) -> None:
    """Replace the results of a round's stage in `expectation_results`, in one transaction."""
    run_at = datetime.now(UTC).replace(tzinfo=None)
    with transaction(con):
        con.execute(statement("gate_drop_results"), {"round_id": round_id, "stage": stage})
        for result in results:
            con.execute(statement("gate_insert_result"), {**asdict(result), "round_id": round_id, "run_at": run_at})


def stored_results(con: Connection, round_id: str, stage: str) -> list[ExpectationResult]:
    """Return the stored results of a stage's gate, in the order of the gate's expectations."""
    rows = con.execute(statement("gate_stored"), {"round_id": round_id, "stage": stage}).fetchall()
    return [
        ExpectationResult(
            stage, suite, Gate(gate), expectation, subject or "", success, observed or "", bound or "", *numbers
        )
        for suite, gate, expectation, subject, success, observed, bound, *numbers in rows
    ]


def _shares(
    con: Connection, gate: StageGate, round_id: str, expectation: Expectation, bounds: GateBounds
) -> Iterator[ExpectationResult]:
    """Yield the result of a sample expectation for each subject."""
    found = con.execute(expectation.sql, expectation.parameters(round_id, gate.stage)).df()
    lows, highs = clopper_pearson(found["successes"].to_numpy("int64"), found["trials"].to_numpy("int64"))
    share = bounds.share(expectation, len(found))
    for subject, successes, trials, low, high in zip(
        found["subject"], found["successes"], found["trials"], lows, highs, strict=True
    ):
        interval = f" ({successes / trials:.3g}; 95 % interval {low:.3g} to {high:.3g})" if trials else ""
        yield ExpectationResult(
            gate.stage,
            gate.suite(Gate.SAMPLE),
            Gate.SAMPLE,
            expectation.name,
            str(subject),
            bool(high >= share if expectation.at_least else low <= share),
            f"{successes} of {trials}{interval}",
            bounds.text(expectation),
            successes=int(successes),
            trials=int(trials),
        )


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
