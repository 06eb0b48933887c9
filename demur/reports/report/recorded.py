"""Statements on recorded replies: who gave them and when, and which roles one and the same model had."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final

ROLES: Final = {"generators": "generators", "verifiers": "verifiers", "judges": "judge", "respondents": "respondents"}
"""Columns of the table `overview` with the models of each role, and how a sentence names the role."""

Recorded = Sequence[Mapping[str, Any]]
"""Models with replies from a recording, as the manifest of a release has them."""


def when(recorded: Recorded) -> str:
    """Return the day or the days of the replies, such as `on 27 November 2026`; empty if no day is known."""
    firsts = [one["first"] for one in recorded if one.get("first")]
    lasts = [one["last"] for one in recorded if one.get("last")]
    if not firsts or not lasts:
        return ""
    first, last = day(min(firsts)), day(max(lasts))
    return f"on {first}" if first == last else f"from {first} to {last}"


def given(recorded: Recorded) -> str:
    """Return when and by whom replies were given, in words; empty without any."""
    who = by_whom(recorded)
    return " ".join(part for part in (when(recorded), f"by {who}" if who else "") if part)


def explained(recorded: Recorded) -> str:
    """Return in brackets the meaning of a stand-in, where somebody who gave replies is called one."""
    meaning = " (a language model that was asked by hand, in place of one behind an API)"
    return meaning if "stand-in" in by_whom(recorded) else ""


def by_whom(recorded: Recorded) -> str:
    """Return who gave the replies: one name if it is the same for all models, else a name for each."""
    named = [one for one in recorded if one.get("answered_by")]
    givers = {one["answered_by"] for one in named}
    if len(givers) == 1 and len(named) == len(recorded):
        return str(named[0]["answered_by"])
    return "; ".join(f"{one['model']}: {one['answered_by']}" for one in named)


def notes(recorded: Recorded) -> list[str]:
    """Return the notes of recordings, each once, without those that only repeat the day."""
    days = {day(one[end]) for one in recorded for end in ("first", "last") if one.get(end)}
    return list(dict.fromkeys(one["note"] for one in recorded if one.get("note") and one["note"] not in days))


def shared_roles(recorded: Recorded, facts: Mapping[str, Any]) -> str:
    """Return the roles that one giver of replies had, among them judge and respondents; empty if there is none.

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
    """Return a date of ISO 8601 in words, such as `27 November 2026`, and any other text as it is."""
    try:
        found = date.fromisoformat(written)
    except ValueError:
        return written
    return f"{found.day} {found:%B %Y}"


def listed(names: Iterable[str]) -> str:
    """Return names as a sentence lists them: `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
