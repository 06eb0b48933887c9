"""Statements on recorded replies: the source, the dates, and the roles that one source had."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final

ROLES: Final = {"generators": "generators", "verifiers": "verifiers", "judges": "judge", "respondents": "respondents"}
"""The name of each role in sentences, by column of the table `overview`."""

Recorded = Sequence[Mapping[str, Any]]
"""Models with recorded replies: entries `recorded` of a release's manifest."""


def when(recorded: Recorded) -> str:
    """Return the days of the replies, such as `on 27 November 2026`, or an empty text if unknown."""
    firsts = [one["first"] for one in recorded if one.get("first")]
    lasts = [one["last"] for one in recorded if one.get("last")]
    if not firsts or not lasts:
        return ""
    first, last = day(min(firsts)), day(max(lasts))
    return f"on {first}" if first == last else f"from {first} to {last}"


def given(recorded: Recorded) -> str:
    """Return dates and source of replies in words, or an empty text without replies."""
    who = by_whom(recorded)
    return " ".join(part for part in (when(recorded), f"by {who}" if who else "") if part)


def explained(recorded: Recorded) -> str:
    """Return the meaning of `stand-in` in parentheses, or an empty text if no source is a stand-in."""
    meaning = " (a language model that was asked by hand, in place of one behind an API)"
    return meaning if "stand-in" in by_whom(recorded) else ""


def by_whom(recorded: Recorded) -> str:
    """Return the source of the replies. If models have different sources, return `model: source` for each model."""
    named = [one for one in recorded if one.get("answered_by")]
    givers = {one["answered_by"] for one in named}
    if len(givers) == 1 and len(named) == len(recorded):
        return str(named[0]["answered_by"])
    return "; ".join(f"{one['model']}: {one['answered_by']}" for one in named)


def notes(recorded: Recorded) -> list[str]:
    """Return the distinct notes of recordings, without notes that only repeat the date."""
    days = {day(one[end]) for one in recorded for end in ("first", "last") if one.get(end)}
    return list(dict.fromkeys(one["note"] for one in recorded if one.get("note") and one["note"] not in days))


def shared_roles(recorded: Recorded, facts: Mapping[str, Any]) -> str:
    """Return all roles, in words, of the first source whose replies serve both as judge and as respondent.

    Without such a source, the text is empty.

    Args:
        recorded: models with recorded replies.
        facts: the row of the table `overview`, with the names of models by role.
    """
    for giver in dict.fromkeys(one.get("answered_by") for one in recorded):
        models = {one["model"] for one in recorded if one.get("answered_by") == giver}
        found = [said for role, said in ROLES.items() if models & set(facts.get(role) or ())]
        if giver and {"judge", "respondents"} <= set(found):
            return listed(found)
    return ""


def day(written: str) -> str:
    """Return an ISO 8601 date in words, such as `27 November 2026`; other text is unchanged."""
    try:
        found = date.fromisoformat(written)
    except ValueError:
        return written
    return f"{found.day} {found:%B %Y}"


def listed(names: Iterable[str]) -> str:
    """Return names as a list in a sentence: `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
