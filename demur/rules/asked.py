"""Parts of a question. From the parts, clauses for frames are made: 'X was opened', 'somebody else had built X'.

Only plain questions are parsed: they have one question word, one verb, and no second clause.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from demur.rules.subject import subject
from demur.text.analysis import Analysis
from demur.text.lexicon import AUXILIARIES, PREPOSITIONS, can_be, inflection, is_known, places, verb_lemma, verb_tags
from demur.text.tokens import fold

_LEAD: Final = (
    r"^(?:when|where|(?:in )?(?:what|which) (?:year|city|town|country|state|county)|on (?:what|which) (?:date|day))"
)
_PATTERNS: Final = (
    ("passive", re.compile(rf"{_LEAD} (?P<be>was|were|is|are) (?P<rest>.+)$", re.I)),
    ("active", re.compile(rf"{_LEAD} (?P<be>did|does|do) (?P<rest>.+)$", re.I)),
    ("agent", re.compile(r"^who (?P<verb>[a-z]+) (?P<rest>.+)$", re.I)),
)
_BROKEN: Final = re.compile(
    r"[?.!;:] |, |"
    r"\b(?:and|or|but|who|what|when|where|which|whose|why|how|that|because|if|after|before|while|since|as)\b",
    re.IGNORECASE,
)
_JOINED: Final = re.compile(r"\b(?:and|or|but|when|because|if|after|before|while|since)\b", re.IGNORECASE)
_TWICE: Final = re.compile(r"[?.!;:] |\b(?:and|or),? (?:in )?(?:who|what|when|where|which|why|how)\b", re.IGNORECASE)
_ADVERBS: Final = frozenset("first originally officially finally last initially actually".split())
_VAGUE: Final = frozenset("happen mean stand do have be say".split())
_PERFORMS: Final = frozenset({"plays", "sings", "voices"})
"""Verbs in the present for what was done once, in a work."""
_TENSES: Final = {"did": "VBD", "does": "VBZ", "do": "VB"}
_MOST_WORDS: Final = 16


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A parsed question.

    `about` is the question's subject ('the opera house'). `verb` is the verb in the form for a statement ('opened').
    `rest` has the words after the verb ('to the public'). `be` is the auxiliary of the question.
    """

    form: str
    about: str
    verb: str
    rest: str
    be: str

    @property
    def _tail(self) -> str:
        return f" {self.rest}" if self.rest else ""

    @property
    def event(self) -> str | None:
        """The event, without the time or place asked for: 'the opera house was opened to the public'."""
        if self.form == "passive":
            return f"{self.about} {self.be} {self.verb}{self._tail}"
        return f"{self.about} {self.verb}{self._tail}" if self.form == "active" else None

    @property
    def inverted(self) -> str | None:
        """The event in the word order of a question: 'was the opera house opened to the public'."""
        if self.form == "passive":
            return f"{self.be} {self.about} {self.verb}{self._tail}"
        if self.form != "active":
            return None
        *adverb, verb = self.verb.split()
        return " ".join([self.be, self.about, *adverb, f"{verb_lemma(verb)}{self._tail}"])

    @property
    def _lasts(self) -> bool:
        """Whether the question is about a lasting state, such as 'who owns'."""
        return self.form == "agent" and "VBD" not in verb_tags(self.verb) and self.verb not in _PERFORMS

    @property
    def never(self) -> str | None:
        """The supposition that the event never happened: 'the opera house had never been opened to the public'."""
        if self.form == "passive":
            return f"{self.about} had never been {self.verb.split()[-1]}{self._tail}"
        participle = None if self._lasts else inflection(verb_lemma(self.verb.split()[-1]) or "", "VBN")
        if self.form == "active" and participle:
            return f"{self.about} had never {participle}{self._tail}"
        return f"somebody else had {participle} {self.about}" if self.form == "agent" and participle else None

    @property
    def deed(self) -> str | None:
        """What was done by the person that the question asks for: 'wrote the opera'."""
        return f"{self.verb} {self.about}" if self.form == "agent" else None

    @property
    def do(self) -> str | None:
        """The deed as an infinitive: 'sing the opera'; None for a lasting state, such as 'who owns'."""
        lemma = verb_lemma(self.verb) if self.form == "agent" and not self._lasts else None
        return f"{lemma} {self.about}" if lemma else None

    @property
    def did(self) -> str | None:
        """The deed in the past tense: 'sang the opera' for 'sings the opera'."""
        past = inflection(verb_lemma(self.verb) or "", "VBD") if self.form == "agent" else None
        return f"{past} {self.about}" if past else None


@lru_cache(maxsize=256)
def asked(analysis: Analysis) -> ParsedQuestion | None:
    """Return the parts of the question; None if the question is not plain."""
    text = re.sub(r"\s+", " ", analysis.question.bare).strip()
    for form, pattern in _PATTERNS:
        found = pattern.match(text)
        made = _made(analysis, form, found.groupdict()) if found is not None else None
        if made is not None:
            return made
    return None


def _made(analysis: Analysis, form: str, parts: dict[str, str]) -> ParsedQuestion | None:
    rest = parts["rest"]
    be = parts.get("be", "").lower()
    verb = parts.get("verb", "").lower()
    about = subject(analysis)
    named = about.said if about is not None and about.said in rest else ""
    if _TWICE.search(rest) or len(rest.split()) > _MOST_WORDS:
        return None
    if form == "agent":
        plain = verb not in AUXILIARIES and bool(verb_tags(verb) & {"VBD", "VBZ"})
        plain = plain and not _JOINED.search(rest.replace(named, "") if named else rest)
        return ParsedQuestion(form, rest, verb, "", "") if plain and verb_lemma(verb) not in _VAGUE else None
    return _with_verb(form, rest, named, be)


def _with_verb(form: str, rest: str, named: str, be: str) -> ParsedQuestion | None:
    """Return a question with its verb split off; None if the verb is uncertain.

    The verb is the first word after the subject's name if `rest` opens with this name, else the only possible verb.
    """
    wanted = "VBN" if form == "passive" else "VB"
    words = rest.split()
    opens = bool(named) and rest.startswith(named)
    first = len(named.split()) if opens else 1
    possible = [i for i in range(first, len(words)) if _can_be_verb(words[i], wanted, sure=i > first or not opens)]
    if not possible or len(possible) > 1 and possible[0] != first:
        return None
    at = possible[0]
    start = at - 1 if at > 1 and fold(words[at - 1]) in _ADVERBS else at
    tail = [fold(word) for word in words[at + 1 :]]
    about = " ".join(words[:start])
    if _BROKEN.search(about.replace(named, "") if named else about):
        return None
    loose = bool(tail) and (tail[-1] in PREPOSITIONS - {"out", "on", "up", "off"} or tail[0] in AUXILIARIES)
    loose = loose or any("VBD" in verb_tags(word) and not can_be(word, "NOUN") for word in tail)
    loose = loose or not all(is_known(word) or word in places() or word.isdigit() for word in tail)  # a name
    lemma = verb_lemma(fold(words[at]))
    if not start or loose or lemma is None or lemma in _VAGUE or fold(words[start - 1]) in PREPOSITIONS:
        return None
    verb = words[at] if form == "passive" else inflection(lemma, _TENSES[be])
    adverb = f"{words[start]} " if start < at else ""
    return ParsedQuestion(form, about, f"{adverb}{verb}", " ".join(words[at + 1 :]), be) if verb else None


def _can_be_verb(word: str, tag: str, *, sure: bool) -> bool:
    norm = fold(word)
    if tag not in verb_tags(norm) or norm in AUXILIARIES | PREPOSITIONS:
        return False
    noun = can_be(norm, "NOUN")
    return not sure or not (noun or can_be(norm, "ADJ")) or norm.endswith("ed") and not noun
