"""The explorer's pages: which rows each shows. What it says of a round comes from one snapshot of the warehouse."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final
from urllib.parse import urlencode

from demur.flows.errors import FlowError
from demur.flows.explorer.filters import ItemFilter
from demur.flows.explorer.instructions import instruction_of
from demur.flows.explorer.live import shown_state
from demur.flows.rounds.live import RoundState
from demur.reports.explorer.links import To
from demur.reports.explorer.pages import compared, passages
from demur.warehouse.explorer.snapshot import Snapshot

VERDICT_CHECKS: Final = (
    "lever_fidelity", "intensity_achieved", "target_compliance", "strategy_compliance", "uncertainty_induced",
    "implementation_quality", "answer_constraint", "behaviour_prediction", "refusal_class_alignment",
)  # fmt: skip
PAGE_SIZE: Final = 50
FUNNEL: Final = (
    ("asked", "Asked", None), ("candidates", "Candidates", None), ("accepted", "Accepted by the verifiers", None),
    ("items", "Items", "sampled"),
)  # fmt: skip


class NotFoundError(FlowError):
    """There is no such round, item or lever in the warehouse."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page's template and what it shows."""

    template: str
    context: dict[str, Any]


def rounds_page(
    snapshot: Snapshot, live: Mapping[str, Any], shelved: Iterable[tuple[str, str, int]], *, whole: bool = True
) -> Page:
    """Return the list of all rounds, with the progress of those that run."""
    found = snapshot.table("rounds", {"round": None})
    known = {row["round_id"] for row in found.rows}
    return Page(
        "rounds",
        {
            "page": "rounds",
            "rounds": found,
            "live": live,
            "known": known,
            "whole": whole,
            "shelved": [release for release in shelved if release[1] not in known],
        },
    )


def waiting_page(running: Mapping[str, RoundState]) -> Page:
    """Return the progress of rounds before the first of them has published anything."""
    live = {round_id: shown_state(state, {}) for round_id, state in running.items()}
    return Page("waiting", {"page": "rounds", "live": live})


def round_page(snapshot: Snapshot, round_id: str, live: object, *, whole: bool = True) -> Page:
    """Return what a round came to so far."""
    head = head_of(snapshot, round_id)
    names = ("funnel", "leaderboard", "stages", "failures", "spending", "reasons", "warnings")
    tables = {name: snapshot.table(name, {"round": round_id}) for name in names}
    steps = [(label, sum(row[column] for row in tables["funnel"].rows), status) for column, label, status in FUNNEL]
    judges = {row["judge"] for row in tables["leaderboard"].rows}
    context = {"page": "round", "round": round_id, "head": head, "live": live, "steps": steps, "judges": judges}
    return Page("round", {**context, **tables, "whole": whole})


def items_page(
    snapshot: Snapshot, round_id: str, wanted: ItemFilter, to: To, *, choices: bool = True, limit: int = PAGE_SIZE
) -> Page:
    """Return a page of a round's perturbations and controls."""
    head_of(snapshot, round_id)
    values = {"round": round_id, **wanted.values(), "limit": limit, "offset": (wanted.page - 1) * limit}
    table = snapshot.table("items", values, wanted.sort)
    total = snapshot.table("items_count", values).rows[0]["items"]
    last = max(1, -(-total // limit))
    carried = wanted.carried()

    def page(number: int) -> str | None:
        return to("items", round=round_id, **carried, page=number) if 1 <= number <= last else None

    return Page(
        "items",
        {
            "page": "items",
            "round": round_id,
            "table": table,
            "total": total,
            "pages": last,
            "number": wanted.page,
            "carried": carried,
            "chosen": wanted.shown(),
            "choices": _choices(snapshot, round_id) if choices else None,
            "more": bool(set(carried) & {
                "layout", "domain", "check", "verifier", "judge", "given", "expected", "confidence", "respondent2",
                "judge2", "base",
            }),
            "before": page(wanted.page - 1),
            "after": page(wanted.page + 1),
        },
    )  # fmt: skip


def item_page(snapshot: Snapshot, round_id: str, item_id: str, wanted: ItemFilter) -> Page:
    """Return one perturbation or control: texts, responses, verdicts, checks, propositions, siblings."""
    one = {"round": round_id, "id": item_id}
    found = snapshot.rows("item", **one)
    if not found:
        head_of(snapshot, round_id)
        raise NotFoundError(f"round {round_id} holds no perturbation, control or item '{item_id}'")
    item = found[0]
    checks = snapshot.table("item_checks", one)
    responses = snapshot.table("item_imported" if item["status"] == "imported" else "item_responses", one)
    spans = _spans(checks.rows)
    original = item["original_passages"] or []
    shown = passages(original, _perturbed_passages(item, original), spans)
    place = {"round": round_id, **wanted.values(), "id": item_id}
    neighbours = snapshot.table("neighbours", place, wanted.sort).rows
    lever = item["lever_id"] or item["assigned_lever_id"]
    return Page(
        "item",
        {
            "page": "item",
            "round": round_id,
            "item": item,
            "question": compared(
                item["original_question"], item["question"] or item["original_question"], spans.get(None, ())
            ),
            "changed_passages": [one for one in shown if one["changed"] or len(shown) == 1],
            "unchanged_passages": [one for one in shown if not one["changed"] and len(shown) > 1],
            "passage_count": len(shown),
            "instruction": instruction_of(lever) if lever else "",
            "checks": checks,
            "verdicts": snapshot.table("item_verdicts", one),
            "responses": responses,
            "grades": _graded(snapshot.rows("item_grades", **one)),
            "siblings": snapshot.table("item_siblings", {**one, "base": item["base_id"]}),
            "neighbours": neighbours[0] if neighbours else None,
            "carried": wanted.carried(),
            "carried_query": urlencode(wanted.carried()),
            "VERDICT_CHECKS": VERDICT_CHECKS,
        },
    )


def calls_page(snapshot: Snapshot, round_id: str, unit: str) -> Page:
    """Return the requests of a unit of work; those of a policy's unit may stand in an earlier round."""
    head_of(snapshot, round_id)
    found = snapshot.table("calls", {"round": round_id, "unit": unit})
    return Page("calls", {"page": "calls", "round": round_id, "unit": unit, "calls": found})


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
            "passages": passages(row["passages"], _replaced(row["passages"], row["changed"]), {}),
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
            "examples": examples,
        },
    )


def audit_page(snapshot: Snapshot, round_id: str, reader: str | None, form: bool = True) -> Page:
    """Return pass rates, readers and their agreement."""
    head_of(snapshot, round_id)
    tables = {name: snapshot.table(f"audit_{name}", {"round": round_id}) for name in ("rates", "readers", "agreement")}
    return Page("audit", {"page": "audit", "round": round_id, "reader": reader, "form": form, **tables})


def head_of(snapshot: Snapshot, round_id: str) -> dict[str, Any]:
    """Return what is known of a round from its start on.

    Raises:
        NotFoundError: there is no such round.
    """
    found = snapshot.rows("round", round=round_id)
    if not found:
        raise NotFoundError(f"there is no round '{round_id}' here")
    return found[0]


def _choices(snapshot: Snapshot, round_id: str) -> dict[str, Any]:
    found = snapshot.rows("options", round=round_id)[0]
    return {name: value or [] for name, value in {**found, **snapshot.rows("parties", round=round_id)[0]}.items()}


def _spans(checks: Iterable[Mapping[str, Any]]) -> dict[int | None, list[tuple[int, int]]]:
    """Return what failed or undecided checks point at, by passage; None for the question."""
    found: dict[int | None, list[tuple[int, int]]] = {}
    for row in checks:
        for span in row["spans"] or ():
            found.setdefault(span["passage"], []).append((span["start"], span["end"]))
    return found


def _perturbed_passages(item: Mapping[str, Any], original: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return item["item_passages"] or _replaced(original, item["changed"] or [])


def _replaced(original: list[dict[str, Any]], changed: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    texts = {one["index"]: one["text"] for one in changed}
    return [{**one, "text": texts.get(one["index"], one["text"])} for one in original]


def _graded(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return graded texts, each with its propositions."""

    def key(row: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(row[name] for name in ("subject_kind", "who", "subject_id", "policy", "grader"))

    found = []
    for _, group in groupby(rows, key):
        graded = list(group)
        first = graded[0]
        found.append(
            {
                **{name: first[name] for name in ("who", "text", "policy", "grader", "unit_id", "reward")},
                "kind": first["subject_kind"],
                "propositions": [(row["proposition"], row["probability"]) for row in graded],
            }
        )
    return found
