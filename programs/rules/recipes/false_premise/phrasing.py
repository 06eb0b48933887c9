"""How the recipes of this class rebuild a question: openings, insertions after a name, phrases put before a name."""

import re
from dataclasses import dataclass

from programs.rules.analysis.analysis import Analysis, Topic
from programs.rules.analysis.asked_fact import AskedFact
from programs.rules.analysis.lexicon import AUXILIARIES, DETERMINERS, PREPOSITIONS, can_be, verb_tags, word_set
from programs.rules.analysis.names import NameKind
from programs.rules.analysis.spans import Span
from programs.rules.analysis.tokens import Token
from programs.rules.edits.casing import in_register
from programs.rules.edits.grammar import verb_form
from programs.rules.recipes.registry import Draft

_OPENERS = DETERMINERS | AUXILIARIES | PREPOSITIONS | word_set("who whose whom what which when where why how name if there")
_KINDS = (
    "movie film song book novel album show series musical video play story poem opera episode game comedy magazine band "
    "company city town country state river bridge ship newspaper school university club team"
)
_KIND_WORDS = word_set(_KINDS)
WORK_WORDS = word_set("movie film song book novel album show series musical video play story poem opera episode game comedy")
_AFTER = word_set("and or that who which whose whom when while but both each")


@dataclass(frozen=True, slots=True)
class Named:
    """The named thing that a question is about: where its noun phrase stands, and what sort of thing it is."""

    topic: Topic
    phrase: Span
    closed: bool
    work: bool

    def text(self, analysis: Analysis) -> str:
        """Return the noun phrase as the question writes it ('the movie rio bravo')."""
        return self.phrase.of(analysis.question.text)


def named(analysis: Analysis) -> Named | None:
    """Return the topic's noun phrase in the question, None where there is none; `closed` says that it ends there."""
    topic = analysis.topic
    if topic is None or len(topic.in_question) < 3:
        return None
    text = analysis.question.text
    words = [t for t in analysis.question.tokens if t.is_word]
    first = next((i for i, t in enumerate(words) if t.start >= topic.span.start), None)
    last = next((i for i, t in reversed(list(enumerate(words))) if t.start < topic.span.end), None)
    if first is None or last is None:
        return None
    start, kind = topic.span.start, ""
    if first and words[first - 1].norm in _KIND_WORDS:
        kind, start = words[first - 1].norm, words[first - 1].start
        first -= 1
        while first and (can_be(words[first - 1].norm, "ADJ") or words[first - 1].norm == "tv") and first > 1:
            first -= 1
            start = words[first].start
    if first and words[first - 1].norm in {"the", "a", "an"}:
        start = words[first - 1].start
    tail = text[topic.span.end :]
    following = words[last + 1] if last + 1 < len(words) else None
    closed = not tail.startswith(("'", "’", "-")) and _ends_phrase(following, tail, analysis.question.lower_case)
    before = words[first - 1] if first else None
    glued = before is not None and text[before.end : start].strip() != "" or _continues(before, analysis)
    if glued:
        return None
    work = kind in WORK_WORDS or topic.kind is NameKind.TITLE
    return Named(topic, Span(start, topic.span.end), closed, work)


def _continues(before: Token | None, analysis: Analysis) -> bool:
    """Say whether the word before a name belongs to a longer name of which only a part was found."""
    if before is None:
        return False
    if not analysis.question.lower_case:
        return before.is_capitalised and before.start > 0 and before.norm not in _OPENERS
    loose = before.norm in _OPENERS | _KIND_WORDS | {"and", "or", "to"} or bool(verb_tags(before.norm))
    return not loose


def _ends_phrase(following: Token | None, tail: str, lower_case: bool) -> bool:
    if following is None or tail.lstrip().startswith(","):
        return True
    if tail[:1] not in {" ", ""}:
        return False
    word = following.norm
    if not lower_case and following.is_capitalised:
        return False
    finite = bool(verb_tags(word) & {"VBD", "VBZ", "VB", "VBN"}) and not can_be(word, "NOUN")
    return word in AUXILIARIES | PREPOSITIONS | _AFTER or finite


def opened(analysis: Analysis, opening: str) -> str:
    """Return the question with an opening before it: 'going by the second footnote, who ...'."""
    return in_register(analysis.question, f"{opening}, {small(analysis.question.bare)}")


def small(question: str) -> str:
    """Return a question with a small first letter unless it opens with a name."""
    first = re.match(r"[A-Za-z]+", question)
    return question[0].lower() + question[1:] if first and first.group().lower() in _OPENERS else question


def inserted(analysis: Analysis, after: Named, phrase: str) -> str:
    """Return the question with a phrase in commas after the named thing."""
    text = analysis.question.bare
    head, tail = text[: after.phrase.end], text[after.phrase.end :]
    comma = "," if tail.strip() and not tail.lstrip().startswith(",") else ""
    return in_register(analysis.question, f"{head}, {phrase}{comma}{tail}")


def fronted(analysis: Analysis, thing: Named, phrase: str) -> str:
    """Return the question with a phrase before the named thing: 'the opera based on the movie rio bravo'."""
    text = analysis.question.bare
    return in_register(analysis.question, text[: thing.phrase.start] + f"{phrase} " + text[thing.phrase.start :])


def asking(analysis: Analysis, text: str, reasoning: str, note: str) -> Draft:
    """Return the draft that asks `text` in the register of the base question."""
    return Draft(in_register(analysis.question, text), {}, reasoning=reasoning, answer_note=note)


def gerund(fact: AskedFact) -> str | None:
    """Return 'playing Stumpy in Rio Bravo' for a fact whose subject is asked for; None for 'to be' and modals."""
    verb = fact.verb
    if verb is None or verb in AUXILIARIES or not fact.after.startswith(verb):
        return None
    return f"{verb_form(verb, 'VBG')}{fact.after[len(verb) :]}"
