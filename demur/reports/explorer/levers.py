"""The pages of levers: all of a round, and one with examples."""

from demur.reports.explorer.instructions import instruction_of
from demur.reports.explorer.item import replaced
from demur.reports.explorer.pages import NotFoundError, Page, head_of
from demur.reports.pages.compared import compared, passages
from demur.warehouse.explorer.snapshot import Snapshot


def levers_page(snapshot: Snapshot, round_id: str) -> Page:
    """Return all levers that a round offers, and where others are wanted."""
    head_of(snapshot, round_id)
    none = {"lever": None, "class": None, "intensity": None}
    return Page(
        "levers",
        {
            "page": "levers",
            "round": round_id,
            "levers": snapshot.table("levers", {"round": round_id, **none}),
            "thin": snapshot.table("thin_strata", {"round": round_id}),
        },
    )


def lever_page(snapshot: Snapshot, round_id: str, lever_id: str) -> Page:
    """Return one lever: its numbers, why perturbations did not go on, three examples."""
    one = {"round": round_id, "lever": lever_id, "class": None, "intensity": None}
    found = snapshot.table("levers", one).rows
    if not found:
        head_of(snapshot, round_id)
        raise NotFoundError(f"round {round_id} offers no lever '{lever_id}'")
    examples = [
        {
            **row,
            "difference": compared(row["original_question"], row["question"]),
            "passages": passages(row["passages"], replaced(row["passages"], row["changed"]), {}),
        }
        for row in snapshot.rows("lever_examples", round=round_id, lever=lever_id)
    ]
    return Page(
        "lever",
        {
            "page": "levers",
            "round": round_id,
            "lever": found[0],
            "instruction": instruction_of(lever_id),
            "reasons": snapshot.table("lever_reasons", {"round": round_id, "lever": lever_id}),
            "rounds": snapshot.table("lever_rounds", {"lever": lever_id}),
            "examples": examples,
        },
    )
