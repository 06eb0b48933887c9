"""Tables of the accuracy of grades on gold rows. A narrow terminal gets tables without intervals."""

import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from demur.cli.terminal.printing import echo, echo_rows
from demur.warehouse.results.formats import Format, render

if TYPE_CHECKING:
    from demur.rewards.gold import Accuracy, GoldAccuracy
    from demur.scoring.reward_fitting.propositions import Measured, PropositionAccuracy

MEASURES: Final = ("base rate", "accuracy", "balanced accuracy", "F1")
UNBOUNDED: Final = 1_000
"""Assumed width without a terminal, in characters."""


def print_accuracy(found: "GoldAccuracy", output: Format, what: str) -> None:
    """Print the accuracy of propositions by behaviour, then of classes; CSV has the first table only."""
    parts = {"all": found.overall, **found.by_behaviour}
    if output is Format.CSV:
        limits = (f"{measure}{limit}" for measure in MEASURES for limit in ("", ", low", ", high"))
        rows = [(name, *row) for name, part in parts.items() for row in _numbers(part)]
        echo(render(output, ("behaviour", "proposition", "n", *limits), rows))
        return
    columns = ("proposition", "n", *MEASURES)
    tables = {name: render(output, columns, _cells(part, intervals=True)) for name, part in parts.items()}
    wide = max(map(len, "\n".join(tables.values()).splitlines()))
    short = output is Format.TABLE and wide > shutil.get_terminal_size((UNBOUNDED, 24)).columns
    if short:
        widest = shutil.get_terminal_size().columns
        tables = {name: render(output, columns, _cells(part, intervals=False), widest) for name, part in parts.items()}
    for name, table in tables.items():
        echo(f"{name}\n{table}\n")
    echo(what)
    classes = [(name, part.rows, _cell(part.class_accuracy), _rounded(part.macro)) for name, part in parts.items()]
    echo_rows(output, ("behaviour", "rows", "class accuracy", "macro balanced accuracy"), classes)
    recalls = [(name, rows, _rounded(share)) for name, (rows, share) in found.overall.class_recall.items()]
    echo(f"\n{render(output, ('class', 'rows', 'recall'), recalls)}")
    if short:
        echo(f"\n95 % intervals: in a terminal of {wide} columns, or with --format json")


def summary(part: "Accuracy") -> str:
    """Return the class accuracy and the macro balanced accuracy as text."""
    return f"class accuracy {_cell(part.class_accuracy)}, macro balanced accuracy {_rounded(part.macro) or 'none'}"


def _cells(part: "Accuracy", intervals: bool) -> Sequence[tuple[object, ...]]:
    found = []
    for name, each in part.propositions.items():
        found.append((name, each.n, *(_cell(one) if intervals else _rounded(one.value) for one in _measured(each))))
    return found


def _numbers(part: "Accuracy") -> Sequence[tuple[object, ...]]:
    found = []
    for name, each in part.propositions.items():
        found.append((name, each.n, *(number for one in _measured(each) for number in (one.value, one.low, one.high))))
    return found


def _measured(each: "PropositionAccuracy") -> tuple["Measured", ...]:
    """Return the values named in MEASURES."""
    return each.base_rate, each.accuracy, each.balanced_accuracy, each.f1


def _cell(measured: "Measured") -> str | None:
    from demur.reports.tables.formats import CellKind, with_interval

    value = _rounded(measured.value)
    return None if value is None else with_interval(value, measured.low, measured.high, CellKind.RATE)


def _rounded(value: float | None) -> str | None:
    from demur.reports.tables.formats import rate

    return None if value is None else rate(value)
