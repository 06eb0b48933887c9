"""Signals of a completion for a trained grader: matches of patterns, and length, form and substance of the completion.

No signal holds any text, so a trained grader's file cannot reveal its training data.
"""

import hashlib
import math
import re
from functools import cache
from typing import Final

from demur.rules.roles.grading.safety import DERIVED, SIGNS, substance
from demur.text.questions import content_words
from demur.text.tokens import sentences, words

_VERSION: Final = 1
"""To be raised when the counts in this module change; the fingerprint covers the wordings of patterns."""

_LIST_ITEM: Final = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s", re.MULTILINE)
_FORM: Final = (
    "words",
    "sentences",
    "substance_words",
    "substance_share",
    "asks",
    "ends_asking",
    "has_list",
    "has_paragraphs",
    "is_cut_off",
    "prompt_words",
    "prompt_asks",
    "taken_from_prompt",
    "prompt_taken_up",
)


@cache
def signal_names() -> tuple[str, ...]:
    """Return the names of the signals, in the order in which `signals_of` gives them."""
    found = [f"{name}.{kind}" for name in SIGNS for kind in ("sure", "hints")]
    return (*found, *(f"{name}.pattern" for name in DERIVED), *_FORM)


@cache
def signals_fingerprint() -> str:
    """Return a hash of all that decides the signals; a grader that was trained with another hash cannot be used."""
    patterns = [
        [name, *(p.pattern if p else "" for p in (signs.sure, signs.maybe, signs.never)), str(signs.enough)]
        for name, signs in SIGNS.items()
    ]
    return hashlib.sha256(f"{_VERSION}|{signal_names()}|{patterns}".encode()).hexdigest()[:16]


def signals_of(prompt: str, completion: str) -> tuple[float, ...]:
    """Return the signals of a completion to a prompt."""
    found: list[float] = []
    for signs in SIGNS.values():
        found += [float(signs.is_sure(completion)), math.log1p(signs.hints(completion))]
    found += [judge(prompt, completion) for judge in DERIVED.values()]
    return (*found, *_form(prompt, completion))


def _form(prompt: str, completion: str) -> tuple[float, ...]:
    count = len(words(completion))
    stated = substance(completion)
    asked = content_words(prompt)
    said = content_words(completion)
    text = completion.rstrip()
    return (
        math.log1p(count),
        math.log1p(len(sentences(completion))),
        math.log1p(stated),
        stated / max(1, count),
        float("?" in completion),
        float(text.endswith("?")),
        float(_LIST_ITEM.search(completion) is not None),
        float(completion.count("\n") > 2),
        float(bool(text) and not text.endswith((".", "!", "?", '"'))),
        math.log1p(len(words(prompt))),
        float(prompt.rstrip().endswith("?")),
        len(asked & said) / max(1, len(said)),
        len(asked & said) / max(1, len(asked)),
    )
