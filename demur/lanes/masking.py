"""Removal of keys from texts that are stored or shown.

The keys are keys that demur knows, and parts of providers' errors that look like keys.
"""

import re
from collections.abc import Iterable
from typing import Final

HIDDEN: Final = "[key]"
_LEAST_SECRET: Final = 4
"""The shortest secret in characters; ordinary words contain shorter ones."""
_LOOKS_LIKE_KEY: Final = re.compile(
    r"""
    \b(?:sk|pk|rk|gsk|xai|hf|ghp)[-_][A-Za-z0-9_-]{16,}    # most providers of models
    | \bAIza[A-Za-z0-9_-]{30,}                            # Google API keys
    | \bya29\.[A-Za-z0-9_.-]*[A-Za-z0-9_-]                            # Google access tokens
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b                       # AWS access keys
    | (?<=Signature=)[0-9a-f]{32,}                        # a signed AWS request
    | (?<=[Bb]earer\ )[A-Za-z0-9._~+/=-]{12,}             # any token in a repeated header
    | (?<=[?&]key=)[^&\s'"]+                              # a key in a repeated address
    """,
    re.VERBOSE,
)


_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    """Return a text with lone surrogates replaced, because UTF-8 cannot encode them."""
    return _LONE_SURROGATE.sub("\ufffd", text)


class Mask:
    """Replaces secrets in texts by `[key]`."""

    __slots__ = ("_others", "_own")

    def __init__(self, key: str | None = None, others: Iterable[str] = (), headers: Iterable[str] = ()) -> None:
        parts = (part for value in headers for part in (value, value.rpartition(" ")[2]))
        self._own = _longest_first((key or "", *parts))
        self._others = _longest_first(others)

    def reply(self, text: str) -> str:
        """Return the text of a reply without the key and the headers with which its request was sent."""
        for secret in self._own:
            text = text.replace(secret, HIDDEN)
        return text

    def prompt(self, text: str) -> str:
        """Return the text of a prompt without any known key."""
        for secret in self._others:
            text = text.replace(secret, HIDDEN)
        return whole(self.reply(text))

    def error(self, text: str) -> str:
        """Return the text of an error without any known key, and without anything that looks like a key."""
        return _LOOKS_LIKE_KEY.sub(HIDDEN, self.prompt(text))


def _longest_first(secrets: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({one for one in secrets if len(one) >= _LEAST_SECRET}, key=len, reverse=True))
