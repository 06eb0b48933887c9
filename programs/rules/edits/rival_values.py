"""A value that could stand where the answer stands, of the same kind and just as plausible."""

import random
import re

from demur.programs.rules.edits.grammar import fix_article_before, plural
from demur.programs.rules.edits.pools import invented_place, invented_title
from demur.programs.rules.edits.pronouns import HE, SHE, pronouns
from demur.programs.rules.edits.rival_people import SURNAMES, is_long_ago, other_people
from demur.programs.rules.edits.text import replace_span
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.asked_fact import AskedFact, FactKind
from demur.programs.text.dates import find_dates, moved
from demur.programs.text.families import CITIES, is_named_family, relatives
from demur.programs.text.lexicon import FIRST_NAMES, PLACES, can_be
from demur.programs.text.quantities import Number, NumberKind, find_numbers, written_like
from demur.programs.text.questions import WhWord
from demur.programs.text.tokens import Token, fold, tokenise

_WORK = re.compile(r"\b(?:song|film|movie|book|album|show|episode|novel|single|series|comedy|piece)\b", re.IGNORECASE)
_PERSON = re.compile(
    r"\b(?:actor|actress|singer|author|character|screenwriter|writer|playwright|woman|man|person|director|inventor|player|"
    r"senator|politician|musician|driver|pilot|producer|composer|painter|hero|spouse|sibling|child)s?\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\b(?:where|city|town|country|county|territory|location|state|village|region)\b", re.IGNORECASE)
_SPORT = re.compile(r"\b(?:won|win|wins|winner|teams?|final|league|bowl|cup|playing)\b", re.IGNORECASE)
_LED = re.compile(r"\b(?:le[ad]ds?|led|heads?|headed|coach\w*|captain\w*|manag\w*|found\w*|set up)\b", re.IGNORECASE)
"""Verbs of which a person and no team is the subject, also where a team is named."""
_FOUR_YEARLY = re.compile(r"\b(?:olympics?|olympic games|world cup|presidential election)\b", re.IGNORECASE)
_SEASON = re.compile(r"\b(\d{4})([–-])\d\d\b(?![–-]\d)")
"""A span over the turn of a year: '1979–80'."""
OFFICES = frozenset("president speaker king queen congress parliament chancellor treasurer chairman secretary".split())
"""Answers that need an article to stand in a sentence."""
_COUNTED = re.compile(r"\b(?:how many|how much|population|amount|number of)\b", re.IGNORECASE)


def spoken_answer(analysis: Analysis) -> str:
    """Return the accepted answer to speak of: one that stands in the passages and does not open with a verb."""
    article = [
        a for a in analysis.base.answers if a.lower() in {f"{w} {analysis.answer.lower()}" for w in ("a", "an", "the")}
    ]
    if article:
        return article[0]
    good = [a for a in analysis.base.answers if not re.match(r"(?:credited|loosely|estimated|seemingly|known)\b", a)]
    if analysis.answer in good or not good:
        return analysis.answer
    return next((a for a in good if any(a in p.text for p in analysis.signal)), good[0])


def rival_value(analysis: Analysis, fact: AskedFact | None, rng: random.Random) -> str | None:
    """Return another value of the answer's kind that no passage gives; None where only a denial is possible."""
    if analysis.answer_type is AnswerType.YES_NO:
        return "no" if fold(analysis.answer) == "yes" else "yes"
    if fact is not None and fact.choices is not None:
        other = [c for c in fact.choices if not analysis.is_answer(c) and fold(c) not in fold(analysis.answer)]
        return other[0] if len(other) == 1 else None
    answer = spoken_answer(analysis)
    if is_personal(analysis) and is_long_ago(analysis):
        return None
    text = " ".join(p.text for p in analysis.signal)
    for _ in range(6):
        made = _made(answer, analysis, fact, rng)
        if made is None:
            return None
        if fold(made) != fold(answer) and not analysis.is_answer(made) and (len(made) < 5 or made not in text):
            return made
    return None


def is_personal(analysis: Analysis) -> bool:
    """Say whether the answer names a person or several."""
    words = [t for t in tokenise(spoken_answer(analysis)) if t.is_word]
    names = [t for t in words if t.is_capitalised]
    named_place = fold(spoken_answer(analysis)) in PLACES or (len(words) == 1 and is_named_family(words[0].norm))
    if not names or named_place or any(t.text[0].isdigit() for t in words):
        return False
    question = analysis.question
    if (
        words[0].norm == "the"
        or all(t.text.isupper() for t in names if len(t.text) > 1)
        or not words[-1].is_capitalised
    ):
        return False
    if question.wh is WhWord.WHO:
        given = any(t.norm in FIRST_NAMES for t in names)
        sport = _SPORT.search(question.text) is not None and not _LED.search(question.text)
        team = sport and len(words) > 1 and not given
        likely = analysis.answer_type in (AnswerType.PERSON, AnswerType.OTHER) or given
        return likely and not team and len(words) <= 8 and (len(words) > 1 or words[0].norm not in OFFICES)
    focus = (question.focus or "").split(" that ")[0]
    if analysis.answer_type is AnswerType.PERSON:
        return words[-1].is_capitalised and not _PLACE.search(focus)
    return bool(_PERSON.search(focus)) and not _WORK.search(focus)


def _made(answer: str, analysis: Analysis, fact: AskedFact | None, rng: random.Random) -> str | None:
    dates = bool(find_dates(answer))
    if is_personal(analysis) and not dates:
        forms = pronouns(analysis)
        return other_people(
            answer, analysis.question.text, rng, several=_is_plural(fact), female=forms is SHE, male=forms is HE
        )
    if dates and not (_COUNTED.search(analysis.question.text) and len(find_numbers(answer)) > 1):
        away = (-8, -4, 4, 8) if _FOUR_YEARLY.search(analysis.question.text) else _YEARS_AWAY
        return _other_date(answer, rng, away, analysis.years)
    numbers = [n for n in find_numbers(answer) if n.kind is not NumberKind.ORDINAL]
    if numbers and (numbers[0].span.start == 0 or not answer[:1].isupper()):
        return _other_number(answer, numbers[0], numbers[1:], rng)
    asked = analysis.question.text
    if analysis.answer_type is AnswerType.TITLE and _WORK.search(asked[:60]) or answer[:1] in '"“':
        quoted = answer[:1] in '"“' and answer[1:2].isupper()
        if answer[:1] not in '"“' or quoted:
            return f'"{invented_title(rng)}"' if quoted else invented_title(rng)
    if _is_plural(fact):
        members = [_from_family(answer, analysis, rng) or _team(answer, analysis, rng) for _ in range(2)]
        return " and ".join(m for m in members if m) if all(members) and len(set(members)) == 2 else None
    found = _from_family(answer, analysis, rng) or _same_head(answer, rng) or _place(answer, analysis, rng)
    return found or _team(answer, analysis, rng)


def _is_plural(fact: AskedFact | None) -> bool:
    return fact is not None and fact.kind is FactKind.EQUATION and fact.before.endswith((" are", " were"))


_YEARS_AWAY = (-9, -7, -6, 6, 7, 9)


def _other_date(answer: str, rng: random.Random, away: tuple[int, ...], years: tuple[int, ...]) -> str:
    """Move every date in the answer by the same years, or by months where it gives no year.

    No date is moved past the last year that the text tells: it might lie in the future there.
    """
    dates = find_dates(answer)
    by, text = rng.choice(away), answer
    if (last := max(d.year or 0 for d in dates)) and last + by > max(years, default=last):
        by = -abs(by)
    season = _SEASON.search(answer)
    if season is not None:
        first = int(season[1]) + by
        return answer[: season.start()] + f"{first}{season[2]}{(first + 1) % 100:02}" + answer[season.end() :]
    for mention in reversed(dates):
        new = moved(mention, years=by) if mention.year else moved(mention, months=by, days=by)
        text = replace_span(text, mention.span, new)
    return text[:1].lower() + text[1:] if answer[:1].islower() else text


def _other_number(answer: str, number: Number, more: list[Number], rng: random.Random) -> str:
    """Change the first number clearly and any others in proportion."""
    whole = number.value == round(number.value)
    if whole and number.value <= 20:
        value = number.value + rng.choice((2, 3, 4)) if number.value > 1 else 3.0
    else:
        value = number.value * rng.choice((0.62, 0.71, 1.38, 1.63))
        digits = 2 if number.value % 10 == 0 else 3
        step = 10 ** max(0, len(str(int(value))) - digits)
        value = float(round(value / step) * step) if whole else round(value, 1)
    if number.kind is NumberKind.PERCENT and value > 100:
        value = round(number.value * 0.6)
    text = answer
    years = [d.span for d in find_dates(answer)]
    for later in reversed(more):
        if any(y.overlaps(later.span) for y in years):
            continue
        if number.value and later.text in text[number.span.end :]:
            text = replace_span(text, later.span, written_like(round(later.value * value / number.value), later))
    counted = re.match(r"\s+([a-z]+)\b", text[number.span.end :])
    if number.value == 1 and counted:
        text = text[: number.span.end] + f" {plural(counted[1])}" + text[number.span.end + counted.end() :]
    text = replace_span(text, number.span, written_like(value, number))
    return text[:1].lower() + text[1:] if answer[:1].islower() or number.in_words and answer[0].islower() else text


def _from_family(answer: str, analysis: Analysis, rng: random.Random) -> str | None:
    """Swap one word of the answer for another of its family: 'the left ring finger', 'the right ring finger'."""
    tokens = [t for t in tokenise(answer) if t.is_word]
    asked = fold(analysis.question.text)
    if any(t.norm in {"or", "and"} for t in tokens):
        return None
    for position, token in enumerate(tokens):
        others = [w for w in relatives(token.norm) if fold(w) not in asked]
        if not others or not _swappable(tokens, position, answer):
            continue
        word = rng.choice(others)
        word = word.title() if token.is_capitalised else word
        return fix_article_before(answer[: token.start] + word + answer[token.end :], token.start)
    return None


def _swappable(tokens: list[Token], position: int, answer: str) -> bool:
    token = tokens[position]
    if not token.is_capitalised or len(tokens) == 1:
        return True
    if not is_named_family(token.norm):
        return False
    before = tokens[position - 1] if position else None
    after = tokens[position + 1] if position + 1 < len(tokens) else None
    aged = {"old", "middle", "ancient", "early", "modern"}
    joined_before = (
        before is not None
        and before.is_capitalised
        and before.norm not in aged
        and "," not in answer[before.end : token.start]
    )
    joined_after = after is not None and after.is_capitalised and "," not in answer[token.end : after.start]
    return not (joined_before or joined_after)


def _same_head(answer: str, rng: random.Random) -> str | None:
    """Give a name another first part and the same last word: 'Roger Dean Stadium', 'Barker Stadium'."""
    tokens = [t for t in tokenise(answer) if t.is_word]
    if len(tokens) < 2 or not all(t.is_capitalised for t in tokens) or "," in answer:
        return None
    head = tokens[-1]
    if tokens[0].norm in {"project", "lake", "cape", "mount", "fort", "camp", "studio"}:
        return f"{tokens[0].text} {rng.choice(SURNAMES)}"
    if not can_be(head.norm, "NOUN") or fold(answer) in PLACES:
        return None
    return f"{rng.choice(SURNAMES)} {head.text}"


def _team(answer: str, analysis: Analysis, rng: random.Random) -> str | None:
    sporting = _SPORT.search(analysis.question.text) is not None and analysis.question.wh is WhWord.WHO
    return (
        f"{rng.choice(CITIES)} {rng.choice(('United', 'Rovers', 'City'))}"
        if sporting and answer[:1].isupper()
        else None
    )


def _place(answer: str, analysis: Analysis, rng: random.Random) -> str | None:
    asked = analysis.question
    focus = asked.focus or ("where" if asked.wh is WhWord.WHERE else "")
    placed = _PLACE.search(focus) or analysis.answer_type is AnswerType.PLACE
    if (
        not placed
        or not answer[:1].isupper()
        or asked.focus
        and not _PLACE.search(focus)
        and fold(answer) not in PLACES
    ):
        return None
    if fold(answer) in {"us", "u.s.", "usa"}:
        return "Canada"
    return rng.choice(CITIES) if " " not in answer or "," in answer or fold(answer) in PLACES else invented_place(rng)
