"""The pages of items with their requests, of levers, of questions on documents, and the page for reading."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Final
from urllib.parse import urlencode

from markupsafe import Markup

from demur.configuration.settings import keys_of
from demur.engine.state.shared import shared_state
from demur.errors import OURS
from demur.lanes.keys import Mask
from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import Intensity, LeverClass, expected_code
from demur.reports.audits.questions import proved_passages
from demur.reports.explorer.pages import NotFoundError, Page, declared, head_of, load_instructions, shown
from demur.reports.explorer.queries import ItemFilter, PageQuery, Word
from demur.reports.explorer.reading_pages import ADJUDICATION, Marking
from demur.reports.pages.rendering import To
from demur.reports.pages.svg_charts import PERCENT_TICKS, Axis, Line, Mark, chart, in_words
from demur.reports.pages.word_differences import beside, compared, passages
from demur.reports.tables.formats import rate
from demur.warehouse.home import Home
from demur.warehouse.results.snapshots import Snapshot

# The prompts of requests, in a form for display.


@dataclass(frozen=True, slots=True)
class ShownPrompt:
    """A sent prompt. API keys are masked, turns are pairs of role and text, and `schema` is a JSON Schema or None."""

    system: str
    turns: tuple[tuple[str, str], ...]
    schema: str | None


def prompts_of(home: Home, calls: Sequence[Mapping[str, Any]]) -> dict[str, ShownPrompt]:
    """Return prompts by call id. `calls` are rows of the explorer's SQL statement `calls`.

    Raises:
        LandingError: the store of calls cannot be read.
    """
    state = shared_state(home)
    known_keys = keys_of(()).values()  # those in the environment
    without_keys = Mask(others=known_keys).error
    shown = {}
    for row in calls:
        sent = state.prompt(row["round_id"], row["stage"], row["shard"], row["call_id"])
        if sent is not None:
            turns = tuple((role, without_keys(text)) for role, text in sent.turns)
            schema = None if sent.wanted is None else _schema(sent.wanted)
            shown[row["call_id"]] = ShownPrompt(without_keys(sent.system), turns, schema)
    return shown


def _schema(wanted: str) -> str:
    return json.dumps(json.loads(wanted)["schema"], ensure_ascii=False, indent=1)


# The pages of one item: its texts, verdicts and responses, and the requests that made them.


def item_page(snapshot: Snapshot, round_id: str, item_id: str, wanted: ItemFilter) -> Page:
    """Return the page of one perturbation or control: texts, responses, verdicts, checks, grades, siblings."""
    one = {"round": round_id, "id": item_id}
    found = snapshot.rows("item", **one)
    if not found:
        head_of(snapshot, round_id)
        raise NotFoundError(f"round {round_id} has no perturbation, control or item '{item_id}'")
    item = {**found[0], "expected": _expected(found[0]), "is_original_known": True}
    checks = snapshot.table("item_checks", one)
    responses = snapshot.table("item_imported" if item["status"] == "imported" else "item_responses", one)
    spans = _spans(checks.rows)
    original = item["original_passages"] or []
    now = _perturbed_passages(item, original)
    if item["original_question"] is None:  # an imported set with changed texts alone
        item |= {"original_question": item["question"], "is_original_known": False}
        original = now
    shown = passages(original, now, {**_proof(item, original, now), **spans})
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
            **beside(shown),
            "instruction": load_instructions().get(lever, "") if lever else "",
            "checks": checks,
            "verdicts": snapshot.table("item_verdicts", one),
            "responses": responses,
            "grades": _graded(snapshot.rows("item_grades", **one)),
            "siblings": snapshot.table("item_siblings", {**one, "base": item["base_id"]}),
            "neighbours": neighbours[0] if neighbours else None,
            "carried": wanted.carried(),
            "carried_query": urlencode(wanted.carried()),
            "VERDICT_CHECKS": {row["name"]: row["meaning"] for row in snapshot.rows("verdict_checks")},
        },
    )


def calls_page(snapshot: Snapshot, round_id: str, unit: str, home: Home | None) -> Page:
    """Return the page of a unit's requests. The page has the prompts only if `home` is not None.

    Rounds share the grades of a completion. The requests of these grades may therefore belong to an earlier round.
    """
    head_of(snapshot, round_id)
    found = snapshot.table("calls", {"unit": unit})
    prompts = {}
    why = None if home else "a release holds no prompts"
    try:
        if home is not None:
            prompts = prompts_of(home, found.rows)
    except OURS as exc:
        why = "; ".join(str(exc).splitlines()[:2])
    return Page(
        "calls", {"page": "calls", "round": round_id, "unit": unit, "calls": found, "prompts": prompts, "why": why}
    )


def _expected(item: Mapping[str, Any]) -> str | None:
    """Return the expected code of an item. For a perturbation without an item, return the code of the stratum."""
    own: str | None = item["expected"]
    if own is not None or item["class"] is None or item["status"] == "imported":
        return own
    return expected_code(LeverClass(item["class"]), Intensity(item["intensity"])).value


def _spans(checks: Iterable[Mapping[str, Any]]) -> dict[int | None, list[tuple[int, int]]]:
    """Return the character spans that checks name, by index of the passage. The key None stands for the question."""
    found: dict[int | None, list[tuple[int, int]]] = {}
    for row in checks:
        for span in row["spans"] or ():
            found.setdefault(span["passage"], []).append((span["start"], span["end"]))
    return found


def _proof(
    item: Mapping[str, Any], original: list[dict[str, Any]], now: list[dict[str, Any]]
) -> dict[int | None, list[tuple[int, int]]]:
    """Return the character spans of the proof, by index of the passage. Changed passages are left out."""
    same = {one["index"] for one, other in zip(original, now, strict=False) if one["text"] == other["text"]}
    found: dict[int | None, list[tuple[int, int]]] = {}
    for span in item["proof"] or ():
        if span["passage"] in same:
            found.setdefault(span["passage"], []).append((span["start"], span["end"]))
    return found


def _perturbed_passages(item: Mapping[str, Any], original: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return item["item_passages"] or replaced(original, item["changed"] or [])


def replaced(original: list[dict[str, Any]], changed: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the original passages, with the changed texts in place of the original texts."""
    texts = {one["index"]: one["text"] for one in changed}
    return [{**one, "text": texts.get(one["index"], one["text"])} for one in original]


def _graded(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the graded texts, each with pairs of proposition and probability."""

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


# The page of all levers of a round, and the page of one lever with examples.


HISTORIES: Final = {"acceptance": "Accepted of its candidates", "difficulty": "Responses that are wrong"}
"""Charts of a lever over rounds: title by column of `lever_rounds`."""
MOST_TICKS: Final = 4


def levers_page(snapshot: Snapshot, round_id: str) -> Page:
    """Return the page of a round's levers, and of strata with too few levers."""
    head_of(snapshot, round_id)
    none = {"lever": None, "class": None, "intensity": None}
    return Page(
        "levers",
        {
            "page": "levers",
            "round": round_id,
            "levers": declared(snapshot, "levers", round=round_id, **none),
            "thin": declared(snapshot, "thin_strata", round=round_id),
            "copies": shown(snapshot, "near_copies", round=round_id),
        },
    )


def lever_page(snapshot: Snapshot, round_id: str, lever_id: str) -> Page:
    """Return the page of one lever: counts, reasons of rejection, three examples, results in all rounds."""
    one = {"round": round_id, "lever": lever_id, "class": None, "intensity": None}
    found = snapshot.table("levers", one).rows
    if not found:
        head_of(snapshot, round_id)
        raise NotFoundError(f"round {round_id} has no lever '{lever_id}'")
    examples = [
        {
            **row,
            "difference": compared(row["original_question"], row["question"]),
            "passages": passages(row["passages"], replaced(row["passages"], row["changed"]), {}),
        }
        for row in snapshot.rows("lever_examples", round=round_id, lever=lever_id)
    ]
    rounds = declared(snapshot, "lever_rounds", lever=lever_id)
    return Page(
        "lever",
        {
            "page": "levers",
            "round": round_id,
            "lever": found[0],
            "instruction": load_instructions().get(lever_id, ""),
            "reasons": declared(snapshot, "lever_reasons", round=round_id, lever=lever_id),
            "rounds": rounds,
            "histories": {
                label: partial(_history, rounds.table.records, lever_id, column, label)
                for column, label in HISTORIES.items()
                if sum(row[column] is not None for row in rounds.table.records) > 1
            },
            "examples": examples,
        },
    )


def _history(newest_first: Iterable[Mapping[str, Any]], lever_id: str, column: str, label: str, to: To) -> Markup:
    """Return the chart of the values in `column` for each round of a lever, oldest round first.

    Rounds without a value are left out. `label` is the title of the chart.
    """
    known = [row for row in newest_first if row[column] is not None][::-1]
    named = known if len(known) <= MOST_TICKS else (known[0], known[-1])
    x = Axis(-0.5, len(known) - 0.5, [(known.index(row), str(row["round_id"])[:16]) for row in named])
    marks = [
        Mark(
            at,
            row[column],
            f"{row['round_id']}: {rate(row[column])}",
            href=to("lever", round=row["round_id"], lever=lever_id),
        )
        for at, row in enumerate(known)
    ]
    line = Line([(mark.x, mark.y) for mark in marks])
    return chart(in_words(label, marks), x, Axis(ticks=PERCENT_TICKS), marks, [line], size=(420, 190))


# The page of questions on documents: each question beside its passages, with the sentences of its proof marked.


PAGE_SIZE: Final = 25


class QuestionFilter(PageQuery):
    """The query of a list of questions."""

    outcome: Word | None = None
    by_whom: Word | None = None
    reason: Word | None = None
    kind: Word | None = None
    language: Word | None = None
    document: Word | None = None
    text: Word | None = None


def questions_page(snapshot: Snapshot, round_id: str, wanted: QuestionFilter, to: To) -> Page:
    """Return one page of the questions on a round's documents."""
    head_of(snapshot, round_id)
    values = {"round": round_id, **wanted.model_dump(exclude={"page"})}
    place = {"limit": PAGE_SIZE, "offset": (wanted.page - 1) * PAGE_SIZE}
    table = snapshot.table("questions", {**values, **place})
    total = snapshot.rows("questions_count", **values)[0]["questions"]
    return Page(
        "questions",
        {
            "page": "questions",
            "round": round_id,
            "questions": [{**row, "passages": list(proved_passages(row))} for row in table.rows],
            "all_rows": snapshot.statement("questions", values),
            **wanted.links(to, "questions", round_id, total, PAGE_SIZE),
            "chosen": wanted.shown(),
            "choices": snapshot.rows("questions_options", round=round_id)[0],
        },
    )


# The page for reading and marking an item, without other readers' marks.


def reading_page(
    snapshot: Snapshot, marking: Marking, round_id: str, item_id: str, reader: str | None, *, adjudicates: bool
) -> Page:
    """Return the page of an item with the reader's own marks. An adjudicator also sees the marks of all readers."""
    found = snapshot.rows("audit_text", round=round_id, id=item_id)
    if not found:
        head_of(snapshot, round_id)
        raise NotFoundError(f"round {round_id} has no perturbed item '{item_id}' that can be marked")
    [item] = found
    marks = marking.of_item(round_id, item_id)
    shown = passages(item["original_passages"] or [], item["passages"] or [], {})
    readings = {name: row for name, row in marks.items() if not name.endswith(ADJUDICATION)}
    own = f"{reader}{ADJUDICATION}" if adjudicates else reader
    return Page(
        "read",
        {
            "page": "audit",
            "round": round_id,
            "item": item,
            "reader": reader,
            "own": marks.get(own or "", {}),
            "queue": marking.queue(round_id, reader) if reader else None,
            "readings": readings if adjudicates else {},
            "adjudicates": adjudicates,
            "class_note": load_taxonomy().definition(LeverClass(item["class"])),
            "instruction": load_instructions().get(item["lever_id"], ""),
            "question": compared(item["original_question"], item["question"]),
            **beside(shown),
        },
    )
