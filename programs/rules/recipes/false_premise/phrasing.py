"""How the recipes of this class rebuild a question: openings, insertions after a name, phrases put before a name."""

import re
from dataclasses import dataclass
from functools import lru_cache

from demur.programs.instances import BaseInstance
from demur.programs.rules.edits.casing import in_register
from demur.programs.rules.edits.clauses import mid_sentence
from demur.programs.rules.edits.grammar import is_plural, verb_form
from demur.programs.rules.edits.rival_values import is_personal, spoken_answer
from demur.programs.rules.recipes.registry import Draft
from demur.programs.rules.subjects.kinds import PLACES, WORKS, SubjectKind
from demur.programs.rules.subjects.kinds_told import born, in_passages
from demur.programs.text.analysis import Analysis, analyse
from demur.programs.text.asked_fact import AskedFact, asked_fact
from demur.programs.text.casing import restore_case
from demur.programs.text.lexicon import AUXILIARIES, DETERMINERS, PREPOSITIONS, can_be, verb_tags, word_set
from demur.programs.text.lexicon import PLACES as GAZETTEER
from demur.programs.text.names import NameKind, find_names
from demur.programs.text.spans import Span
from demur.programs.text.tokens import Token, fold, tokenise

_OPENERS = (
    DETERMINERS | AUXILIARIES | PREPOSITIONS | word_set("who whose whom what which when where why how name if there")
)
_KINDS = (
    "movie film song book novel album show series musical video play story poem opera episode game comedy magazine "
    "band company city town country state river bridge ship newspaper school university club team"
)
_KIND_WORDS = word_set(_KINDS)
WORK_WORDS = word_set(
    "movie film song book novel album show series musical video play story poem opera episode game comedy"
)
_AFTER = word_set("and or when while but both each")
_SPOKEN_OF = re.compile(r"\b(?:word|name|surname|term|phrase|expression|letter|prefix|suffix) [\"“]?$", re.IGNORECASE)
"""What stands before a word that is spoken of and names no thing: 'the word celsius'."""


@dataclass(frozen=True, slots=True)
class Named:
    """A name in the question: as passages write it, where its noun phrase stands, and what sort of thing it names.

    `closed` says that the noun phrase ends with the name, so that something can be put in after it.
    """

    name: str
    kind: NameKind
    phrase: Span
    closed: bool
    work: bool

    def text(self, analysis: Analysis) -> str:
        """Return the noun phrase as the question writes it ('the movie rio bravo')."""
        return self.phrase.of(analysis.question.text)


def named(analysis: Analysis) -> Named | None:
    """Return the main name in the question, whole and with its article and kind word; None where there is none."""
    return _named_in(analysis.base)


@lru_cache(maxsize=256)
def _named_in(base: BaseInstance) -> Named | None:
    analysis = analyse(base)
    text = analysis.question.text
    cased = restore_case(text, [p.text for p in analysis.passages])
    found = [n for n in find_names(cased) if len(n.text) >= 4 and not analysis.is_answer(n.text)]
    found = [n for n in found if not re.match(r"I['’]|(?:[A-Z][a-z]*n['’]t)$", n.text)]
    found = [n for n in found if _is_whole(cased, n.span) and not _SPOKEN_OF.search(cased[: n.span.start])]
    topic = analysis.topic
    near = [n for n in found if topic is not None and n.span.overlaps(topic.span)]
    chosen = max(near or found, key=lambda n: (len(n.text), -n.span.start), default=None)
    if chosen is None:
        return None
    kind = topic.kind if topic is not None and topic.name == chosen.text else chosen.kind
    return _placed(analysis, chosen.text, kind, chosen.span)


def _is_whole(text: str, span: Span) -> bool:
    """Say whether a name is no fragment of a longer title: 'Dark' of 'Escape from the Dark' is."""
    left, right = text[: span.start], text[span.end :]
    words = re.findall(r"[\w'’]+", left)
    if len(words) > 1 and words[-1][0].isupper():
        return False
    if re.search(r"\w\W+[A-Z]\w* (?:the|a|an) $", left):
        return False
    if re.search(r"[A-Z]\w*,? (?:from|in|on|at|to|for|with|without|by|and|&)(?: the| a)? $", left):
        wh = re.search(r"^\W*\w+ \w+ $", left)
        if wh is None:
            return False
    if span.of(text).endswith(("-", "–")) or re.match(r" vs?\.? ", right):
        return False
    return not re.match(
        r" [A-Z]|(?:['’]s)? (?:from|of|to|for|and|with|the|&) (?:the )?[A-Z]", right
    ) and not right.startswith(("-", " &"))


def _placed(analysis: Analysis, name: str, kind: NameKind, span: Span) -> Named | None:
    text = analysis.question.text
    words = [t for t in analysis.question.tokens if t.is_word]
    first = next(i for i, t in enumerate(words) if t.end > span.start)
    last = next(i for i, t in reversed(list(enumerate(words))) if t.start < span.end)
    start, sort = span.start, ""
    if first and words[first - 1].norm in _KIND_WORDS:
        sort, first = words[first - 1].norm, first - 1
        start = words[first].start
        while first > 1 and (can_be(words[first - 1].norm, "ADJ") or words[first - 1].norm == "tv"):
            first, start = first - 1, words[first - 1].start
    if first and words[first - 1].norm in {"the", "a", "an"}:
        first, start = first - 1, words[first - 1].start
    before = words[first - 1].norm if first else ""
    if before in {"what", "which", "whose"} or (before and not _lets_go(before)):
        return None
    if text[: span.start].count('"') % 2:
        span = Span(span.start, span.end + 1) if text[span.end : span.end + 1] == '"' else span
        start = text.rfind('"', 0, span.start) if start == words[last].start or start == span.start else start
    tail = text[span.end :]
    following = words[last + 1] if last + 1 < len(words) else None
    closed = not re.match(r"['’\"-]|, [A-Z]", tail) and _ends_phrase(following, tail, analysis.question.lower_case)
    work = sort in WORK_WORDS or (kind is NameKind.TITLE and _is_told_as_work(analysis, name))
    return Named(name, kind, Span(start, span.end), closed, work)


def spoken(analysis: Analysis, thing: Named) -> str:
    """Return the noun phrase as it stands in mid-sentence: 'the movie rio bravo', 'the Laleli Mosque'."""
    text = thing.text(analysis)
    if text.count('"') % 2:
        text = f"the {thing.name}" if text.lower().startswith("the ") else thing.name
    return f"the{text[3:]}" if text.startswith("The ") and thing.phrase.start == 0 else text


def is_several(thing: Named) -> bool:
    """Say whether the name stands for many ('the Lewiston Maineiacs', 'Xenoliths'), so that 'it' would be wrong."""
    last = thing.name.split()[-1]
    folk = thing.kind not in (NameKind.PERSON, NameKind.TITLE) and not thing.work
    return folk and (is_plural(last.lower()) or last.endswith(("phyta", "ae", "i"))) and not last.isupper()


def sort_of(analysis: Analysis, thing: Named) -> str:
    """Return 'work', 'person', 'place', 'body' or 'thing': what the passages, else the name, tell of the thing."""
    before = analysis.question.bare[: thing.phrase.start]
    if thing.work:
        return "work"
    if re.search(r"\b(?:play(?:s|ed)|voice[sd]|portray(?:s|ed)|married|loves?) (?:the )?$", before):
        return "person"
    if fold(thing.name).removeprefix("the ") in GAZETTEER:
        return "place"
    told = born(analysis, thing.name) or in_passages(analysis, thing.name)
    if told is not None and told[0] in _SORTS:
        return _SORTS[told[0]]
    if thing.kind is NameKind.PERSON and " " not in thing.name:
        return "thing"
    kinds = {NameKind.PERSON: "person", NameKind.ORGANISATION: "body"}
    return kinds.get(thing.kind, "thing")


_SORTS = {
    **dict.fromkeys(WORKS, "work"),
    **dict.fromkeys((SubjectKind.PERSON, SubjectKind.CHARACTER), "person"),
    **dict.fromkeys(PLACES, "place"),
    **dict.fromkeys((SubjectKind.COMPANY, SubjectKind.INSTITUTION, SubjectKind.TEAM, SubjectKind.BAND), "body"),
    **dict.fromkeys((SubjectKind.CONTEST, SubjectKind.EVENT, SubjectKind.LAW, SubjectKind.PRODUCT), "thing"),
    **dict.fromkeys((SubjectKind.ORGANISM, SubjectKind.BODY, SubjectKind.PEOPLE, SubjectKind.THING), "thing"),
}


def _is_told_as_work(analysis: Analysis, name: str) -> bool:
    """Say whether a passage speaks of the name in one sentence with 'film', 'song' or the like."""
    for passage in analysis.signal:
        at = passage.text.find(name)
        if at >= 0 and WORK_WORDS & {t.norm for t in tokenise(passage.sentence_at(Span(at, at + 1)).text)}:
            return True
    return False


def _lets_go(before: str) -> bool:
    """Say whether a word can stand before a name without being part of it."""
    return before in _OPENERS | _AFTER | {"to"} or bool(verb_tags(before)) or before in _KIND_WORDS


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
    return in_register(analysis.question, f"{opening}, {mid_sentence(analysis.question.bare)}")


def inserted(analysis: Analysis, after: Named, phrase: str) -> str:
    """Return the question with a phrase in commas after the named thing."""
    text = analysis.question.bare
    head, tail = text[: after.phrase.end], text[after.phrase.end :]
    comma = "," if tail.strip() and not tail.lstrip().startswith(",") else ""
    return in_register(analysis.question, f"{head}, {phrase}{comma}{tail}")


def fronted(analysis: Analysis, thing: Named, phrase: str) -> str | None:
    """Return the question with a phrase before the named thing: 'the opera based on the movie rio bravo'.

    None where the name is a possessive or is only quoted as a title.
    """
    text = analysis.question.bare
    quoted = re.search(r"\b(?:titled|called|named|entitled) ?$", text[: thing.phrase.start])
    if quoted or re.match(r"[\"”]?['’]s\b", text[thing.phrase.end :]):
        return None
    return in_register(analysis.question, text[: thing.phrase.start] + f"{phrase} " + text[thing.phrase.start :])


def asking(analysis: Analysis, text: str, reasoning: str, note: str) -> Draft:
    """Return the draft that asks `text` in the register of the base question."""
    return Draft(in_register(analysis.question, text), {}, reasoning=reasoning, answer_note=note)


def plural_clause(fact: AskedFact) -> str:
    """Return what is said of the subject as said of several: 'sing it' for 'sings it', 'were in it' for 'was in it'."""
    verb = fact.verb or ""
    several = {"is": "are", "was": "were", "has": "have", "does": "do"}.get(verb)
    if several is None and "VBZ" in verb_tags(verb) and verb not in AUXILIARIES:
        several = verb_form(verb, "VB")
    return f"{several}{fact.after[len(verb) :]}" if several and fact.after.startswith(verb) else fact.after


def gerund(fact: AskedFact) -> str | None:
    """Return 'playing Stumpy in Rio Bravo' for a fact whose subject is asked for; None for 'to be' and modals."""
    verb = fact.verb
    if verb is None or verb in AUXILIARIES or not fact.after.startswith(verb):
        return None
    return f"{verb_form(verb, 'VBG')}{fact.after[len(verb) :]}"


def is_one_person(analysis: Analysis) -> bool:
    """Say whether the answer to speak of is one person by name, and no description or list of people."""
    person = spoken_answer(analysis)
    return is_personal(analysis) and person[:1].isupper() and not re.search(r",| and | - |\(", person)


def fact_of(analysis: Analysis) -> AskedFact | None:
    """Return the fact asked for, None also where the question is of two sentences, the second leaning on the first."""
    apart = re.search(r"[a-z]{2}\. [A-Z]|\bin common\b", analysis.question.text)
    return None if apart else asked_fact(analysis)
