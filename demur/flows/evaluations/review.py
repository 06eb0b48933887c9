"""Reviews of a respondent for its owner: the defects that it missed, and changes since the evaluation before."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from demur.errors import FlowError
from demur.flows.evaluations.boards import judged_responses
from demur.flows.evaluations.index_views import copies_seen
from demur.reports.names import CLASSES
from demur.reports.review import Review
from demur.reports.tables import named_table
from demur.scoring.paired import holm, mcnemar_exact
from demur.scoring.responses import read_responses
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

PARTS: Final = {None: "Controls", "all": "All perturbed items"}


@dataclass(frozen=True, slots=True)
class _Entry:
    """The entry of one respondent of an evaluation, as judged by one judge.

    `version` is the given version of a system, or None. `before` is the id of the newest earlier evaluation on the same
    board that has a respondent of this name; None if there is none.
    """

    round_id: str
    respondent: str
    judge: str
    release: str
    prompts: str
    provider: str | None
    version: str | None
    state: str
    before: str | None
    prompts_digest: str


def reviews(con: Connection, evaluation: str, respondent: str | None = None) -> list[Review]:
    """Return the reviews of an evaluation, one for each respondent and judge.

    If `respondent` is not None, only the reviews of this respondent are returned. Otherwise baselines of the rules lane
    are left out, unless all respondents are baselines.

    Raises:
        FlowError: the evaluation or respondent does not exist, or the evaluation is not scored.
    """
    entries = [_Entry(**row) for row in records(con, "review_entries", [evaluation])]
    if not entries:
        raise FlowError(
            f"evaluation '{evaluation}': does not exist or is not scored. `demur evaluations list` shows all "
            "evaluations"
        )
    if respondent is not None:
        chosen = [entry for entry in entries if entry.respondent == respondent]
        if not chosen:
            known = ", ".join(dict.fromkeys(entry.respondent for entry in entries))
            raise FlowError(f"respondent '{respondent}' is not one of {known}")
    else:
        chosen = [entry for entry in entries if entry.provider != "rules"] or entries
    return [_review(con, entry) for entry in chosen]


def _review(con: Connection, entry: _Entry) -> Review:
    bound = {"round": entry.round_id, "respondent": entry.respondent, "judge": entry.judge}
    return Review(
        evaluation=entry.round_id,
        respondent=entry.respondent,
        version=entry.version,
        judge=entry.judge,
        release=entry.release,
        prompts=entry.prompts,
        state=entry.state,
        before=entry.before,
        scores=named_table("review_scores").read(con, **bound),
        answers=named_table("review_answers").read(con, round=entry.round_id, respondent=entry.respondent),
        defects=named_table("review_defects").read(con, **bound),
        changes=named_table("review_changes").shown([] if entry.before is None else list(_changes(con, entry))),
        worst=named_table("review_worst").read(con, **bound),
        retrieval=named_table("review_retrieval").read(con, **bound),
        failures=named_table("failures").read(con, round=entry.round_id),
        copies_seen=copies_seen(con, entry.round_id, entry.prompts_digest),
    )


def _changes(con: Connection, entry: _Entry) -> Iterator[dict[str, Any]]:
    """Compare the right responses of an evaluation with those of the evaluation before.

    Yield a row for each class, a row for the controls and a row for all perturbed items. Rows are sorted by the number
    of gained responses (wrong before, right now) minus lost responses, so the largest loss comes first.
    """
    now, before = (_right(con, entry, round_id) for round_id in (entry.round_id, str(entry.before)))
    both = now.merge(before, on=["item_id", "replicate"], suffixes=("", "_before"))
    perturbed = both[both["class"].notna()]
    parts = [("all", perturbed), *((name, rows) for name, rows in both.groupby("class", dropna=False))]
    found = [_change(None if pd.isna(name) else str(name), rows) for name, rows in parts if len(rows)]
    adjusted = holm([row["p_value"] for row in found])
    rows = [{**row, "p_value_holm": p} for row, p in zip(found, adjusted, strict=True)]
    yield from sorted(rows, key=lambda row: (row["gained"] - row["lost"], row["p_value_holm"], row["part"]))


def _right(con: Connection, entry: _Entry, round_id: str) -> pd.DataFrame:
    key = {"round_id": round_id, "respondent": entry.respondent, "judge": entry.judge}
    rows = judged_responses(con, key, {(round_id, entry.respondent): entry.respondent})
    return rows[["item_id", "replicate", "class"]].assign(right=read_responses(rows).accurate)


def _change(name: str | None, rows: pd.DataFrame) -> dict[str, Any]:
    lost = int((rows["right_before"] & ~rows["right"]).sum())
    gained = int((~rows["right_before"] & rows["right"]).sum())
    return {
        "part": PARTS.get(name) or CLASSES.get(str(name), str(name)),
        "items": len(rows),
        "right_before": float(rows["right_before"].mean()),
        "right_now": float(rows["right"].mean()),
        "lost": lost,
        "gained": gained,
        "p_value": mcnemar_exact(lost, gained),
    }
