"""The pages of one item: its texts, verdicts and responses, and the requests that made them."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from demur.errors import OURS
from demur.levers.vocabulary import Intensity, LeverClass, expected_code
from demur.reports.explorer.filters import ItemFilter
from demur.reports.explorer.pages import NotFoundError, Page, head_of, load_instructions
from demur.reports.explorer.prompts import prompts_of
from demur.reports.pages.compared import beside, compared, passages
from demur.warehouse.explorer.snapshot import Snapshot
from demur.warehouse.home import Home


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
