"""The explorer's pages of a round. All data of a round's page come from one snapshot of the warehouse."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from textwrap import shorten
from typing import Any, Final

from demur.engine.progress_events import said
from demur.engine.progress_state import RoundState, live_rounds
from demur.errors import FlowError
from demur.levers.catalogue import load_catalogue
from demur.reports.explorer.queries import ItemFilter
from demur.reports.pages.rendering import To
from demur.reports.reference_figures import references
from demur.reports.round_report.page import ReportFacts, read_report, report_context
from demur.reports.tables import ShownTable, named_table
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import Release, read_manifest, releases
from demur.warehouse.results.snapshots import BoundStatement, Snapshot

# The explorer's pages. All data of a round's page come from one snapshot of the warehouse.


PAGE_SIZE: Final = 50
MOST_NAMED: Final = 20
QUESTION_CHARACTERS: Final = 90
FUNNEL: Final = (
    ("asked", "Asked", None), ("candidates", "Candidates", None), ("accepted", "Accepted by the verifiers", None),
    ("items", "Items", "sampled"),
)  # fmt: skip


SHOWN: Final = ("strata", "leaderboard", "failures", "costs_by_stage", "warnings")
"""The named tables on a round's page."""


class NotFoundError(FlowError):
    """The round, item or lever does not exist."""


@dataclass(frozen=True, slots=True)
class Page:
    """The name of a template and the values to fill in."""

    template: str
    context: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """A named table with the bound SQL statement that read its rows."""

    table: ShownTable
    asked: BoundStatement


def shown(snapshot: Snapshot, name: str, **values: object) -> Shown:
    """Read a named table from a snapshot."""
    table = named_table(name)
    return Shown(table.read(snapshot.connection(), **values), table.statement(**values))


def declared(snapshot: Snapshot, name: str, statement: str | None = None, **values: object) -> Shown:
    """Run an SQL statement of the explorer, and return the rows as the named table `name`.

    `statement` is the name of the SQL statement. None stands for the SQL statement with the name of the table.
    """
    found = snapshot.table(statement or name, values)
    return Shown(named_table(name).shown(found.rows), found.asked)


def shown_rounds(home: Home) -> dict[str, dict[str, Any]]:
    """Return the progress of every running round by round id."""
    return {round_id: shown_state(state) for round_id, state in live_rounds(home).items()}


def shown_state(state: RoundState) -> dict[str, Any]:
    """Return the progress of a running round: stage, units, units a second, time left in words, dollars."""
    current = state.stages.get(state.stage)
    return {
        "stage": state.stage or "starting",
        "step": state.step,
        "number": len(state.stages),
        "done": current.landed + current.done if current else 0,
        "units": current.units if current else 0,
        "failed": {stage: one.failed for stage, one in state.stages.items() if one.failed},
        "rate": current.done / current.seconds if current and current.seconds else None,
        "stage_left": said(state.left.stage),
        "round_left": said(state.left.round),
        "spent_usd": state.spent_usd,
        "cap_usd": state.cap_usd,
    }


@cache
def load_instructions() -> dict[str, str]:
    """Return the instructions of the shipped levers by lever id; the first call reads the catalogue."""
    return {lever.id: lever.instruction for lever in load_catalogue(None)}


def rounds_page(
    snapshot: Snapshot, live: Mapping[str, Any], shelved: Iterable[tuple[str, str, int]], *, whole: bool = True
) -> Page:
    """Return the page of all rounds.

    Args:
        snapshot: of the warehouse.
        live: the progress of running rounds by id.
        shelved: label, round id and number of items of each release.
        whole: False if rejections are unknown.
    """
    found = shown(snapshot, "rounds")
    unknown = {} if whole else dict.fromkeys(("asked", "candidates", "accepted"))
    running = {round_id: {"status": "running"} for round_id in live}
    rows = [{**row, **running.get(row["round_id"], {}), **unknown} for row in found.table.records]
    known = {row["round_id"] for row in rows}
    return Page(
        "rounds",
        {
            "page": "rounds",
            "rounds": Shown(named_table("rounds").shown(rows), found.asked),
            "live": live,
            "known": known,
            "shelved": [release for release in shelved if release[1] not in known],
        },
    )


def waiting_page(running: Mapping[str, RoundState]) -> Page:
    """Return the page that lists running rounds as long as the home has no published warehouse."""
    live = {round_id: shown_state(state) for round_id, state in running.items()}
    return Page("waiting", {"page": "rounds", "live": live})


def round_page(snapshot: Snapshot, round_id: str, live: object, *, whole: bool = True) -> Page:
    """Return a round's page. `live` is the progress of the round, or None if the round does not run."""
    head = head_of(snapshot, round_id)
    reasons = snapshot.table("reasons", {"round": round_id})
    tables = {name: shown(snapshot, name, round=round_id) for name in SHOWN}
    strata = tables["strata"].table.records
    steps = [(label, sum(row[column] or 0 for row in strata), status) for column, label, status in FUNNEL]
    context = {"page": "round", "round": round_id, "head": head, "live": live, "steps": steps, "whole": whole}
    stages = declared(snapshot, "stages", round=round_id)
    context |= _asking(snapshot, round_id)
    return Page("round", {**context, **tables, "stages": stages, "reasons": reasons, "grouped": _grouped(reasons.rows)})


def _asking(snapshot: Snapshot, round_id: str) -> dict[str, Any]:
    """Return the tables on questions made from documents, with the reasons of rejected questions by model or check."""
    reasons = snapshot.table("asking_reasons", {"round": round_id})
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for row in reasons.rows:
        grouped.setdefault(row["by_whom"], []).append(row)
    tables = {name: shown(snapshot, name, round=round_id) for name in ("asking_documents", "asking_kinds")}
    return {**tables, "asking_reasons": reasons, "asking_grouped": grouped}


def _grouped(reasons: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Group reasons of rejection by verifier, check or generator. The group with the most rejections comes first.

    `filter` of a group has the parameters of the list with its perturbations, or None if there is no such list.
    """
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in reasons:
        found.setdefault((row["by_whom"], row["who"]), []).append(row)
    filters = {
        "code check": lambda who: {"check": who},
        "verifier": lambda who: {"verifier": who},
        "declined": lambda who: {"status": "declined", "generator": who},
    }
    groups = [
        {
            "by_whom": by_whom,
            "who": who,
            "given": sum(row["perturbations"] for row in rows),
            "filter": filters[by_whom](who) if by_whom in filters else None,
            "reasons": rows,
        }
        for (by_whom, who), rows in found.items()
    ]
    return sorted(groups, key=lambda group: -group["given"])


def items_page(
    snapshot: Snapshot, round_id: str, wanted: ItemFilter, to: To, *, choices: bool = True, limit: int = PAGE_SIZE
) -> Page:
    """Return one page of a round's list of perturbations and controls."""
    head_of(snapshot, round_id)
    values = {"round": round_id, **wanted.values()}
    table = snapshot.table("items", {**values, "limit": limit, "offset": (wanted.page - 1) * limit}, wanted.sort)
    found = snapshot.rows("items_count", **values)
    total = sum(row["items"] for row in found)
    carried = wanted.carried()
    return Page(
        "items",
        {
            "page": "items",
            "round": round_id,
            "table": table,
            "all_rows": snapshot.statement("items", values, wanted.sort),
            "file_name": "-".join([round_id, "items", *map(str, carried.values())]),
            "rejected": wanted.is_of_rejected,
            "found": found,
            **wanted.links(to, "items", round_id, total, limit),
            "carried": carried,
            "chosen": wanted.shown(),
            "choices": _choices(snapshot, round_id) if choices else None,
            "more": bool(set(carried) & {
                "layout", "domain", "language", "check", "verifier", "judge", "given", "expected", "confidence",
                "respondent2", "judge2", "base", "given2", "outcome2",
            }),
        },
    )  # fmt: skip


def audit_page(snapshot: Snapshot, round_id: str, reader: str | None, form: bool = True) -> Page:
    """Return the audit page: pass rates, readers and their agreement."""
    head_of(snapshot, round_id)
    tables = {name: shown(snapshot, f"audit_{name}", round=round_id) for name in ("rates", "agreement")}
    context = {"page": "audit", "round": round_id, "reader": reader, "form": form, **tables}
    return Page("audit", {**context, "readers": declared(snapshot, "audit_readers", round=round_id)})


def head_of(snapshot: Snapshot, round_id: str) -> dict[str, Any]:
    """Return the facts of a round: configuration, models, state.

    Raises:
        NotFoundError: there is no such round.
    """
    found = snapshot.rows("round", round=round_id)
    if not found:
        there = ", ".join(str(row["round_id"]) for row in snapshot.rows("round_ids")[:MOST_NAMED])
        raise NotFoundError(f"there is no round '{round_id}' here; there are: {there or 'none yet'}")
    return found[0]


def _choices(snapshot: Snapshot, round_id: str) -> dict[str, Any]:
    found = snapshot.rows("options", round=round_id)[0]
    choices = {name: value or [] for name, value in {**found, **snapshot.rows("parties", round=round_id)[0]}.items()}
    questions = {
        one["id"]: shorten(one["question"] or one["id"], QUESTION_CHARACTERS, placeholder="\u2026")
        for one in choices["bases"]
    }
    return {**choices, "base_questions": questions}


# The page of a round's results: its report with links to items.


def results_page(snapshot: Snapshot, home: Home, round_id: str, release: Release | None = None) -> Page:
    """Return the results page of a round.

    The audit and the recordings are those of `release`. The default release is the round's newest. The results of an
    evaluation have no audit and no recordings.
    """
    head = head_of(snapshot, round_id)
    found = [release] if release is not None else [one for one in releases(home) if one.round_id == round_id]
    described = read_manifest(found[-1].path).model_dump() if found else {}
    label = found[-1].label if found else head["release_evaluated"] or ""
    con = snapshot.connection()
    [own] = named_table("overview").read(con, round=round_id).records
    benchmark = (described.get("imported") or {}).get("benchmark") or own["benchmark"]
    facts = ReportFacts(
        title=head["configuration"],
        release=label,
        recorded=described.get("recorded", ()),
        said={name: described.get(name) for name in ("audit", "calibration")},
        references=references(benchmark, label, own["judges"] or ()),
    )
    return Page("report", report_context(read_report(con, round_id, facts)))
