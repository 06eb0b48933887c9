"""How many tokens a text has, by a public encoding that litellm ships, so that nothing is downloaded."""

import base64
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import tiktoken

_FILE: Final = "litellm_core_utils/tokenizers/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""cl100k_base, under the name that tiktoken gives to what it has downloaded."""
_PATTERN: Final = "|".join(
    (
        r"'(?i:[sdmt]|ll|ve|re)",
        r"[^\r\n\p{L}\p{N}]?+\p{L}++",
        r"\p{N}{1,3}+",
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
        r"\s++$",
        r"\s*[\r\n]",
        r"\s+(?!\S)",
        r"\s",
    )
)


def count_tokens(text: str) -> int | None:
    """Return the tokens of a text, None where the encoding is not there.

    Models have encodings of their own: some count a tenth fewer, some a third more.
    """
    encoding = _encoding()
    return None if encoding is None else len(encoding.encode_ordinary(text))


@cache
def _encoding() -> "tiktoken.Encoding | None":
    package = find_spec("litellm")
    for folder in (package.submodule_search_locations if package else None) or ():
        try:
            import tiktoken

            lines = (Path(folder) / _FILE).read_bytes().splitlines()
        except (OSError, ImportError):
            continue
        ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)}
        return tiktoken.Encoding("cl100k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})
    return None
