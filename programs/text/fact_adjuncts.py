"""Facts asked for by when, where, in what year, how many, how long: the answer is an adjunct or a count."""

import re

from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.clauses import base_verb_at, clause_tokens, participle_at, split_before
from demur.programs.text.dates import find_dates
from demur.programs.text.facts import AskedFact, FactKind, Role
from demur.programs.text.lexicon import DETERMINERS, PREPOSITIONS, inflection, lemmas, verb_tags, word_set
from demur.programs.text.questions import Question, WhWord

BE = word_set("is are was were")
DO = {"did": "VBD", "does": "VBZ", "do": "VB"}
MODALS = word_set("can could may might must shall should will would has have had")
PAST = word_set("was were did had could would")
TIME_FOCUS = re.compile(r"(?:year|date|month|day|decade|century|season)s?\b", re.IGNORECASE)
DOUBLE_PREPOSITION = re.compile(
    r"\b(?:with|in|of|to|for|by|as|from|on|towards) (?:during|in|at|on|from|under|when|while)\b|\bto be by\b"
)
_TIME_WORDS = re.compile(r"\b(?:years?|century|season|winter|summer|ago|day|age)\b")
_NO_LENGTH = re.compile(r"\b(?:playing|been|going|held|valid|kept|term|sentence|career|reign)\b")
_NTH_TIME = re.compile(r"(?:the )?(?:first|last|next) time\b")


def is_past(question: Question) -> bool:
    """Return whether the question's verb, or its auxiliary, is in the past."""
    if question.auxiliary:
        return question.auxiliary in PAST
    words = clause_tokens(question.body)
    return bool(words) and "VBD" in verb_tags(words[0].norm)


def is_timed(answer: str) -> bool:
    """Return whether an answer can stand for a time."""
    return bool(find_dates(answer)) or _TIME_WORDS.search(answer) is not None


def inflected(verb: str, aux: str) -> str:
    """Return a base form with the tense that 'did', 'does' or 'do' carried for it."""
    if aux not in DO or DO[aux] == "VB":
        return verb
    if verb.lower() == "have":
        return "had" if aux == "did" else "has"
    return inflection(verb.lower(), DO[aux]) or verb


def own_preposition(analysis: Analysis) -> str:
    """Return the preposition with which the passage gives the place."""
    for mention in analysis.main.answers:
        before = clause_tokens(analysis.main.text[max(0, mention.span.start - 20) : mention.span.start])
        found = next((t.norm for t in reversed(before) if t.norm not in DETERMINERS), "")
        if found in {"in", "at", "on", "near", "into", "along", "around"}:
            return "in" if found == "into" else found
    return "in"


def uninverted(body: str, aux: str) -> str | None:
    """Return 'X came out' for 'X come out' and did, 'X was made' for 'X made' and was; None where X can't be told."""
    if aux in DO or aux in MODALS - {"has", "have", "had"}:
        return _with_base_verb(body, aux)
    at = None if _NTH_TIME.match(body) else participle_at(body)
    if at is None:
        return None if aux not in BE or re.search(r"\b(?:that|who|which)$", body) else f"{body} {aux}"
    subject, rest = split_before(body, at)
    return f"{subject} {aux} {rest}"


def _with_base_verb(body: str, aux: str) -> str | None:
    words, at = clause_tokens(body), base_verb_at(body)
    if at is None:
        finite = any("VBD" in verb_tags(w.norm) and not w.is_capitalised for w in words[1:])
        return body if aux == "did" and finite else None
    subject, rest = split_before(body, at)
    if aux not in DO:
        return f"{subject} {aux} {rest}"
    lead, tail = body[len(body) - len(rest) : words[at].start], body[words[at].end :]
    second = re.match(r" and (\w+)", tail)
    if second and "VB" in verb_tags(second[1].lower()):
        tail = f" and {inflected(second[1], aux)}{tail[second.end() :]}"
    return f"{subject} {lead}{inflected(words[at].text, aux)}{tail}"


def read_adjunct(question: Question, role: Role, analysis: Analysis, wh: str) -> AskedFact | None:
    """'when was X made' -> 'X was made ___'; 'when was the end' -> 'the end was ___'."""
    aux, body = question.auxiliary, question.body
    if aux is None or not body or (role is Role.WHEN and not is_timed(analysis.answer)):
        return None
    if role is Role.WHERE and analysis.answer_type in (AnswerType.DATE, AnswerType.NUMBER):
        return None
    clause, past = uninverted(body, aux), is_past(question)
    if clause is None or (role is Role.WHERE and DOUBLE_PREPOSITION.search(clause)):
        return None
    asked, preposition = f"{wh} {clause}", own_preposition(analysis)
    if clause.endswith(f" {aux}") and aux in BE:
        return AskedFact(FactKind.EQUATION, clause, "", role, past=past, asked=asked, preposition=preposition)
    if role is Role.WHEN:
        noun = f"the date on which {clause}"
        return AskedFact(FactKind.ADJUNCT, clause, "", role, past=past, asked=asked, noun=noun)
    if re.search(r"\b(?:from|to)$", clause) and len(clause_tokens(body)) - (base_verb_at(body) or 0) == 2:
        return AskedFact(FactKind.OBJECT, clause, "", past=past, asked=asked)
    if re.search(r" (?:go|goes|went)$", clause):
        preposition = "to"
    noun, clause = f"the place where {clause}", re.sub(r" (?:at|in)$", "", clause)
    return AskedFact(FactKind.ADJUNCT, clause, "", role, past=past, asked=asked, noun=noun, preposition=preposition)


def read_pied_piped(question: Question, opening: str, analysis: Analysis) -> AskedFact | None:
    """'in what year was X born' -> 'X was born in ___'; 'of what is X the capital' -> 'X is the capital of ___'."""
    if question.auxiliary is None:
        return None
    past, wh = is_past(question), f"{opening} {question.wh.value} {question.focus or ''}".strip()
    if opening == "of":
        parts = re.match(r"(?P<subject>(?!the ).+?) (?P<noun>the .+)$", question.body)
        if parts is None:
            return None
        before = f"{parts['subject']} {question.auxiliary} {parts['noun']} of"
        return AskedFact(FactKind.OBJECT, before, "", past=past, asked=f"{wh} {before.removesuffix(' of')}")
    clause = uninverted(question.body, question.auxiliary)
    timed = question.focus is not None and TIME_FOCUS.match(question.focus) is not None
    if clause is None or (timed and not is_timed(analysis.answer)):
        return None
    return AskedFact(
        FactKind.ADJUNCT,
        clause,
        "",
        Role.WHEN if timed else Role.WHERE,
        past=past,
        asked=f"{wh} {clause}",
        noun=f"the {question.focus} {opening} which {clause}" if question.focus else None,
        preposition=opening,
    )


def read_count(question: Question) -> AskedFact | None:
    """'how many X are there' -> 'there are ___ X'; 'how many X did Y have' -> 'the number of X that Y had was ___'."""
    focus, aux, body = question.focus, question.auxiliary, question.body
    if aux is None and question.wh_span is not None:
        focus, body = _counted_and_rest(question.text[question.wh_span.end :].strip(" ?")) or (focus, body)
    if focus is None or not body or focus.split()[0].lower().endswith("er"):
        return None
    past, wh = is_past(question), f"{question.wh.value} {focus}"
    if aux in BE and body.lower().startswith("there"):
        tail = body[5:].strip()
        asked, noun = f"{wh} there {aux} {tail}".strip(), f"the number of {focus} {tail}".strip()
        return AskedFact(FactKind.COUNT, f"there {aux}", tail, past=past, asked=asked, noun=noun, unit=focus)
    first = clause_tokens(body)[0].norm
    if aux is None or (aux in BE and (first in PREPOSITIONS or "VBN" in verb_tags(first))):
        after = f"{aux} {body}" if aux else body
        noun = f"the number of {focus} that {after}"
        return AskedFact(FactKind.COUNT, "", after, past=past, asked=f"{wh} {after}", noun=noun, unit=focus)
    clause = uninverted(body, aux)
    if clause is None or (aux in BE and clause.endswith(f" {aux}")):
        return None
    if focus.lower() == "times":
        return AskedFact(FactKind.COUNT, clause, "", past=past, asked=f"{wh} {clause}", unit=focus)
    amount = "amount" if question.wh is WhWord.HOW_MUCH else "number"
    noun, be = f"the {amount} of {focus} that {clause}", "was" if past else "is"
    return AskedFact(FactKind.EQUATION, f"{noun} {be}", "", past=past, asked=f"{wh} {clause}", noun=noun)


def _counted_and_rest(text: str) -> tuple[str, str] | None:
    """Split 'bells hang in the tower' after the plural noun, where a verb follows it."""
    words = clause_tokens(text)
    for before, word in zip(words, words[1:], strict=False):
        finite = verb_tags(word.norm) & {"VB", "VBD"} and word.norm not in PREPOSITIONS
        several = before.norm not in lemmas(before.norm).get("NOUN", (before.norm,))
        if finite and several and not word.is_capitalised:
            return text[: before.end], text[word.start :]
    return None


def read_measure(question: Question) -> AskedFact | None:
    """'how old was X when Y' -> 'X was ___ when Y'; 'how long did it take X' -> 'the time that it took X was ___'."""
    aux, body, past = question.auxiliary, question.body, is_past(question)
    if question.wh is WhWord.HOW or aux is None:
        return None
    if question.wh is WhWord.HOW_LONG and aux in DO and re.match(r"it take\b", body):
        clause = re.sub(r"^it take", f"it {inflected('take', aux)}", body)
        noun, be = f"the time that {clause}", "was" if past else "is"
        return AskedFact(FactKind.EQUATION, f"{noun} {be}", "", past=past, asked=f"how long {clause}", noun=noun)
    if aux not in BE:
        return None
    subject, found, clause = body.partition(" when ")
    subject = re.sub(r"\s+in (?:meters|metres|feet|miles|km|inches)$", "", subject)
    tail = (
        f"when {clause}"
        if found
        else "long"
        if question.wh is WhWord.HOW_LONG and not _NO_LENGTH.search(subject)
        else ""
    )
    asked = " ".join(filter(None, (question.wh.value, subject, aux, tail if found else "")))
    noun = f"the {'age' if question.wh is WhWord.HOW_OLD else 'length'} of {subject}"
    return AskedFact(FactKind.COUNT, f"{subject} {aux}", tail, past=past, asked=asked, noun=noun)
