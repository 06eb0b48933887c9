"""Facts asked for without a fronted question word: 'founded by who', 'are X and Y both Z', 'name the Z'."""

import re

from demur.programs.text.analysis import Analysis
from demur.programs.text.clauses import clause_tokens
from demur.programs.text.fact_adjuncts import BE, PAST, own_preposition
from demur.programs.text.facts import AskedFact, FactKind, Role
from demur.programs.text.lexicon import AUXILIARIES, PREPOSITIONS, verb_tags
from demur.programs.text.questions import Question, WhWord

_POLAR_SPLITS = tuple(
    re.compile(rf"^(?P<subject>.+?) (?P<predicate>{predicate})$")
    for predicate in (
        "both (?!of\\b).+",
        "(?:located|members of|of the same|in the same|the same|used|considered|born|made) .+",
        "from .+",
        "(?:American|British|English|French|German|Indian)\\b.*|an? .+",
    )
)
_NAMED = re.compile(r"(?:Name|Give|State) (?P<noun>the .+)$")
_WHO_DOES = re.compile(r"(?:actor|actress|singer|player) who (?P<rest>\w+ .+)$")
_GOES_ON = re.compile(r"(?:is|are|was|were|does|did|do|has|have|he|she|it|they)\b")
_LEADING_PREPOSITION = re.compile(rf",|(?:^| )(?:{'|'.join(sorted(PREPOSITIONS - {'of'}))})\b")


def read_in_place(question: Question, analysis: Analysis) -> AskedFact | None:
    """'The company was founded by who' -> 'the company was founded by ___'."""
    span = question.wh_span
    if span is None or span.start == 0:
        return None
    before = question.text[: span.start].strip()
    following = _after_gap(question, question.text[span.end :].lstrip())
    last = before.split()[-1].lower()
    if following is None or re.search(r"\b(?:who|that|which|where|,)$", before):
        return None
    if _GOES_ON.match(following.strip()) and not before.endswith(",") and last not in PREPOSITIONS:
        return None
    if last not in PREPOSITIONS | AUXILIARIES | {"than"} and not verb_tags(last):
        return None
    role = Role.WHERE if question.wh is WhWord.WHERE else Role.WHEN if question.wh is WhWord.WHEN else Role.BARE
    return AskedFact(
        FactKind.OBJECT,
        before,
        following.strip(),
        role,
        past=_is_past(before),
        personal=question.wh is WhWord.WHO,
        preposition=own_preposition(analysis),
        unit=(question.focus or "") if question.wh in (WhWord.HOW_MANY, WhWord.HOW_MUCH) else "",
    )


def _is_past(before: str) -> bool:
    """Return whether the clause before the gap is in the past, by its last auxiliary, else by its verbs."""
    tokens = clause_tokens(before)
    auxiliaries = [t.norm for t in tokens[-4:] if t.norm in AUXILIARIES]
    if auxiliaries:
        return auxiliaries[-1] in PAST
    return any(t.norm in PAST or "VBD" in verb_tags(t.norm) for t in tokens)


def _after_gap(question: Question, following: str) -> str | None:
    """Return what follows the question phrase, without the noun that it asks by; None where that can't be told."""
    focus = question.focus
    if following.startswith("'s"):
        return None
    if focus is None or not following.startswith(focus):
        return following
    if question.wh in (WhWord.HOW_MANY, WhWord.HOW_MUCH):
        return following[len(focus) :]
    if question.wh not in (WhWord.WHAT, WhWord.WHICH):
        return following
    following = following[len(_LEADING_PREPOSITION.split(focus)[0]) :]
    after = clause_tokens(following)[:1]
    joins = not after or not following[:1].isspace() or after[0].norm in PREPOSITIONS | AUXILIARIES
    then = clause_tokens(following)[1:2]
    leads_on = bool(verb_tags(after[0].norm)) and (not then or then[0].norm in PREPOSITIONS) if after else False
    if not joins and not (leads_on or after[0].norm in {"that", "who", "which"}):
        return None
    return None if re.match(r" (?:and|or)\b", following) else following


def read_polar(question: Question) -> AskedFact | None:
    """'Are X and Y both Z' -> 'X and Y are both Z' for yes, 'X and Y are not both Z' for no."""
    aux, body = question.auxiliary, question.body
    if aux not in BE or "," in body or body.lower().startswith("both"):
        return None
    found = next((m for split in _POLAR_SPLITS if (m := split.match(body))), None)
    if not found:
        return None
    yes = f"{found['subject']} {aux} {found['predicate']}"
    no = f"{found['subject']} {aux} not {found['predicate']}"
    return AskedFact(FactKind.POLAR, yes, no, past=aux in PAST, asked=f"whether {yes}")


def read_named(text: str) -> AskedFact | None:
    """'Name the mother of X' -> 'the mother of X is ___'; 'actor who plays X' -> '___ plays X'."""
    found = _NAMED.match(text)
    if found:
        return AskedFact(FactKind.EQUATION, f"{found['noun']} is", "", noun=found["noun"])
    found = _WHO_DOES.match(text)
    if found is None:
        return None
    rest = found["rest"]
    return AskedFact(FactKind.SUBJECT, "", rest, personal=True, asked=f"who {rest}", noun=f"the person who {rest}")
