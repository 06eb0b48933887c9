"""What a question asks, put into the forms that frames and clauses need: 'X was opened', 'the person who wrote X'.

Only plain questions have forms: one question word, one verb, and nothing behind it that belongs to another clause.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.rules.subject import subject
from demur.text.analysis import Analysis
from demur.text.lexicon import AUXILIARIES, PREPOSITIONS, can_be, inflection, verb_lemma, verb_tags
from demur.text.tokens import fold

_WHEN: Final = r"(?P<wh>when|(?:in )?(?:what|which) year|on (?:what|which) (?:date|day))"
_WHERE: Final = r"(?P<wh>where|in (?:what|which) (?:city|town|country|state|county))"
_PATTERNS: Final = (
    ("passive", re.compile(rf"^(?:{_WHEN}|{_WHERE.replace('wh', 'place')}) (?P<be>was|were) (?P<rest>.+)$", re.I)),
    ("active", re.compile(rf"^(?:{_WHEN}|{_WHERE.replace('wh', 'place')}) did (?P<rest>.+)$", re.I)),
    ("counted", re.compile(r"^how many (?P<noun>[a-z ]+?) (?:are|were) (?:there )?(?:in|on|of) (?P<rest>.+)$", re.I)),
    (
        "counted",
        re.compile(r"^how many (?P<noun>[a-z ]+?) (?:does|do|did) (?P<rest>.+) (?:have|offer|hold|contain)$", re.I),
    ),
    ("done", re.compile(r"^how many (?P<noun>[a-z]+) (?P<verb>[a-z]+(?:ed|ook|ame|ent|ote)) (?P<rest>.+)$", re.I)),
    ("agent", re.compile(r"^who (?P<verb>[a-z]+) (?P<rest>.+)$", re.I)),
)
_BROKEN: Final = re.compile(
    r"[?.!;:] |, |"
    r"\b(?:and|or|but|who|what|when|where|which|whose|why|how|that|because|if|after|before|while|since|as)\b",
    re.IGNORECASE,
)
_TWICE: Final = re.compile(r"[?.!;:] |\b(?:and|or),? (?:in )?(?:who|what|when|where|which|why|how)\b", re.IGNORECASE)
_ADVERBS: Final = frozenset("first originally officially finally last initially actually".split())
_VAGUE: Final = frozenset("happen mean stand do have be say".split())


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question taken apart.

    `about` is the phrase of which it asks ('the opera house'), `verb` the verb as a statement has it ('opened'),
    `rest` what follows ('to the public'), `be` is or was where the statement needs it.
    """

    form: str
    about: str
    verb: str
    rest: str
    be: str
    noun: str

    @property
    def tail(self) -> str:
        """What follows the verb, with a space before it."""
        return f" {self.rest}" if self.rest else ""

    @property
    def event(self) -> str | None:
        """What happened, without the time or place asked for: 'the opera house was opened to the public'."""
        if self.form == "passive":
            return f"{self.about} {self.be} {self.verb}{self.tail}"
        return f"{self.about} {self.verb}{self.tail}" if self.form == "active" else None

    @property
    def inverted(self) -> str | None:
        """The same as a question has it: 'was the opera house opened to the public'."""
        if self.form == "passive":
            return f"{self.be} {self.about} {self.verb}{self.tail}"
        if self.form != "active":
            return None
        *adverb, verb = self.verb.split()
        return " ".join(["did", self.about, *adverb, f"{verb_lemma(verb)}{self.tail}"])

    @property
    def never(self) -> str | None:
        """The supposition that it had not been: 'the opera house had never been opened to the public'."""
        if self.form == "passive":
            return f"{self.about} had never been {self.verb.split()[-1]}{self.tail}"
        participle = inflection(verb_lemma(self.verb.split()[-1]) or "", "VBN") if self.verb else None
        if self.form == "active" and participle:
            return f"{self.about} had never {participle}{self.tail}"
        return f"somebody else had {participle} {self.about}" if self.form == "agent" and participle else None

    @property
    def counted(self) -> str | None:
        """What is counted: 'rooms in the opera house', 'people who took part in the trial'."""
        if self.form == "counted":
            return f"{self.noun} in {self.about}"
        return f"{self.noun} that {self.verb} {self.about}" if self.form == "done" else None

    @property
    def deed(self) -> str | None:
        """What the person asked for did: 'wrote the opera'."""
        return f"{self.verb} {self.about}" if self.form == "agent" else None

    @property
    def did(self) -> str | None:
        """The same in the past: 'sang the opera' of 'sings the opera'."""
        past = inflection(verb_lemma(self.verb) or "", "VBD") if self.form == "agent" else None
        return f"{past} {self.about}" if past else None


@lru_cache(maxsize=256)
def asked(analysis: Analysis) -> ParsedQuestion | None:
    """Return the question taken apart, None where it is not one of the plain forms."""
    text = re.sub(r"\s+", " ", analysis.question.bare).strip()
    for form, pattern in _PATTERNS:
        found = pattern.match(text)
        made = _made(analysis, form, found) if found is not None else None
        if made is not None:
            return made
    return None


def _made(analysis: Analysis, form: str, found: re.Match[str]) -> ParsedQuestion | None:
    parts = found.groupdict()
    rest = found["rest"]
    named = _name_in(analysis, rest)
    if _TWICE.search(rest) or len(rest.split()) > 16:
        return None
    be = parts.get("be") or ""
    if form == "counted":
        whole = rest == named or re.match(r"the ", rest) and not _BROKEN.search(rest)
        return ParsedQuestion(form, rest, "", "", be.lower(), parts.get("noun") or "") if whole else None
    if form in ("agent", "done"):
        verb = found["verb"].lower()
        plain = verb not in AUXILIARIES and bool(verb_tags(verb) & {"VBD", "VBZ"})
        noun = parts.get("noun") or ""
        return ParsedQuestion(form, rest, verb, "", "", noun) if plain and verb_lemma(verb) not in _VAGUE else None
    return _with_verb(form, rest, named, be.lower())


def _name_in(analysis: Analysis, text: str) -> str:
    about = subject(analysis)
    return about.said if about is not None and about.said in text else ""


def _with_verb(form: str, rest: str, named: str, be: str) -> ParsedQuestion | None:
    """Return the subject and the verb behind it: the word after a name that opens, else the only one it can be."""
    wanted = "VBN" if form == "passive" else "VB"
    words = rest.split()
    first = len(named.split()) if named and rest.startswith(named) else 1
    opens = bool(named) and rest.startswith(named)
    possible = [i for i in range(first, len(words)) if _can_be_verb(words[i], wanted, sure=i > first or not opens)]
    if not possible or len(possible) > 1 and possible[0] != first:
        return None
    at = possible[0]
    start = at - 1 if at > 1 and fold(words[at - 1]) in _ADVERBS else at
    tail = words[at + 1 :]
    about = " ".join(words[:start])
    if _BROKEN.search(about.replace(named, "") if named else about):
        return None
    loose = tail and (fold(tail[-1]) in PREPOSITIONS - {"out", "on", "up", "off"} or fold(tail[0]) in AUXILIARIES)
    loose = loose or any("VBD" in verb_tags(fold(w)) and not can_be(fold(w), "NOUN") for w in tail)
    lemma = verb_lemma(fold(words[at]))
    if not start or loose or lemma is None or lemma in _VAGUE or fold(words[start - 1]) in PREPOSITIONS:
        return None
    verb = words[at] if form == "passive" else inflection(lemma, "VBD") or ""
    adverb = f"{words[start]} " if start < at else ""
    return ParsedQuestion(form, about, f"{adverb}{verb}", " ".join(tail), be, "") if verb else None


def _can_be_verb(word: str, tag: str, *, sure: bool) -> bool:
    norm = fold(word)
    if tag not in verb_tags(norm) or norm in AUXILIARIES or norm in PREPOSITIONS:
        return False
    return (
        not sure
        or not (can_be(norm, "NOUN") or can_be(norm, "ADJ"))
        or norm.endswith("ed")
        and not can_be(norm, "NOUN")
    )
