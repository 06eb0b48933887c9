"""Waits that providers ask for: in headers, in the words of errors, and until a daily allowance begins anew."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_AMOUNT: Final = re.compile(
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])",
    re.IGNORECASE,
)
_SAID: Final = re.compile(
    rf"(?:try again|retry|retrydelay|retry_after|available again|resets?)\W{{0,5}}(?:in|after)?\W{{0,5}}"
    rf"((?:{_AMOUNT.pattern}\s*(?:,|and)?\s*)+)",
    re.IGNORECASE,
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
    said_ms = headers.get("retry-after-ms")
    said = (headers.get("retry-after") or "").strip()
    seconds = _number(said_ms)
    seconds = None if seconds is None else seconds / 1000
    if seconds is None:
        seconds = _number(said)
    if seconds is None:
        seconds = duration_seconds(said)
    if seconds is None:
        moment = _moment(said)
        now = _moment(headers.get("date")) or datetime.now(UTC)
        seconds = None if moment is None else (moment - now).total_seconds()
    return seconds if seconds is not None and math.isfinite(seconds) and seconds > 0 else None


def said_wait_seconds(words: str) -> float | None:
    """Return the wait that an error's words name, such as "try again in 7m12.5s"; None if they name none."""
    found = _SAID.search(words)
    return None if found is None else duration_seconds(found[1].rstrip(" ,and"))


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


def _until(said: str | None) -> float | None:
    number = _number(said)
    if number is not None and number >= _EPOCH_SECONDS:
        number = number / (1000 if number >= _EPOCH_SECONDS * 1000 else 1) - datetime.now(UTC).timestamp()
    if number is None and said:
        number = duration_seconds(said)
    return number if number is not None and math.isfinite(number) and number > 0 else None


def _moment(said: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(said or "")
    except (ValueError, TypeError, OverflowError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC)
