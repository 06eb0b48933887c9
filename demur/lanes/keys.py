"""Keys and headers with which a model is asked, and their removal from texts that are stored or shown."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from demur.lanes.spec import BLOCK_PREFIX, ModelSpec
from demur.lanes.transport import Access
from demur.programs.errors import ProgramError

# Keys and headers with which a model is asked, taken from the keys that the caller has read.


_ODD: Final = {
    "\n": "a line break",
    "\r": "a line break",
    "\t": "a tab",
    "\xa0": "a blank that does not break",
    **dict.fromkeys("\u201c\u201d\u2018\u2019\u201e\u00ab\u00bb", "a curly quotation mark"),
    **dict.fromkeys("\u200b\u200c\u200d\ufeff", "an invisible sign"),
}
"""Signs that a copied key often has and that no header may have."""


_MISTAKEN: Final = (
    (r"(?i)bearer\s.*", "the word Bearer, which is sent with each key"),
    (r"\$\w+|\$\{\w+\}", "the name of a variable in place of its value"),
    (r"(?:export\s+)?[A-Z0-9]+_[A-Z0-9_]*=.*", "an assignment in place of its value"),
    (r"<.*>", "a placeholder"),
    (r".*\s.*", "a blank"),
    (r".*\\[nrt]", "a line break that is written out"),
    (r".*[,;]", "a comma or semicolon at its end"),
)
"""Values that no key has, as patterns; headers may have them."""


def access_of(spec: ModelSpec, keys: Mapping[str, str]) -> Access:
    """Return the key and headers of a model.

    `keys` maps the name of an environment variable, or `block:NAME` of a Prefect block, to the value.

    Raises:
        ProgramError: a key or a header is missing, or has signs that cannot be sent.
    """
    key = keys.get(spec.key_source) if spec.key_source else None
    if spec.key_source and not key:
        raise ProgramError(f"model '{spec.name}' needs a key: set {_place(spec.key_source)}")
    headers = {header: keys.get(variable, "") for header, variable in spec.headers.items()}
    if missing := [spec.headers[header] for header, value in headers.items() if not value]:
        raise ProgramError(f"model '{spec.name}' needs headers: set {_place(missing[0])}")
    sent = [(spec.key_source, unsendable(key) or _mistaken(key))] if spec.key_source and key else []
    sent += [(spec.headers[header], unsendable(value)) for header, value in headers.items()]
    for source, problem in sent:
        if problem is not None:
            raise ProgramError(
                f"model '{spec.name}': the key in {_place(source)} holds {problem}, and is not sent: set it again, "
                "without this"
            )
    return Access(key, headers)


def unsendable(value: str) -> str | None:
    """Return what is wrong with the value of a key or header, without showing it; None if it can be sent."""
    found = next((sign for sign in value if not " " <= sign <= "~"), None)
    if found is not None:
        return _ODD.get(found, f"the sign U+{ord(found):04X}, which no header may hold")
    if value != value.strip():
        return "a blank at its beginning or end"
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"`":
        return "quotation marks around it"
    return None


def _mistaken(key: str) -> str | None:
    return next((what for pattern, what in _MISTAKEN if re.fullmatch(pattern, key)), None)


def _place(source: str) -> str:
    if source.startswith(BLOCK_PREFIX):
        return f"the Prefect Secret block '{source.removeprefix(BLOCK_PREFIX)}'"
    return f"the environment variable {source}"


# Removal of keys from texts that are stored or shown.
#
# The keys are keys that demur knows, and parts of providers' errors that look like keys.


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
