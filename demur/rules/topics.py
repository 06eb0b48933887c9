"""The named thing that a question is about, with its kind where the passages tell it for sure."""

import re
from dataclasses import dataclass
from functools import lru_cache

from demur.levers.frames import Kind
from demur.levers.instances import BaseInstance
from demur.text.analysis import Analysis, analyse
from demur.text.casing import restore_case
from demur.text.kinds import entry_name, introduced, kind_of_form, kind_of_noun
from demur.text.lexicon import FUNCTION_WORDS, can_be, is_known, verb_tags
from demur.text.names import find_names
from demur.text.spans import Span
from demur.text.tokens import fold
from demur.text.word_families import NATIONALITIES

_LEAST_LETTERS = 4
_GOES_ON = re.compile(
    r" (?:[A-Z]|(?:of|and|the|for|in|de|&|on|at|to|from|with) (?:the )?[A-Z])|[-–'’]\w*[A-Z]| \d| vs\b"
)
_WENT_BEFORE = re.compile(r"(?:[A-Z][\w.'’]*|[A-Z]\w* (?:of|and|the|for|in|&|on|at|to|from|with)(?: the)?)[ -]$")
_SPOKEN_OF = re.compile(
    r"\b(?:what|which|whose|word|name|surname|term|phrase|expression|prefix|suffix) [\"“]?$", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"“][^\"“”]*$")


@dataclass(frozen=True, slots=True)
class SharedName:
    """A name that question and passages share: with its article, where the question has it, and its kind."""

    name: str
    span: Span
    kind: Kind | None

    @property
    def bare(self) -> str:
        """The name without its article."""
        return self.name.removeprefix("the ")


def topics(analysis: Analysis) -> tuple[SharedName, ...]:
    """Return what a question names; see `topics_of`."""
    return topics_of(analysis.base)


@lru_cache(maxsize=256)
def topics_of(base: BaseInstance) -> tuple[SharedName, ...]:
    """Return the whole names of the question that stand in the passages; answers are none.

    Those come first on which there is an entry among the passages, then the longest.
    """
    analysis = analyse(base)
    asked = restore_case(analysis.question.text, [p.text for p in analysis.passages])
    if len(asked) != len(analysis.question.text):
        return ()
    kinds = dict(entry for p in analysis.passages if (entry := introduced(p.text)))
    found = []
    for name in find_names(asked):
        before = asked[: name.span.start]
        after = asked[name.span.end :]
        opens = not before.strip(" \"“'")
        whole = not _GOES_ON.match(after) and (opens or not _WENT_BEFORE.search(before) or _is_opening(before))
        stands = any(name.text in p.text for p in analysis.passages)
        kind = kinds.get(name.text) or kind_of_form(name.text)
        common = kind is None and " " not in name.text and is_known(fold(name.text))
        if common or len(name.text) < _LEAST_LETTERS or not whole or not stands or analysis.is_answer(name.text):
            continue
        if _QUOTED.search(before) and not after.startswith(('"', "”")) and not before.endswith(('"', "“")):
            continue
        if not _ends(after) or _SPOKEN_OF.search(before) or _is_no_name(name.text):
            continue
        led = re.search(r"\bthe [\"“]?$", before) is not None
        found.append(SharedName(f"the {name.text}" if led else name.text, name.span, kind))
    entries = _entries(analysis, kinds)
    others = [t for t in found if not any(t.span.overlaps(e.span) for e in entries)]
    named = (*entries, *sorted(others, key=lambda t: (t.bare not in kinds, -len(fold(t.name)), t.span.start)))
    return named or _own_entry(analysis, kinds)


def _is_no_name(text: str) -> bool:
    """Return whether a text in capitals is an office ('President of the United States') or a people ('Americans')."""
    first = fold(text).split()[0]
    office = " of " in text and kind_of_noun(first) is Kind.PERSON
    return office or " " not in text and first.endswith("s") and first[:-1] in NATIONALITIES


def _own_entry(analysis: Analysis, kinds: dict[str, Kind]) -> tuple[SharedName, ...]:
    """Return what the answering passage is the entry on, where the question names nothing; its span is empty."""
    name = entry_name(analysis.main.text) or ""
    sound = re.match(r"[\w.'’ -]+$", name) and name in kinds and not analysis.is_answer(name)
    return (SharedName(name, Span(0, 0), kinds[name]),) if sound else ()


def _entries(analysis: Analysis, kinds: dict[str, Kind]) -> list[SharedName]:
    """Return what the question names, in whatever case, and a signal passage is the entry on: 'the whale shark'."""
    asked = analysis.question.text
    found = list[SharedName]()
    for passage in analysis.signal:
        name = (entry_name(passage.text) or "").rstrip("?!")
        bare = re.sub(r"^(?:The|A|An) ", "", name)
        usable = " " in bare or kinds.get(name) is not None
        if not usable or len(bare) < _LEAST_LETTERS or not re.match(r"[\w',’ -]+$", bare) or analysis.is_answer(bare):
            continue
        at = re.search(rf"\b(?:the )?{re.escape(bare)}\b", asked, re.IGNORECASE)
        if at is None or not _ends(asked[at.end() :]) or re.search(r"[\w'’]-$", asked[: at.start()]):
            continue
        common = name != bare and bare[0].islower()
        led = common or at.group().lower().startswith("the ") and not name.startswith("The ")
        found.append(SharedName(f"the {bare}" if led else name, Span(at.start(), at.end()), kinds.get(name)))
    return found


def _ends(after: str) -> bool:
    """Return whether a name ends its noun phrase: no noun follows that it belongs to, as in 'the Corran ferry'."""
    if re.match(r"['’]s\b", after):
        return False
    following = re.match(r"[\"”]? ([A-Za-z][\w'’]*)", after)
    if following is None:
        return True
    word = fold(following[1])
    return word in FUNCTION_WORDS or bool(verb_tags(word) & {"VBD", "VBZ"}) or not can_be(word, "NOUN")


def _is_opening(before: str) -> bool:
    """Return whether all that stands before a name is the question's first word."""
    return len(before.split()) == 1
