"""A statement with a gap for the answer, and what can be done with it: fill the gap, deny it, stress it."""

import re
from dataclasses import dataclass
from enum import StrEnum

from demur.programs.text.answers import answer_date
from demur.programs.text.dates import DatePrecision
from demur.programs.text.lexicon import PREPOSITIONS, is_known
from demur.programs.text.quantities import find_numbers

_PLACED = PREPOSITIONS | frozenset({"between", "every", "when", "while", "never", "late", "early"})
RELATIVE = re.compile(r"\b(?:that|which|who|where|whose)\b")
_SCALES = frozenset({"million", "billion", "thousand", "hundred"})


class FactKind(StrEnum):
    """What the answer is in the statement: subject, side of an equation, object, adjunct, count, or a yes."""

    SUBJECT = "subject"
    EQUATION = "equation"
    OBJECT = "object"
    ADJUNCT = "adjunct"
    COUNT = "count"
    POLAR = "polar"


class Role(StrEnum):
    """The preposition that the answer takes in the gap."""

    BARE = "bare"
    WHEN = "when"
    WHERE = "where"


@dataclass(frozen=True, slots=True)
class AskedFact:
    """A statement with a gap. `asked` is the indirect question ('who played Stumpy'), `noun` what names the answer."""

    kind: FactKind
    before: str
    after: str
    role: Role = Role.BARE
    past: bool = False
    personal: bool = False
    asked: str | None = None
    noun: str | None = None
    verb: str | None = None
    choices: tuple[str, str] | None = None
    preposition: str = "in"
    unit: str = ""

    def fill(self, value: str) -> str:
        """Return the value as it stands in the gap, with its preposition or counted noun."""
        said = value.strip().strip('"“”') if self.kind is not FactKind.EQUATION else value.strip()
        said = re.sub(r"(?<=[a-z]{3})\.$", "", said)
        said = re.sub(r"^(?:An?|The)(?= [a-z])", lambda m: m.group().lower(), said)
        if re.match(r"\d+(?:st|nd|rd|th) century\b", said) and not re.search(r"\b(?:the|a)$", self.before):
            said = f"the {said}"
        if re.fullmatch(r"[A-Z][a-z]+(?: [a-z][\w-]*)+", said) and is_known(said.split()[0].lower()):
            said = said[0].lower() + said[1:]
        first = said.split()[0].lower() if said.split() else ""
        if self.role is Role.WHEN:
            return said if first in _PLACED and first not in {"late", "early"} else f"{_time_preposition(said)} {said}"
        if self.role is Role.WHERE:
            return said if first in _PLACED else f"{self.preposition} {said}"
        return _counted(said, self.unit) if self.unit else said

    def state(self, value: str) -> str:
        """Return the statement with `value`, without capital and stop."""
        if self.kind is FactKind.POLAR:
            return self.before if value.strip().lower() == "yes" else self.after
        stranded = self.before.endswith((" is", " are", " was", " were"))
        if (
            self.kind is FactKind.ADJUNCT
            and not stranded
            and (len(self.before.split()) > 9 or RELATIVE.search(self.before))
        ):
            return self.stress(value)
        return _joined(self.before, self.fill(value), self.after)

    def deny(self, value: str) -> str:
        """Return a clause that denies `value` ('it was not 1956 in which ...'), without capital and stop."""
        be = "was" if self.past else "is"
        if self.kind is FactKind.POLAR:
            return self.state("no" if value.strip().lower() == "yes" else "yes")
        if self.kind is FactKind.EQUATION:
            return _joined(self.before, f"not {self.fill(value)}", self.after)
        if self.kind is FactKind.COUNT or not self._cleaves:  # what cannot be split is denied as a whole
            return f"it {be} not the case that {self.state(value)}"
        return f"it {be} not {self.fill(value)} {self._link} {_joined(self.before, '', self.after)}"

    def stress(self, value: str) -> str:
        """Return the statement with the value brought to the front: 'it was Walter Brennan who played Stumpy'."""
        be = "was" if self.past else "is"
        if self.kind in (FactKind.POLAR, FactKind.EQUATION, FactKind.COUNT) or not self._cleaves:
            return self.state(value)
        return f"it {be} {self.fill(value)} {self._link} {_joined(self.before, '', self.after)}"

    @property
    def _cleaves(self) -> bool:
        return self.asked is not None

    @property
    def _link(self) -> str:
        return "who" if self.personal and self.kind is FactKind.SUBJECT else "that"


def _time_preposition(value: str) -> str:
    date = answer_date(value)
    if date is None or re.search(r"\d[–-]\d", value):
        return "in" if not re.match(r"\d+ years|around|about|last|next", value) else ""
    return "on" if date.precision in (DatePrecision.DAY, DatePrecision.MONTH_DAY) else "in"


def _counted(value: str, unit: str) -> str:
    """Return '9 seasons of The Rugrats' for '9' or '9 seasons' and the unit 'seasons of The Rugrats'."""
    head = unit.split()[0].lower()
    if value.lower() in {"once", "twice"}:
        return value
    if head == "times" and value.lower().endswith("-time"):
        return f"{value[:-5]} times"
    words = value.split()
    if words and words[-1].lower().rstrip("s") == head.rstrip("s"):
        return " ".join([value, *unit.split()[1:]])
    return f"{value} {unit}" if _ends_in_number(value) else value


def _ends_in_number(text: str) -> bool:
    """Return whether a value ends in a figure or a number word, so that what is counted can follow it."""
    last = text.split()[-1] if text.split() else ""
    return bool(re.search(r"\d[\d,.]*$", text)) or last.lower() in _SCALES or bool(find_numbers(last))


def _joined(*parts: str) -> str:
    return re.sub(r"\s+([,.;])", r"\1", " ".join(p for p in parts if p)).strip()
