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
    """Return dates and sources of replies in words, or an empty text without replies.

    Models with the same source share its words; with several sources, each part ends with its models in parentheses.
    """
    parts = {
        source: " ".join(part for part in (when(its), f"by {source}" if source else "") if part)
        for source, its in _by_source(recorded).items()
    }
    if len(parts) < 2:
        return "".join(parts.values())
    return listed(f"{parts[source]} ({quoted(its)})" for source, its in _by_source(recorded).items())


def explained(recorded: Recorded) -> str:
    """Return the meaning of `stand-in` in parentheses, or an empty text if no source is a stand-in."""
    meaning = " (a stand-in is a language model that was asked by hand, in place of one behind an API)"
    return meaning if any("stand-in" in source for source in _by_source(recorded)) else ""


def _by_source(recorded: Recorded) -> dict[str, list[Mapping[str, Any]]]:
    """Return the models by the source of their replies: who answered in a model's place, or else the model itself."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in recorded:
        found.setdefault(one.get("answered_by") or ", ".join(one.get("asked") or ()), []).append(one)
    return found


def notes(recorded: Recorded) -> list[str]:
    """Return the distinct notes of recordings, without notes that only repeat the date."""
    days = {day(one[end]) for one in recorded for end in ("first", "last") if one.get(end)}
    return list(dict.fromkeys(one["note"] for one in recorded if one.get("note") and one["note"] not in days))


def shared_roles(recorded: Recorded, facts: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the first source whose replies serve both as judge and as respondent, with all its roles in words.

    If the source gave the replies of some of the recorded respondents alone, these are named. None without such a
    source.

    Args:
        recorded: models with recorded replies.
        facts: the row of the table `overview`, with the names of models by role.
    """
    everybody = {one["model"] for one in recorded}
    for source, its in _by_source(recorded).items():
        models = {one["model"] for one in its}
        found = {role: models & set(facts.get(role) or ()) for role in ROLES}
        if not (source and found["judges"] and found["respondents"]):
            continue
        some = found["respondents"] < everybody & set(facts["respondents"])
        named = {"respondents": listed(sorted(found["respondents"]))} if some else {}
        return source, listed(named.get(role, said) for role, said in ROLES.items() if found[role])
    return None


def quoted(recorded: Recorded) -> str:
    """Return the names of models as a list in a sentence, each in quotation marks."""
    return listed(f"‘{one['model']}’" for one in recorded)


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
