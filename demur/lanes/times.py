"""Waits that providers ask for: in headers, in the words of errors, and until a daily allowance begins anew."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_AMOUNT: Final = re.compile(
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])",
    re.IGNORECASE,
)
_SAID: Final = re.compile(
    rf"(?:try again|retry|retrydelay|retry[-_ ]?after|available(?: again)?|resets?|cool ?down(?: of)?|wait(?: for)?)"
    rf"\W{{0,5}}(?:in|after)?\W{{0,5}}((?:{_AMOUNT.pattern}\s*(?:,|and)?\s*)+)",
    re.IGNORECASE,
)
_SAID_IN_FIELD: Final = re.compile(
    r"retry[-_]?after(?:[-_]?seconds)?\W{1,5}(\d{1,7}(?:\.\d+)?)\b(?!\s*[a-z:/])", re.IGNORECASE
)
_SAID_AS_MOMENT: Final = re.compile(
    rf"(?:resets?|retry|again|until)\W{{0,5}}(?:at|on|after)?\W{{0,5}}({_ISO.pattern})", re.IGNORECASE
)
_RESETS: Final = ("x-ratelimit-reset", "x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "ratelimit-reset")
_EPOCH_SECONDS: Final = 1_000_000_000
"""Numbers from this one on are moments since 1970, in seconds, or in milliseconds from its thousandfold on."""
LEAST_ALLOWANCE_WAIT: Final = 3_600.0
"""The shortest wait, in seconds, for a daily allowance whose beginning is unknown."""


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return a provider's requested wait in seconds; None if it is missing, unreadable, 0 or in the past.

    A moment is compared with the time that the provider's header Date gives, since clocks differ.
    """
    now = _moment(headers.get("date")) or datetime.now(UTC)
    said_ms = _number(headers.get("retry-after-ms") or headers.get("x-ms-retry-after-ms"))
    if said_ms is not None:
        return _wait(said_ms / 1000)
    said = (headers.get("retry-after") or headers.get("x-ratelimit-reset-after") or "").strip(" \"'")
    first = said if _moment(said) else re.split(r"[,;]", said)[0].strip()
    return _until(first, now)


def said_wait_seconds(words: str) -> float | None:
    """Return the wait that an error's words name, such as "try again in 7m12.5s"; None if they name none."""
    if (found := _SAID.search(words)) is not None:
        return duration_seconds(found[1].rstrip(" ,and"))
    if (found := _SAID_IN_FIELD.search(words)) is not None:
        return _wait(float(found[1]))
    found = _SAID_AS_MOMENT.search(words)
    return None if found is None else _until(found[1])


def allowance_wait_seconds(headers: Mapping[str, str]) -> float:
    """Return the seconds until a daily allowance begins anew: by the provider's headers, else midnight in UTC."""
    seconds_named = [seconds for name in _RESETS if (seconds := _until(headers.get(name))) is not None]
    if seconds_named:
        return max(seconds_named)
    now = datetime.now(UTC)
    midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC)
    return max((midnight - now).total_seconds(), LEAST_ALLOWANCE_WAIT)


def duration_seconds(said: str) -> float | None:
    """Return the seconds of a duration such as `1h2m`, `6m0s`, `2s` or `20 seconds`; None if it is no duration."""
    if not _AMOUNT.search(said) or _AMOUNT.sub("", said).strip(" ,and"):
        return None
    return sum(float(number) * _unit(unit) for number, unit in _AMOUNT.findall(said))


def spoken_wait(seconds: float) -> str:
    """Return a wait in words, such as `45 s`, `12 min`, `11 h`, `3 h 5 min` or `3 days`."""
    if seconds < 90:
        return f"{math.ceil(seconds)} s"
    if seconds >= 172_800:
        return f"{math.ceil(seconds / 86_400):,} days"
    hours, minutes = divmod(math.ceil(seconds / 60), 60)
    return " ".join([*([f"{hours} h"] if hours else []), *([f"{minutes} min"] if minutes else [])])


def _unit(name: str) -> float:
    small = name.lower()
    return _UNITS["ms"] if small.startswith(("ms", "mil")) else _UNITS[small[0]]


def _number(said: str | None) -> float | None:
    try:
        return float(said or "")
    except ValueError:
        return None


def _wait(seconds: float | None) -> float | None:
    return seconds if seconds is not None and math.isfinite(seconds) and seconds > 0 else None


def _until(said: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds of a wait that is given as a number, a duration or a moment; None if it is 0 or past."""
    now = now or datetime.now(UTC)
    number = _number(said)
    if number is not None and number >= _EPOCH_SECONDS:
        number = number / (1000 if number >= _EPOCH_SECONDS * 1000 else 1) - now.timestamp()
    if number is None and said:
        number = duration_seconds(said)
    if number is None and (moment := _moment(said)) is not None:
        number = (moment - now).total_seconds()
    return _wait(number)


def _moment(said: str | None) -> datetime | None:
    """Return the moment that a date of HTTP or of ISO 8601 names; None if it names none."""
    said = said or ""
    try:
        moment = datetime.fromisoformat(said) if _ISO.fullmatch(said) else parsedate_to_datetime(said)
    except (ValueError, TypeError, OverflowError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC)
