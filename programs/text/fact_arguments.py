"""Facts asked for by who, what and which: the answer is the subject, an object or one side of an equation."""

import re
from dataclasses import dataclass, replace

from demur.programs.text.clauses import base_verb_at, clause_tokens, participle_at, split_before
from demur.programs.text.fact_adjuncts import DO, DOUBLE_PREPOSITION, MODALS, PAST, inflected, is_past
from demur.programs.text.facts import RELATIVE, AskedFact, FactKind, Role
from demur.programs.text.lexicon import DETERMINERS, PREPOSITIONS, can_be, verb_tags, word_set
from demur.programs.text.questions import Question, WhWord
from demur.programs.text.tokens import Token

_PART_OF = re.compile(r"^(?P<subject>.+?) (?P<part>an? (?:type|kind|form|member|part|example|species) of)$")
_STRANDED = re.compile(r"\b(?P<verb>\w+) (?:as|to|for|by|with|of|in|on|from|about|after)(?= (?:at|in|on|during)\b|$)")
_OTHERS = word_set("another other some one")
_PRONOUNS = word_set("there he she it they we you i")
_PARTICLES = word_set("up out off")
_PERFECT = word_set("has have had")


@dataclass(frozen=True, slots=True)
class _Asked:
    """The parts of a who, what or which question that its readers share."""

    wh: str
    focus: str | None
    auxiliary: str | None
    body: str
    words: tuple[Token, ...]
    past: bool
    personal: bool

    @property
    def opening(self) -> str:
        """'who', or 'which band' where the question names what it asks for."""
        return f"{self.wh} {self.focus}" if self.focus else self.wh

    @property
    def thing(self) -> str:
        """What the answer is called: 'person', 'band'."""
        return self.focus or ("person" if self.personal else "thing")

    def subject_fact(self, predicate: str, verb: str) -> AskedFact:
        """Return the fact whose subject is asked for."""
        link = "who" if self.personal and not self.focus else "that"
        return AskedFact(
            FactKind.SUBJECT,
            "",
            predicate,
            past=self.past,
            personal=self.personal,
            asked=f"{self.opening} {predicate}",
            noun=f"the {self.thing} {link} {predicate}",
            verb=verb,
        )

    def object_fact(self, before: str, after: str = "", role: Role = Role.BARE) -> AskedFact:
        """Return the fact that has the answer between `before` and `after`."""
        asked = f"{self.opening} {before} {after}".strip()
        return AskedFact(FactKind.OBJECT, before, after, role, past=self.past, personal=self.personal, asked=asked)


def read_subject_or_object(question: Question) -> AskedFact | None:
    """Return the fact of a question that opens with who, what or which, None where its parts cannot be told."""
    question = _with_verb_freed(question)
    focus, body = question.focus, question.body
    words = clause_tokens(body)
    if not words or (focus and (focus.lower().startswith("of ") or focus.split()[-1].lower() in PREPOSITIONS)):
        return None
    if focus and question.text[: question.text.find(body)].endswith("-"):
        return None
    personal = question.wh is WhWord.WHO
    asked = _Asked(question.wh.value, focus, question.auxiliary, body, words, is_past(question), personal)
    if asked.auxiliary is None:
        return _with_full_verb(asked)
    if focus and focus.lower().startswith(("percentage of", "proportion of")):
        return _share(asked, focus)
    if asked.auxiliary in DO:
        return _object(asked)
    if _is_predicate(asked):
        return asked.subject_fact(f"{asked.auxiliary} {body}", asked.auxiliary)
    return None if asked.auxiliary in MODALS else _equation(asked)


def _with_verb_freed(question: Question) -> Question:
    """Return the question with a verb that was taken for what it asks for put back: 'what spurred support'."""
    focus = question.focus
    if focus is None or question.auxiliary is not None:
        return question
    first = focus.split()[0].lower()
    if "VBD" not in verb_tags(first) or can_be(first, "NOUN"):
        return question
    return replace(question, focus=None, body=f"{focus} {question.body}")


def _with_full_verb(asked: _Asked) -> AskedFact | None:
    words, first = asked.words, asked.words[0]
    at = 1 if len(words) > 1 and not verb_tags(first.norm) else 0
    reduced = at + 1 < len(words) and words[at + 1].norm == "by"
    finite = bool(verb_tags(words[at].norm) & {"VBD", "VBZ", "VB"})
    if not finite or reduced or (first.is_capitalised and at == 0):
        return None
    return asked.subject_fact(asked.body, first.text)


def _share(asked: _Asked, focus: str) -> AskedFact:
    predicate = f"{asked.auxiliary} {asked.body}"
    return AskedFact(
        FactKind.COUNT,
        "",
        f"of {focus.split(' of ', 1)[1]} {predicate}",
        past=asked.auxiliary in PAST,
        asked=f"{asked.opening} {predicate}",
        noun=f"the {focus} that {predicate}",
    )


def _is_predicate(asked: _Asked) -> bool:
    """Return whether what follows the auxiliary is predicated of the answer: 'who was involved', 'who has won'."""
    words, first = asked.words, asked.words[0]
    if first.is_capitalised:
        return False
    second = words[1] if len(words) > 1 else None
    clear = second is not None and second.norm in {"by", "as", "for", "in"}
    participle = bool(verb_tags(first.norm) & {"VBN", "VBG"}) and (clear or not can_be(first.norm, "NOUN"))
    attributive = second is not None and can_be(first.norm, "ADJ") and can_be(second.norm, "NOUN")
    plain = can_be(first.norm, "ADJ") and not can_be(first.norm, "VERB")
    ends = _ends_as_adjective(words)
    described = plain and (ends or (second is not None and second.norm in PREPOSITIONS))
    found = (participle and not attributive) or first.norm in PREPOSITIONS or described
    if asked.auxiliary in MODALS:
        possessed = asked.auxiliary in _PERFECT
        inverted = possessed and first.norm in DETERMINERS and participle_at(asked.body) is not None
        return (found or "VB" in verb_tags(first.norm) or possessed) and not inverted
    return found or (asked.focus is not None and first.norm not in DETERMINERS and ends and first.text.islower())


def _ends_as_adjective(words: tuple[Token, ...]) -> bool:
    return len(words) == 1 or all(not can_be(w.norm, "NOUN") or w.norm in PREPOSITIONS for w in words[:2])


def _equation(asked: _Asked) -> AskedFact | None:
    """'who was the captain' -> 'the captain was ___'; 'who was it written to' -> 'it was written to ___'."""
    body, aux = asked.body, asked.auxiliary or "is"
    stranded = _stranded(asked, aux)
    if stranded is not None:
        return stranded
    if DOUBLE_PREPOSITION.search(body) or (asked.words[-1].norm == "of" and RELATIVE.search(body)):
        return None
    last = asked.words[-1].norm
    if last in PREPOSITIONS - _PARTICLES and not RELATIVE.search(body):
        if asked.focus and len(asked.words) == 3:
            one, two, three = (w.text for w in asked.words)
            return asked.object_fact(f"{one} {aux} {two} {three}")
        return asked.object_fact(f"{body[: asked.words[-1].start].strip()} {aux} {asked.words[-1].text}")
    at = participle_at(body)
    if at is not None and asked.focus is None and _is_progressive(asked, at):
        if at + 1 < len(asked.words) and asked.words[at + 1].norm not in PREPOSITIONS:
            return None
        subject, rest = split_before(body, at)
        verb, _, tail = rest.partition(" ")
        return asked.object_fact(f"{subject} {aux} {verb}", tail)
    if asked.focus:
        if at is None or at != len(asked.words) - 1:
            return None
        subject, rest = split_before(body, at)
        role = Role.WHERE if rest in {"located", "based", "held"} else Role.BARE
        return asked.object_fact(f"{subject} {aux} {rest}", role=role)
    return _identity(asked, aux)


def _stranded(asked: _Asked, aux: str) -> AskedFact | None:
    """Read 'what are X a type of' and 'what was X previously known as'."""
    part = _PART_OF.match(asked.body)
    if part and not asked.focus:
        return asked.object_fact(f"{part['subject']} {aux} {part['part']}")
    found, at = _STRANDED.search(asked.body), participle_at(asked.body)
    if at is None or found is None or asked.words[at].norm != found["verb"].lower():
        return None
    subject, rest = split_before(asked.body, at)
    cut = len(rest) - (len(asked.body) - found.end())
    return asked.object_fact(f"{subject} {aux} {rest[:cut]}", rest[cut:].strip())


def _is_progressive(asked: _Asked, at: int) -> bool:
    words = asked.words
    ing = "VBG" in verb_tags(words[at].norm) and not can_be(words[at - 1].norm, "ADJ")
    return ing and not RELATIVE.search(asked.body) and not re.search(r"\w+ing of\b", asked.body)


def _identity(asked: _Asked, aux: str) -> AskedFact | None:
    body = re.sub(r"^(?:an?|the) (?=another|other)", "", asked.body)
    first = clause_tokens(body)[0].norm
    if first in _PRONOUNS:
        return None
    named = body[:1].isupper() or body[:1] in '"“'
    bare = first in DETERMINERS | _OTHERS or named or aux in {"are", "were"}
    subject = body if bare else f"the {body}"
    return AskedFact(
        FactKind.EQUATION,
        f"{subject} {aux}",
        "",
        past=asked.past,
        personal=asked.personal,
        asked=f"{asked.opening} {subject} {aux}",
        noun=subject,
    )


def _object(asked: _Asked) -> AskedFact | None:
    """'what did X win' -> 'X won ___'; 'what prize did X win' -> 'the prize that X won was ___'."""
    body, words, aux = asked.body, asked.words, asked.auxiliary or "did"
    at = base_verb_at(body)
    if at is None:
        return None
    subject, rest = split_before(body, at)
    lead = body[len(body) - len(rest) : words[at].start]
    verb = f"{subject} {lead}{inflected(words[at].text, aux)}"
    clause = f"{verb}{body[words[at].end :]}"
    if asked.focus:
        noun = f"the {asked.focus} that {clause}"
        be = "was" if asked.past else "is"
        return AskedFact(
            FactKind.EQUATION, f"{noun} {be}", "", past=asked.past, asked=f"{asked.opening} {clause}", noun=noun
        )
    if words[-1].norm in PREPOSITIONS and at != len(words) - 1:
        return asked.object_fact(clause)
    after = body[words[at].end :].strip()
    if after and clause_tokens(after)[0].norm not in PREPOSITIONS:
        return None
    fact = asked.object_fact(verb, after)
    return fact if asked.personal else replace(fact, noun=f"what {clause}")
