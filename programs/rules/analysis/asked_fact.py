"""The fact that a question asks for, as a statement with a gap for the answer.

'who played stumpy in the movie rio bravo' asks for '___ played Stumpy in the movie Rio Bravo'.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from programs.instances import BaseInstance
from programs.rules.analysis.analysis import Analysis, analyse
from programs.rules.analysis.answers import AnswerType, answer_date
from programs.rules.analysis.casing import restore_case
from programs.rules.analysis.clauses import base_verb_at, clause_tokens, participle_at, split_before
from programs.rules.analysis.dates import DatePrecision, find_dates
from programs.rules.analysis.lexicon import AUXILIARIES, DETERMINERS, PREPOSITIONS, can_be, inflection, is_known, verb_tags
from programs.rules.analysis.quantities import find_numbers
from programs.rules.analysis.questions import Question, WhWord, read_question

_BE = frozenset({"is", "are", "was", "were"})
_DO = {"did": "VBD", "does": "VBZ", "do": "VB"}
_MODALS = frozenset(["can", "could", "may", "might", "must", "shall", "should", "will", "would", "has", "have", "had"])
_PAST = frozenset({"was", "were", "did", "had", "could", "would"})
_PLACED = PREPOSITIONS | frozenset({"between", "every", "when", "while", "never", "late", "early"})
_TIME_FOCUS = re.compile(r"(?:year|date|month|day|decade|century|season)s?\b", re.IGNORECASE)
_PUNCTUATED = re.compile(r"[,:] (?P<a>(?:the |an? )?[A-Z\"“][^,?:]*?),? or (?P<b>(?:the |an? )?[A-Z\"“][^,?]*)$")
_EVENTS = re.compile(r" (?P<a>the [a-z]+ of .+?) or (?P<b>the [a-z]+ of .+)$")
_UNPUNCTUATED = re.compile(
    r" (?P<a>(?:the )?[A-Z\"“]\S*(?: (?:[A-Z\"“]|of |the |and )\S*)*) or (?P<b>(?:the )?[A-Z\"“][^,?]*)$"
)
_RELATIVE = re.compile(r"\b(?:that|which|who|where|whose)\b")
_DOUBLE_PREPOSITION = re.compile(
    r"\b(?:with|in|of|to|for|by|as|from|on|towards) (?:during|in|at|on|from|under|when|while)\b|\bto be by\b"
)
_PART_OF = re.compile(r"^(?P<subject>.+?) (?P<part>an? (?:type|kind|form|member|part|example|species) of)$")
_ODD_OPENING = frozenset(["another", "other", "some", "one", "there", "he", "she", "it", "they", "we", "you", "i"])
_SECOND_QUESTION = re.compile(
    r"\band (?:how|what|when|where|who|why|which|in what)\b|\bwho (?:is|was) he\b|\w (?:where|when) (?:do|does|did)\b",
    re.IGNORECASE,
)


class FactKind(StrEnum):
    """What the answer is in the statement: its subject, one side of an equation, an object, an adjunct, a count, a yes."""

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
    role: Role
    past: bool
    personal: bool
    asked: str | None
    noun: str | None
    verb: str | None = None
    choices: tuple[str, str] | None = None
    preposition: str = "in"
    unit: str = ""

    def fill(self, value: str) -> str:
        """Return the value as it stands in the gap, with its preposition or counted noun."""
        said = value.strip().strip('"“”') if self.kind is not FactKind.EQUATION else value.strip()
        said = re.sub(r"(?<=[a-z]{3})\.$", "", said)
        said = re.sub(r"^(?:An?|The)(?= [a-z])", lambda m: m.group().lower(), said)
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
        if self.kind is FactKind.ADJUNCT and (len(self.before.split()) > 9 or _RELATIVE.search(self.before)):
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


def asked_fact(analysis: Analysis) -> AskedFact | None:
    """Return the fact that the question asks for, None where the question cannot be turned round surely."""
    return _fact_of(analysis.base)


@lru_cache(maxsize=256)
def _fact_of(base: BaseInstance) -> AskedFact | None:
    analysis = analyse(base)
    text = restore_case(base.question, [p.text for p in analysis.signal or analysis.passages]).rstrip(" ?.")
    text = re.sub(r"\b([Tt]he) [Tt]he\b", r"\1", text)
    last = re.split(r"(?<=[a-z]{3}[.]) (?=[A-Z])", text)[-1]
    if _SECOND_QUESTION.search(last) or not last:
        return None
    choices, body = _choices(last)
    fact = _read(read_question(body), analysis)
    if fact is None or "?" in fact.before + fact.after or fact.role is Role.WHERE and _is_clause(analysis.answer):
        return None
    if _is_statement(analysis.answer):
        return None
    personal = fact.personal and analysis.answer_type in (AnswerType.PERSON, AnswerType.OTHER)
    return replace(fact, choices=choices, before=_lowered(fact.before), personal=personal)


def _is_clause(value: str) -> bool:
    first = clause_tokens(value)[:1]
    return bool(first) and first[0].norm not in PREPOSITIONS and bool(verb_tags(first[0].norm) & {"VBD", "VBN"})


def _is_statement(value: str) -> bool:
    """Say whether an answer is a clause of its own: 'high schools lost their accreditation'."""
    words = clause_tokens(value)
    if any(w.norm in AUXILIARIES for w in words[1:]):
        return True
    finite = [w for w in words[1:] if verb_tags(w.norm) & {"VBD"} and not w.is_capitalised]
    return any(not can_be(w.norm, "NOUN") and not can_be(w.norm, "ADJ") and "VBN" not in verb_tags(w.norm) for w in finite) or bool(
        re.search(r"\b(?:lost|won|made|had|led|glowed) (?:the|their|his|her|even)\b", value)
    )


def _lowered(text: str) -> str:
    first = text.split(" ", 1)[0]
    lower = first in {"The", "A", "An", "This", "In", "From", "If", "At", "On", "Both", "Notable"}
    return text[0].lower() + text[1:] if lower else text


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
    ends_in_number = bool(re.search(r"\d[\d,.]*$", value)) or bool(words) and is_number_word(words[-1])
    return f"{value} {unit}" if ends_in_number else value


def is_number_word(word: str) -> bool:
    """Say whether a word is a number or ends one: 'five', 'million', '12th' is none."""
    found = find_numbers(word)
    return bool(found) or word.lower() in {"million", "billion", "thousand", "hundred"}


def _choices(text: str) -> tuple[tuple[str, str] | None, str]:
    if not re.match(r"(?:who|which|what)\b", text, re.IGNORECASE):
        return None, text
    found = _PUNCTUATED.search(text) or _EVENTS.search(text) or _UNPUNCTUATED.search(text)
    return ((found["a"].strip(), found["b"].strip()), text[: found.start()].rstrip(" ,:")) if found else (None, text)


def _read(question: Question, analysis: Analysis) -> AskedFact | None:
    if question.wh is WhWord.YES_NO:
        return _polar(question)
    if question.wh is WhWord.NONE:
        return _named(question.text)
    if not question.fronted:
        return _in_place(question, analysis)
    if question.wh in (WhWord.WHY, WhWord.WHOSE):
        return None
    if question.wh in (WhWord.WHEN, WhWord.WHERE):
        role = Role.WHEN if question.wh is WhWord.WHEN else Role.WHERE
        return _adjunct(question, role, analysis, question.wh.value)
    if question.wh in (WhWord.HOW_MANY, WhWord.HOW_MUCH):
        return _count(question)
    if question.wh in (WhWord.HOW_OLD, WhWord.HOW_LONG, WhWord.HOW):
        return _measure(question)
    opening = question.text.split()[0].lower()
    if opening in PREPOSITIONS:
        return _pied_piped(question, opening, analysis)
    if question.focus and _TIME_FOCUS.match(question.focus) and question.auxiliary and len(question.focus.split()) == 1:
        return _adjunct(question, Role.WHEN, analysis, f"in what {question.focus}")
    return _subject_or_object(question)


def _past(question: Question) -> bool:
    if question.auxiliary:
        return question.auxiliary in _PAST
    words = clause_tokens(question.body)
    return bool(words) and "VBD" in verb_tags(words[0].norm)


def _subject_or_object(question: Question) -> AskedFact | None:
    wh, body, aux, focus = question.wh.value, question.body, question.auxiliary, question.focus
    if (
        focus
        and aux is None
        and "VBD" in verb_tags(focus.split()[0].lower())
        and not can_be(focus.split()[0].lower(), "NOUN")
    ):
        focus, body = None, f"{focus} {body}"
        question = replace(question, focus=None, body=body)
    if focus and (focus.lower().startswith("of ") or focus.split()[-1].lower() in PREPOSITIONS):
        return None
    if focus and question.text[: question.text.find(body)].endswith("-"):
        return None
    if focus and focus.lower().startswith(("percentage of", "proportion of")) and aux:
        after = f"of {focus.split(' of ', 1)[1]} {aux} {body}"
        asked = f"{wh} {focus} {aux} {body}"
        return AskedFact(
            FactKind.COUNT, "", after, Role.BARE, aux in _PAST, False, asked, f"the {focus} that {aux} {body}"
        )
    personal, past = question.wh is WhWord.WHO, _past(question)
    words = clause_tokens(body)
    if not words:
        return None
    thing = focus or ("person" if personal else "thing")
    first = words[0]
    if aux is None:
        at = 1 if len(words) > 1 and not verb_tags(first.norm) else 0
        reduced = at + 1 < len(words) and words[at + 1].norm == "by"
        if not verb_tags(words[at].norm) & {"VBD", "VBZ", "VB"} or (first.is_capitalised and at == 0) or reduced:
            return None
        asked = " ".join(filter(None, (wh, focus, body)))
        return AskedFact(
            FactKind.SUBJECT, "", body, Role.BARE, past, personal, asked, f"the {thing} {_that(personal and not focus)} {body}",
            first.text,
        )  # fmt: skip
    if aux in _DO:
        return _object(question, thing)
    by = len(words) > 1 and words[1].norm in {"by", "as", "for", "in"}
    predicate = bool(verb_tags(first.norm) & {"VBN", "VBG"}) and (by or not can_be(first.norm, "NOUN"))
    predicate = predicate and not (len(words) > 1 and can_be(first.norm, "ADJ") and can_be(words[1].norm, "NOUN"))
    described = _plain_adjective(first.norm) and (_ends_adjective(body) or words[1].norm in PREPOSITIONS)
    predicate = (predicate or first.norm in PREPOSITIONS or described) and not first.is_capitalised
    if aux in _MODALS:
        subject = not first.is_capitalised and (
            predicate or bool(verb_tags(first.norm) & {"VB"}) or aux in {"has", "had", "have"}
        )
        if not subject or (
            first.norm in DETERMINERS and participle_at(body) is not None and aux in {"has", "have", "had"}
        ):
            return None
        predicate = True
    if predicate or (focus and first.norm not in DETERMINERS and _ends_adjective(body) and first.text[:1].islower()):
        asked = " ".join(filter(None, (wh, focus, aux, body)))
        after = f"{aux} {body}"
        noun = f"the {thing} {_that(personal and not focus)} {after}"
        return AskedFact(FactKind.SUBJECT, "", after, Role.BARE, past, personal, asked, noun, aux)
    return _equation(question, past, personal)


def _plain_adjective(word: str) -> bool:
    return can_be(word, "ADJ") and not can_be(word, "VERB")


def _ends_adjective(body: str) -> bool:
    words = clause_tokens(body)
    return len(words) == 1 or all(not can_be(w.norm, "NOUN") or w.norm in PREPOSITIONS for w in words[:2])


def _that(personal: bool) -> str:
    return "who" if personal else "that"


def _equation(question: Question, past: bool, personal: bool) -> AskedFact | None:
    """'who was the captain' -> 'the captain was ___'; 'who was the book written to' -> 'the book was written to ___'."""
    body, aux, focus = question.body, question.auxiliary or "is", question.focus
    words = clause_tokens(body)
    part = _PART_OF.match(body)
    if part and not focus:
        before = f"{part['subject']} {aux} {part['part']}"
        return AskedFact(FactKind.OBJECT, before, "", Role.BARE, past, False, f"what {before}", None)
    stranded = re.search(
        r"\b(?P<verb>\w+) (?P<prep>as|to|for|by|with|of|in|on|from|about|after)(?= (?:at|in|on|during)\b|$)", body
    )
    at = participle_at(body)
    wh = " ".join(filter(None, (question.wh.value, focus)))
    if at is not None and stranded and words[at].norm == stranded["verb"].lower():
        subject, rest = split_before(body, at)
        cut = len(rest) - (len(body) - stranded.end())
        asked = f"{wh} {subject} {aux} {rest}"
        return AskedFact(
            FactKind.OBJECT, f"{subject} {aux} {rest[:cut]}", rest[cut:].strip(), Role.BARE, past, personal, asked, None
        )
    if _DOUBLE_PREPOSITION.search(body) or (words[-1].norm == "of" and _RELATIVE.search(body)):
        return None
    if focus and len(words) == 3 and words[2].norm in PREPOSITIONS:
        before = f"{words[0].text} {aux} {words[1].text} {words[2].text}"
        return AskedFact(FactKind.OBJECT, before, "", Role.BARE, past, personal, f"{wh} {before}", None)
    if words[-1].norm in PREPOSITIONS and words[-1].norm not in {"up", "out", "off"} and not _RELATIVE.search(body):
        subject, preposition = body[: words[-1].start].strip(), words[-1].text
        asked = f"{wh} {subject} {aux} {preposition}"
        return AskedFact(FactKind.OBJECT, f"{subject} {aux} {preposition}", "", Role.BARE, past, personal, asked, None)
    ing = at is not None and "VBG" in verb_tags(words[at].norm) and not can_be(words[at - 1].norm, "ADJ")
    if at is not None and ing and not focus and not _RELATIVE.search(body) and not re.search(r"\w+ing of\b", body):
        if at + 1 < len(words) and words[at + 1].norm not in PREPOSITIONS:
            return None
        subject, rest = split_before(body, at)
        verb, _, tail = rest.partition(" ")
        return AskedFact(
            FactKind.OBJECT,
            f"{subject} {aux} {verb}",
            tail,
            Role.BARE,
            past,
            personal,
            f"{wh} {subject} {aux} {rest}",
            None,
        )
    if focus:
        if at is not None and at == len(words) - 1:
            subject, rest = split_before(body, at)
            before, role = f"{subject} {aux} {rest}", Role.WHERE if rest in {"located", "based", "held"} else Role.BARE
            return AskedFact(FactKind.OBJECT, before, "", role, past, personal, f"{wh} {before}", None)
        return None
    body = re.sub(r"^(?:an?|the) (?=another|other)", "", body)
    first = clause_tokens(body)[0].norm
    if first in _ODD_OPENING - {"another", "other", "some", "one"}:
        return None
    bare = first in DETERMINERS | _ODD_OPENING or _named_opening(body) or aux in {"are", "were"}
    subject = body if bare else f"the {body}"
    return AskedFact(
        FactKind.EQUATION, f"{subject} {aux}", "", Role.BARE, past, personal, f"{wh} {subject} {aux}", subject
    )


def _named_opening(body: str) -> bool:
    return body[:1].isupper() or body[:1] in '"“'


def _object(question: Question, thing: str) -> AskedFact | None:
    """'what did X win' -> 'X won ___'; a stranded preposition takes the answer; 'what N did X V' -> 'the N that X V'."""
    aux, body = question.auxiliary or "did", question.body
    at = base_verb_at(body)
    if at is None:
        return None
    words = clause_tokens(body)
    subject, rest = split_before(body, at)
    tense = _inflected(words[at].text, aux, subject)
    lead = body[clause_tokens(rest)[0].start + body.index(rest) : words[at].start] if rest else ""
    predicate = f"{lead}{tense}{body[words[at].end :]}"
    wh = " ".join(filter(None, (question.wh.value, question.focus)))
    asked, past, personal = f"{wh} {subject} {predicate}", aux == "did", question.wh is WhWord.WHO
    if question.focus:
        be = "was" if past else "is"
        return AskedFact(
            FactKind.EQUATION, f"the {question.focus} that {subject} {predicate} {be}", "", Role.BARE, past, False, asked,
            f"the {thing} that {subject} {predicate}",
        )  # fmt: skip
    if words[-1].norm in PREPOSITIONS and at != len(words) - 1:
        return AskedFact(FactKind.OBJECT, f"{subject} {predicate}", "", Role.BARE, past, personal, asked, None)
    after = body[words[at].end :].strip()
    if after and clause_tokens(after)[0].norm not in PREPOSITIONS:
        return None
    return AskedFact(
        FactKind.OBJECT, f"{subject} {lead}{tense}", after, Role.BARE, past, personal, asked,
        f"what {subject} {predicate}" if not personal else None,
    )  # fmt: skip


def _inflected(verb: str, aux: str, subject: str) -> str:
    if aux not in _DO or _DO[aux] == "VB":
        return verb
    if verb.lower() == "have":
        return "had" if aux == "did" else "has"
    return inflection(verb.lower(), _DO[aux]) or verb


def _adjunct(question: Question, role: Role, analysis: Analysis, wh: str) -> AskedFact | None:
    aux, body = question.auxiliary, question.body
    if aux is None or not body:
        return None
    if role is Role.WHEN and not _timed(analysis.answer):
        return None
    if role is Role.WHERE and analysis.answer_type in (AnswerType.DATE, AnswerType.NUMBER):
        return None
    past = _past(question)
    clause = _uninverted(body, aux)
    if clause is None or _DOUBLE_PREPOSITION.search(clause) and role is Role.WHERE:
        return None
    if clause.endswith(f" {aux}") and aux in _BE:
        return AskedFact(
            FactKind.EQUATION,
            clause,
            "",
            role,
            past,
            False,
            f"{wh} {clause}",
            None,
            preposition=_own_preposition(analysis),
        )
    preposition = "to" if re.search(r" (?:go|goes|went)$", clause) else _own_preposition(analysis)
    noun = f"the {'date' if role is Role.WHEN else 'place'} {'on which' if role is Role.WHEN else 'where'} {clause}"
    if (
        role is Role.WHERE
        and re.search(r"\b(?:from|to)$", clause)
        and len(clause_tokens(body)) - (base_verb_at(body) or 0) == 2
    ):
        return AskedFact(FactKind.OBJECT, clause, "", Role.BARE, past, False, f"{wh} {clause}", None)
    if role is Role.WHERE:
        clause = re.sub(r" (?:at|in)$", "", clause)
    return AskedFact(FactKind.ADJUNCT, clause, "", role, past, False, f"{wh} {clause}", noun, preposition=preposition)


def _timed(answer: str) -> bool:
    return (
        bool(find_dates(answer))
        or re.search(r"\b(?:years?|century|season|winter|summer|ago|day|age)\b", answer) is not None
    )


def _time_preposition(value: str) -> str:
    date = answer_date(value)
    if date is None or re.search(r"\d[–-]\d", value):
        return "in" if not re.match(r"\d+ years|around|about|last|next", value) else ""
    return "on" if date.precision in (DatePrecision.DAY, DatePrecision.MONTH_DAY) else "in"


def _own_preposition(analysis: Analysis) -> str:
    """Return the preposition with which the passage gives the place."""
    for mention in analysis.main.answers:
        before = clause_tokens(analysis.main.text[max(0, mention.span.start - 20) : mention.span.start])
        found = next((t.norm for t in reversed(before) if t.norm not in DETERMINERS), "")
        if found in {"in", "at", "on", "near", "into", "along", "around"}:
            return "in" if found == "into" else found
    return "in"


def _uninverted(body: str, aux: str) -> str | None:
    """Return 'X came out' for 'X come out' and did, 'X was made' for 'X made' and was."""
    words = clause_tokens(body)
    if aux in _DO or aux in _MODALS - {"has", "have", "had"}:
        at = base_verb_at(body)
        if at is None:
            late = [
                i for i in range(1, len(words)) if "VBD" in verb_tags(words[i].norm) and not words[i].is_capitalised
            ]
            return body if aux == "did" and late else None
        subject, rest = split_before(body, at)
        if aux in _DO:
            lead = body[len(body) - len(rest) : words[at].start]
            tail = body[words[at].end :]
            second = re.match(r" and (\w+)", tail)
            if second and "VB" in verb_tags(second[1].lower()):
                tail = f" and {_inflected(second[1], aux, subject)}{tail[second.end() :]}"
            return f"{subject} {lead}{_inflected(words[at].text, aux, subject)}{tail}"
        return f"{subject} {aux} {rest}"
    at = None if re.match(r"(?:the )?(?:first|last|next) time\b", body) else participle_at(body)
    if at is None:
        if aux not in _BE or re.search(r"\b(?:that|who|which)$", body):
            return None
        return f"{body} {aux}"
    subject, rest = split_before(body, at)
    return f"{subject} {aux} {rest}"


def _count(question: Question) -> AskedFact | None:
    focus, aux, body = question.focus, question.auxiliary, question.body
    if focus is None or not body or focus.split()[0].lower().endswith("er"):
        return None
    past, asked_noun = _past(question), f"{question.wh.value} {focus}"
    if aux in _BE and body.lower().startswith("there"):
        tail = body[5:].strip()
        return AskedFact(
            FactKind.COUNT, f"there {aux}", tail, Role.BARE, past, False, f"{asked_noun} there {aux} {tail}".strip(),
            f"the number of {focus} {tail}".strip(), unit=focus,
        )  # fmt: skip
    first = clause_tokens(body)[0].norm
    if aux is None or (aux in _BE and (first in PREPOSITIONS or "VBN" in verb_tags(first))):
        after = f"{aux} {body}" if aux else body
        noun = f"the number of {focus} that {after}"
        return AskedFact(FactKind.COUNT, "", after, Role.BARE, past, False, f"{asked_noun} {after}", noun, unit=focus)
    clause = _uninverted(body, aux)
    if clause is None or (aux in _BE and clause.endswith(f" {aux}")):
        return None
    if focus.lower() == "times":
        return AskedFact(FactKind.COUNT, clause, "", Role.BARE, past, False, f"{asked_noun} {clause}", None, unit=focus)
    amount = "amount" if question.wh is WhWord.HOW_MUCH else "number"
    noun, be = f"the {amount} of {focus} that {clause}", "was" if past else "is"
    return AskedFact(FactKind.EQUATION, f"{noun} {be}", "", Role.BARE, past, False, f"{asked_noun} {clause}", noun)


def _measure(question: Question) -> AskedFact | None:
    aux, body, past = question.auxiliary, question.body, _past(question)
    if question.wh is WhWord.HOW or aux is None:
        return None
    if question.wh is WhWord.HOW_LONG and aux in _DO and re.match(r"it take\b", body):
        clause = re.sub(r"^it take", f"it {_inflected('take', aux, 'it')}", body)
        be = "was" if past else "is"
        noun = f"the time that {clause}"
        return AskedFact(FactKind.EQUATION, f"{noun} {be}", "", Role.BARE, past, False, f"how long {clause}", noun)
    if aux not in _BE:
        return None
    subject, found, clause = body.partition(" when ")
    subject = re.sub(r"\s+in (?:meters|metres|feet|miles|km|inches)$", "", subject)
    tail = f"when {clause}" if found else ""
    asked = " ".join(filter(None, (question.wh.value, subject, aux, tail)))
    noun = f"the {'age' if question.wh is WhWord.HOW_OLD else 'length'} of {subject}"
    return AskedFact(FactKind.COUNT, f"{subject} {aux}", tail, Role.BARE, past, False, asked, noun)


def _pied_piped(question: Question, opening: str, analysis: Analysis) -> AskedFact | None:
    """'In what year was X born' -> 'X was born in ___'."""
    if question.auxiliary is None:
        return None
    clause = _uninverted(question.body, question.auxiliary)
    if clause is None:
        return None
    wh = f"{opening} {question.wh.value} {question.focus or ''}".strip()
    timed = question.focus is not None and _TIME_FOCUS.match(question.focus) is not None
    role = Role.WHEN if timed else Role.WHERE
    if timed and not _timed(analysis.answer):
        return None
    noun = f"the {question.focus} {opening} which {clause}" if question.focus else None
    return AskedFact(
        FactKind.ADJUNCT, clause, "", role, _past(question), False, f"{wh} {clause}", noun, preposition=opening
    )


def _in_place(question: Question, analysis: Analysis) -> AskedFact | None:
    """'The company was founded by who' -> 'the company was founded by ___'."""
    span = question.wh_span
    if span is None or span.start == 0:
        return None
    before, rest = question.text[: span.start].strip(), question.text[span.end :]
    following = rest.lstrip()
    if question.focus and following.startswith(question.focus) and question.wh in (WhWord.WHAT, WhWord.WHICH):
        named = re.split(rf",|(?:^| )(?:{'|'.join(sorted(PREPOSITIONS - {'of'}))})\b", question.focus)[0]
        following = following[len(named) :]
        after = clause_tokens(following)[:1]
        joins = not after or not following[:1].isspace() or after[0].norm in PREPOSITIONS | AUXILIARIES
        if not joins and not (verb_tags(after[0].norm) or after[0].norm in {"that", "who", "which"}):
            return None
        if re.match(r" (?:and|or)\b", following):
            return None
    if question.wh in (WhWord.HOW_MANY, WhWord.HOW_MUCH):
        counted = question.focus or ""
        following = following[len(counted) :] if following.startswith(counted) else following
    else:
        counted = ""
    if re.match(
        r"(?:is|are|was|were|does|did|do|has|have|he|she|it|they)\b", following.strip()
    ) and not before.endswith(","):
        preposition = before.split()[-1].lower() if before else ""
        if preposition not in PREPOSITIONS:
            return None
    if re.search(r"\b(?:who|that|which|where|,)$", before) or following.strip().startswith("'s"):
        return None
    last = before.split()[-1].lower()
    role = Role.WHERE if question.wh is WhWord.WHERE else Role.WHEN if question.wh is WhWord.WHEN else Role.BARE
    if last not in PREPOSITIONS | AUXILIARIES | {"than"} and not verb_tags(last):
        return None
    past = any(t.norm in _PAST or "VBD" in verb_tags(t.norm) for t in clause_tokens(before))
    return AskedFact(
        FactKind.OBJECT, before, following.strip(), role, past, question.wh is WhWord.WHO, None, None,
        preposition=_own_preposition(analysis), unit=counted,
    )  # fmt: skip


_POLAR_SPLITS = tuple(
    re.compile(rf"^(?P<subject>.+?) (?P<predicate>{predicate})$")
    for predicate in (
        "both (?!of\\b).+",
        "(?:located|members of|of the same|in the same|the same|used|considered|born|made) .+",
        "from .+",
        "(?:American|British|English|French|German|Indian)\\b.*|an? .+",
    )
)


def _polar(question: Question) -> AskedFact | None:
    """'Are X and Y both Z' -> 'X and Y are both Z' and 'X and Y are not both Z'."""
    aux, body = question.auxiliary, question.body
    if aux not in _BE or "," in body or body.lower().startswith("both"):
        return None
    found = next((m for split in _POLAR_SPLITS if (m := split.match(body))), None)
    if not found:
        return None
    yes = f"{found['subject']} {aux} {found['predicate']}"
    no = f"{found['subject']} {aux} not {found['predicate']}"
    return AskedFact(FactKind.POLAR, yes, no, Role.BARE, aux in _PAST, False, f"whether {yes}", None)


def _named(text: str) -> AskedFact | None:
    """'Name the mother of X' -> 'the mother of X is ___'."""
    found = re.match(r"(?:Name|Give|State) (?P<noun>the .+)$", text)
    if found:
        return AskedFact(FactKind.EQUATION, f"{found['noun']} is", "", Role.BARE, False, False, None, found["noun"])
    found = re.match(r"(?:actor|actress|singer|player) who (?P<rest>\w+ .+)$", text)
    if found:
        rest = found["rest"]
        return AskedFact(FactKind.SUBJECT, "", rest, Role.BARE, False, True, f"who {rest}", f"the person who {rest}")
    return None


def _joined(*parts: str) -> str:
    return re.sub(r"\s+([,.;])", r"\1", " ".join(p for p in parts if p)).strip()
