"""Boards as tables of a terminal and as JSON."""

from typing import TYPE_CHECKING, Any, Final

from demur.cli.printing import terminal_width
from demur.warehouse.formats import as_table

if TYPE_CHECKING:
    from demur.flows.evaluations.pairs import ComparedPairs
    from demur.reports.boards import Board
    from demur.reports.cells import Score

SHORT: Final = {
    "unselected_calibrated_refusal_score": "unselected",
    "unanswerable_refusal_accuracy": "unanswerable", "mismatched_refusal_accuracy": "mismatched",
    "answer_accuracy": "answers", "refusal_accuracy": "refusals", "detection_f1": "detection",
    "category_accuracy": "category", "hierarchical_refusal_score": "hierarchical", "false_refusal_rate": "false ref.",
    "missed_refusal_rate": "missed ref.", "invalid_rate": "invalid",
    "ece": "ece", "eligibility": "eligible", "factuality_all": "factual, all",
    "factuality_relevant": "factual", "raf_attempts": "raf",
}  # fmt: skip


def board_text(board: "Board") -> str:
    """Return a board as a table, with what its scores have in common above."""
    head = (
        f"Board {board.board_id}: {board.release} ({board.audit}), {board.prompts} prompts, judged by {board.judge} "
        f"({board.calibration})"
    )
    if board.differs:
        head += f"\nNot to be compared with the first: it differs in {'; '.join(board.differs)}"
    names = board.columns()
    columns = ("respondent", "crs", "95 % interval", *(SHORT[name] for name in names), "judge's noise", "state")
    rows = [
        (
            row["respondent"], _number(row["headline"]), _interval(row["headline"]),
            *(_number(cell) for cell in row["cells"]),
            "unknown" if row["judge_noise"] is None else f"{row['judge_noise']:.3f}", row["state"],
        )
        for row in board.standings()
    ]  # fmt: skip
    rows += [(probe, *["probe"] * 2, *[""] * len(names), "", "never scored") for probe in board.probes]
    return f"{head}\n{as_table(columns, rows, terminal_width())}"


def board_json(board: "Board") -> dict[str, Any]:
    """Return a board as JSON: every score with its interval, null with a reason where it is undefined."""
    names = ("calibrated_refusal_score", *board.columns())
    facts = (
        "board_id",
        "release",
        "release_digest",
        "prompts",
        "judge",
        "metrics_version",
        "layout",
        "audit",
        "calibration",
    )
    return {
        **{name: getattr(board, name) for name in facts},
        "differs": list(board.differs),
        "probes": list(board.probes),
        "rows": [
            {
                **{name: row[name] for name in ("respondent", "round_id", "state", "planned", "judged", "judge_noise")},
                **{
                    name: {"value": cell.value, "low": cell.low, "high": cell.high, "reason": cell.reason}
                    for name, cell in zip(names, (row["headline"], *row["cells"]), strict=True)
                },
            }
            for row in board.standings()
        ],
    }


def pairs_text(pairs: "ComparedPairs") -> str:
    """Return pairs of models as a table, with what their scores have in common above."""
    head = f"Board {pairs.board_id}: {pairs.release}, {pairs.prompts} prompts, judged by {pairs.judge}"
    columns = (
        "metric", "first", "second", "items", "difference", "95 % interval", "p, Holm", "only first", "only second",
        "McNemar, Holm",
    )  # fmt: skip
    rows = [
        (
            row["metric"], row["first"], row["second"], row["items"], _cell("{:+.3f}", row["difference"]),
            _cell("{:+.3f} to {:+.3f}", row["low"], row["high"]), _cell("{:.2g}", row["p_value_holm"]),
            row["only_first"], row["only_second"], _cell("{:.2g}", row["mcnemar_p_value_holm"]),
        )
        for row in pairs.rows
    ]  # fmt: skip
    return f"{head}\n{as_table(columns, rows, terminal_width())}"


def _cell(shape: str, *values: object) -> str:
    return "n/a" if None in values else shape.format(*values)


def _number(score: "Score") -> str:
    return "n/a" if score.value is None else f"{score.value:.3f}"


def _interval(score: "Score") -> str:
    return f"{score.low:.3f} to {score.high:.3f}" if score.has_interval else "n/a"
