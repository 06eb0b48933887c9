"""Keys and headers with which a model is asked, taken from the keys that the caller has read."""

import re
from collections.abc import Mapping
from typing import Final

from demur.lanes.spec import BLOCK_PREFIX, ModelSpec
from demur.lanes.transport import Access
from demur.programs.errors import ProgramError

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
