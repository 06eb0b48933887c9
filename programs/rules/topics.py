"""The named thing that a question is about, with its kind where the passages tell it for sure."""

import re
from dataclasses import dataclass

from demur.levers.frames import Kind
from demur.programs.text.analysis import Analysis
from demur.programs.text.casing import restore_case
from demur.programs.text.kinds import introduced, kind_of_form
from demur.programs.text.names import find_names
from demur.programs.text.spans import Span
from demur.programs.text.tokens import fold

_LEAST_LETTERS = 4
_GOES_ON = re.compile(
    r" (?:[A-Z]|(?:of|and|the|for|in|de|&|on|at|to|from|with) (?:the )?[A-Z])|[-–'’]\w*[A-Z]| \d| vs\b"
)
_WENT_BEFORE = re.compile(r"(?:[A-Z][\w.'’]*|[A-Z]\w* (?:of|and|the|for|in|&|on|at|to|from|with)(?: the)?)[ -]$")
_QUOTED = re.compile(r"[\"“][^\"“”]*$")


@dataclass(frozen=True, slots=True)
class Topic:
    """A name that question and passages share: as passages write it, where the question has it, and its kind."""

    name: str
    span: Span
    kind: Kind | None


def topics(analysis: Analysis) -> tuple[Topic, ...]:
    """Return the whole names of the question that stand in the passages, the longest first; answers are none."""
    asked = restore_case(analysis.question.text, [p.text for p in analysis.passages])
    if len(asked) != len(analysis.question.text):
        return ()
    kinds = dict(entry for p in analysis.passages if (entry := introduced(p.text)))
    found = []
    for name in find_names(asked):
        before, after = asked[: name.span.start], asked[name.span.end :]
        opens = not before.strip(" \"“'")
        whole = not _GOES_ON.match(after) and (opens or not _WENT_BEFORE.search(before) or _is_opening(before))
        stands = any(name.text in p.text for p in analysis.passages)
        if len(name.text) < _LEAST_LETTERS or not whole or not stands or analysis.is_answer(name.text):
            continue
        if _QUOTED.search(before) and not after.startswith(('"', "”")) and not before.endswith(('"', "“")):
            continue
        found.append(Topic(name.text, name.span, kinds.get(name.text) or kind_of_form(name.text)))
    return tuple(sorted(found, key=lambda t: (-len(fold(t.name)), t.span.start)))


def topic(analysis: Analysis) -> Topic | None:
    """Return the longest whole name that question and passages share, None where there is none."""
    return next(iter(topics(analysis)), None)


def _is_opening(before: str) -> bool:
    """Return whether all that stands before a name is the question's first word."""
    return len(before.split()) == 1
