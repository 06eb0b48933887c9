"""Predicates for lever needs. A predicate receives the analysis of a base instance."""

import re
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Final

from demur.text import (
    Analysis,
    AnswerType,
    DatePrecision,
    ModifierKind,
    NamedMention,
    NameKind,
    Number,
    NumberKind,
    PassageAnalysis,
    WhWord,
)
from demur.text.analysis import content_words
from demur.text.lexicon import COLOURS
from demur.text.names import is_first_name
from demur.text.tokens import Span, fold, tokenise
from demur.text.tokens import words as words_of

# Words in questions and passages that meet needs of levers. Each constant is a pattern of such words.


# asked for
CAUSE_ASKED: Final = (
    r"why|what ma[dk]es?|causes?|caused|reasons?|purpose|origins?|originat\w+|c[oa]me from|what for|le(?:a)?d to"
)
METHOD_ASKED: Final = (
    r"how (?:do|does|did|is|are|was|were)|where|(?:with|by|using) (?:what|which)|method|process|made (?:of|from)|"
    r"us(?:e|es|ed|ing)(?: to)?"
)
ACTOR_ASKED: Final = (
    r"(?:who|(?:what|which) [\w' -]+?) (?!is|was|are|were|did|do|does|will|can|has|had)"
    r"\w+(?:ed|[^s]s|ote|ade|ang|ung|ilt|un)"
)
AGENT_ASKED: Final = (
    r"who (?!is|was|are|were|did|do|does|will|can|could|has|had|have)\w+|by (?:whom|who|which|what)|who .* by"
)
PATIENT_ASKED: Final = r"whom|who (?:did|does|do)"
OUTCOME_ASKED: Final = (
    r"w[io]n(?:s|ner|ning)?|victor\w*|defeat\w*|beat|lost|loser|champions?\w*|elect(?:ed|ions?)|vot\w+|verdict|"
    r"rul(?:ed|ing)|trial|convicted|acquitted|sentenced|outcome|results?|scores?|contest|awarded|discover\w*|found"
)
ORDER_ASKED: Final = (
    r"first|last|latest|earliest|oldest|newest|before|after|older|younger|earlier|later|next|previous|succeed\w*|"
    r"preced\w+|follow\w*"
)
BENEFIT_ASKED: Final = (
    r"uses?|used (?:for|to|as)|benefits?|advantages?|good for|effects?|helps?|functions?|purpose|results? in|does .* do"
)
EFFECT_ASKED: Final = (
    r"effects?|affects?|results? in|causes?|symptoms?|damage|harms?|dangers?|consequences?|impact|does .* do|do to|"
    r"happens?"
)
SAFETY_ASKED: Final = (
    r"safe\w*|allowed|permit\w*|legal\w*|illegal\w*|prohibit\w*|banned|must|may|can you|required|poison\w*|toxic|"
    r"dangerous|edible|flammable|forbidden|licen[cs]ed?|mandatory"
)
PLACE_ASKED: Final = (
    r"where|located|situated|(?:in|to|from) (?:which|what) (?:\w+ )?(?:city|town|country|state|county|place)"
)

# in the answer, or beside it
DEGREES: Final = r"\bdegrees?\b|°|celsius|fahrenheit|\bgrade\b"
OF_A_YEAR: Final = r"(?:1[5-9]|20)\d\d|per (?:year|annum)|a year|annual(?:ly)?|yearly|each year|every year"
YEARLY: Final = r"\b(?:per (?:year|annum)|a year|annual(?:ly)?|yearly|each year|every year)\b"

# told
FICTION: Final = (
    r"films?|movies?|novels?|fiction\w*|characters?|manga|anime|episodes?|sitcom|series|voiced|trilogy|comics?|"
    r"cartoons?|played by|television|video games?|storyline|plot"
)
WORKS: Final = (
    rf"{FICTION}|books?|albums?|songs?|singles?|editions?|versions?|plays?|operas?|musicals?|games?|software|releases?|"
    r"published|poems?|soundtrack|laws?|constitution|treaty|standards?|rules|maps?|bible|charter|leaflet|brochure|manual|"
    r"report|code|models?|machine|device|trolley"
)
OFFERED: Final = (
    rf"{WORKS}|products?|sold|sells?|brands?|museums?|parks?|theat(?:re|er)s?|hotels?|restaurants?|stores?|shops?|"
    r"exhibitions?|stadiums?|tickets?|visitors?|tourists?|festivals?|cars?|phones?|drinks?|chocolate|beer|wine|food"
)
ORGANISMS: Final = (
    r"animals?|plants?|species|birds?|fish|insects?|mammals?|trees?|flowers?|bacteri\w+|virus(?:es)?|fung\w+|dogs?|cats?|"
    r"horses?|cattle|cows?|whales?|bears?|wol(?:f|ves)|lions?|hyenas?|snakes?|frogs?|spiders?|bees?|ants?|genus|organs?|"
    r"heart|liver|kidneys?|brain|muscles?|cells?|blood|bones?|crops?|herbs?|worms?|reptiles?|dinosaurs?|seeds?|fruits?|"
    r"zoos?|herds?|flocks?|truffles?|mushrooms?|roots?|oaks?"
)
ALIVE: Final = r"born|currently|current|is an?|has been|lives"
DEAD: Final = r"died|death|dead|killed|late|buried|grave|assassinated"
FIRM: Final = r"compan(?:y|ies)|corporation|firm|inc|ltd|business|manufacturer|products?|revenues?|sales|brand"
CAUSE: Final = (
    r"because|caus(?:e[sd]?|ing)|led to|leads to|result(?:s|ed|ing)? (?:in|of|from)|due to|therefore|thus|consequently|"
    r"so that|triggered"
)
RULE: Final = (
    r"must|may not|shall|requires?|required|prohibit\w*|allowed|permitted|eligible|mandatory|forbidden|regulations?|"
    r"entitled|may (?:be \w+(?:ed|en)|run|go|use|take|enter|apply|stay)"
)
COMPONENT: Final = (
    r"processors?|cpus?|gpus?|ram|memory|chips?|circuits?|engines?|motors?|sensors?|transistors?|batter(?:y|ies)|"
    r"modules?|components?|microcontrollers?|valves?|turbines?|bus|interface|megabytes|gigabytes|volts?|amplifier"
)
MEMBERS: Final = (
    r"each|every|both|all|several|various|respective(?:ly)?|members?|(?:two|three|four|five|six|seven|eight|nine|ten|"
    r"twelve) \w+s"
)
SPAN: Final = (
    r"seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|milli(?:second|enni)\w*|"
    r"annual(?:ly)?|yearly|daily"
)
MOMENT: Final = r"(?:milli|micro|nano)seconds?|(?:\d+|one) second|seconds|minutes?|instant\w*|moment"
SYNONYM: Final = (
    r"(?:also|formerly|originally|better|commonly|previously|sometimes|often) (?:known|called|named)|known as|"
    r"nicknamed|a\.?k\.?a|abbreviated|styli[sz]ed as|née|or simply|translated as"
)
IN_BRACKETS: Final = (
    r"\([^()]*(?:[^\x00-\u024f]|\b[A-Z]{2,}\b|[\"“])[^()]*\)|[A-Z]\w+ [\"“][A-Z][^\"”]{0,29}[^\"”,.!?][\"”] [A-Z]"
)
SOURCE: Final = (
    r"according to|reports?(?! to)|reported(?:ly)?(?! to)|(?:stat|not|observ|estimat)(?:es|ed) (?:that|by)|"
    r"estimated (?:at|to)|sa(?:ys|id) (?:that|to|by|it|he|she|they)|claim(?:s|ed) (?:that|to|by)|wrote that|"
    r"(?:surveys?|census|stud(?:y|ies)|scholars|critics|historians|researchers) \w+|apparently|reputedly|allegedly|"
    r"as .{3,40} (?:puts? it|reports?|notes?)|officially|appears? to (?:be|have)|"
    r"(?:is|are|was|were|been) (?:\w+ly |often )?(?:said|held|believed|thought|reported|considered|regarded|credited)|"
    r"often (?:class|call|regard|consider)\w*"
)
TITLES: Final = r"(?:Dr|Mr|Mrs|Ms|Sir|Dame|Lord|Lady|King|Queen|Prince|Princess|President|Captain|Professor|Bishop)\b"
SOMEBODY: Final = r"he|she|his|her|him|who|whom|whose|himself|herself"
BODY: Final = (
    r"wards?|schools?|departments?|boards?|councils?|committees?|gazette|newspapers?|compan(?:y|ies)|arm(?:y|ies)|courts?|"
    r"clubs?|hospitals?|agenc(?:y|ies)|universit(?:y|ies)|colleges?|congress|parliament|senate|ministry|league|office"
)
SITE: Final = (
    r"schools?|librar(?:y|ies)|rooms?|houses?|inns?|cellars?|buildings?|church(?:es)?|streets?|corner|gardens?|roof|towns?|"
    r"cit(?:y|ies)|villages?|harbours?|airports?|stations?|campus|stadium|park|bridge|castle|hotel|island|river"
)
TOWN: Final = r"towns?|cit(?:y|ies)|villages?|capital|countr(?:y|ies)|province|county|island"
WEEKDAY: Final = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
PAID: Final = (
    r"\d[\d,.]* (?:thousand |million |billion )?(?:crowns?|pounds?|dollars?|euros?|francs?|marks?|yen|rupees?|pesos?|"
    r"shillings?|pence|cents?|guineas?)"
)


Found = Callable[[Analysis], bool]
DATED: Final = frozenset({AnswerType.DATE})
FIGURES: Final = frozenset({AnswerType.NUMBER, AnswerType.MONEY})
AGENTS: Final = frozenset({AnswerType.PERSON, AnswerType.ORGANISATION})
NAMES: Final = AGENTS | {AnswerType.PLACE, AnswerType.TITLE}
WHO: Final = frozenset({WhWord.WHO, WhWord.WHOSE})
NO_PARTIES: Final = frozenset({NameKind.PLACE, NameKind.TITLE})
DAYS: Final = frozenset({DatePrecision.DAY, DatePrecision.MONTH_DAY})
BEFORE_PLACES: Final = frozenset({"in", "at", "near", "from", "to", "through", "of"})
LEAST_ROUNDED: Final = 11
"""The smallest whole number that rounding changes."""
LEAST_BEFORE: Final = 3
"""The fewest words before an answer for a text that breaks off there."""
LEAST_PARTS: Final = 2
"""The fewest sentences of a passage that can be divided."""


_LETTERS: Final = re.compile(r"[A-Z][A-Za-z]?[A-Z\d.]*")
_ASIDE: Final = re.compile(r"\([^()]+\)|（[^（）]+）|\s[–—][^–—]+[–—]\s")
_ROW: Final = r"(?:[^\n]*[^\s|][^\S\n]*(?:[|│｜]|\t)[^\n]*)"
TABLE: Final = re.compile(rf"^{_ROW}\n{_ROW}$|<tr\b", re.MULTILINE | re.IGNORECASE)
"""Two lines below one another whose cells are divided by bars or tabs, as passages of documents have them, or HTML."""
_QUOTED: Final = re.compile(r"[\"“][^\"”]+[\"”]")


@cache
def _any_of(said: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{said})\b", re.IGNORECASE)


def asked(said: str) -> Found:
    """Return a predicate that is true if the question has one of the words."""
    return lambda a: _any_of(said).search(a.question.text) is not None


def mentioned(said: str) -> Found:
    """Return a predicate that is true if a signal passage has one of the words."""
    return lambda a: any(_any_of(said).search(p.text) for p in a.signal)


def answer_is(*kinds: AnswerType) -> Found:
    """Return a predicate that is true if the answer is of one of `kinds`."""
    return lambda a: a.answer_type in kinds


def named(*kinds: NameKind) -> Found:
    """Return a predicate that is true if the passages have a name of one of `kinds`.

    If `kinds` is empty, any name is enough.
    """
    return lambda a: any(True for _ in names(a, *kinds))


def people(a: Analysis) -> set[str]:
    """Return the people whom the passages name with a first name or a title."""
    return {
        name.norm
        for name in names(a, NameKind.PERSON)
        if " " in name.norm
        and (is_first_name(fold(name.text.partition(" ")[0])) or re.match(TITLES, name.text) is not None)
    }


def names(a: Analysis, *kinds: NameKind) -> Iterator[NamedMention]:
    """Yield the names of `kinds` in the passages, or all names if `kinds` is empty."""
    return (name for p in a.signal for name in p.names if not kinds or name.kind in kinds)


def _numbers(p: PassageAnalysis) -> Iterator[Number]:
    for number in p.numbers:
        in_date = any(date.span.overlaps(number.span) for date in p.dates)
        if not in_date and number.kind is not NumberKind.ORDINAL:
            yield number


def figures(a: Analysis, *, spare: bool = False) -> list[Number]:
    """Return the figures of the passages. If `spare` is true, figures in answers are left out."""
    return [
        number
        for p in a.signal
        for number in _numbers(p)
        if not (spare and any(mention.span.overlaps(number.whole) for mention in p.answers))
    ]


def words_before_answer(a: Analysis) -> bool:
    """Return whether words stand before the answer in each passage that has the answer."""
    giving = [p.text[: min(mention.span.start for mention in p.answers)] for p in a.signal if p.answers]
    return bool(giving) and all(len(before.split()) >= LEAST_BEFORE for before in giving)


def measured(a: Analysis) -> bool:
    """Return whether the answer is a figure with a unit in the passages."""
    if a.answer_type not in FIGURES:
        return False
    return any(
        number.kind is NumberKind.MEASURE and mention.span.overlaps(number.whole)
        for p in a.signal
        for mention in p.answers
        for number in p.numbers
    )


def answer_says(said: str) -> Found:
    """Return a predicate that is true if an accepted answer has one of the words.

    If the answer is a figure, the words may also be in the sentence that gives the answer.
    """
    pattern = re.compile(said, re.IGNORECASE)
    return lambda a: (
        any(pattern.search(answer) for answer in a.base.answers)
        or bool(a.answer_sentence and a.answer_type in FIGURES and pattern.search(a.answer_sentence.text))
    )


def bodies(a: Analysis) -> Iterator[NamedMention]:
    """Yield the organisations that the passages name in words.

    Abbreviations are omitted, since an abbreviation may not mean an organisation.
    """
    return (name for name in names(a, NameKind.ORGANISATION) if not _LETTERS.fullmatch(name.text))


def rivalled(a: Analysis) -> bool:
    """Return whether the passages have another value of the answer's kind."""
    if a.answer_type in DATED:
        return len({d.span.of(p.text).casefold() for p in a.signal for d in p.dates}) > 1
    if a.answer_type in FIGURES:
        return len({number.value for number in figures(a)}) > 1
    others: dict[AnswerType, Callable[[Analysis], Iterable[str]]] = {
        AnswerType.PERSON: people,
        AnswerType.PLACE: places,
        AnswerType.ORGANISATION: lambda a: (name.text for name in bodies(a)),
        AnswerType.TITLE: lambda a: (name.text for name in names(a, NameKind.TITLE)),
    }
    found = others.get(a.answer_type)
    return found is not None and any(not a.is_answer(other) for other in found(a))


def agent(a: Analysis) -> bool:
    """Return whether the answer is a person or organisation."""
    return a.answer_type in AGENTS or a.question.wh in WHO


def actor_asked(a: Analysis) -> bool:
    """Return whether the question asks who or what did something."""
    return asked(ACTOR_ASKED)(a) or asked(AGENT_ASKED)(a)


def day(a: Analysis) -> bool:
    """Return whether the passages give a day of the month or week."""
    return any(date.precision in DAYS for p in a.signal for date in p.dates) or mentioned(WEEKDAY)(a)


def roundable(*, spare: bool = False) -> Found:
    """Return a predicate that is true if the passages give a figure that rounding changes.

    If `spare` is true, figures in answers are ignored.
    """
    return lambda a: any(abs(n.value) >= LEAST_ROUNDED or n.value % 1 for n in figures(a, spare=spare))


def thing(a: Analysis) -> bool:
    """Return whether the answer is not a date, a figure, or a yes or no."""
    return a.answer_type not in (*DATED, *FIGURES, AnswerType.YES_NO)


def subject(said: str) -> Found:
    """Return a predicate that is true if the question or a signal passage has one of the words.

    The predicate is also true if the question's topic is a titled work.
    """
    return lambda a: a.topic is NameKind.TITLE or asked(said)(a) or mentioned(said)(a)


def place_asked_about(a: Analysis) -> bool:
    """Return whether the question names a place that is not the answer."""
    question = a.question.text.casefold()
    named_so = {n.text.casefold() for n in names(a, NameKind.OTHER)} if mentioned(TOWN)(a) else set()
    return any(place in question and not a.is_answer(place) for place in places(a) | named_so)


def party_asked_about(a: Analysis) -> bool:
    """Return whether the question names, outside of quotation marks, a person or body that is not the answer."""
    question = _QUOTED.sub("", a.question.text).casefold()
    parties = (name for name in names(a) if name.kind not in NO_PARTIES)
    return any(name.text.casefold() in question and not a.is_answer(name.text) for name in parties)


def person_asked_about(a: Analysis) -> bool:
    """Return whether the answer is a person or the question names a person."""
    question = a.question.text.casefold()
    named_so = (name.text.casefold() for name in names(a, NameKind.PERSON))
    return a.answer_type is AnswerType.PERSON or any(name in question for name in named_so)


def dated_figure(a: Analysis) -> bool:
    """Return whether the answer is a date, or a figure for a year that the question or the passage's sentence names."""
    if a.answer_type in DATED:
        return True
    sentence = a.answer_sentence.text if a.answer_sentence else ""
    return a.answer_type in FIGURES and _any_of(OF_A_YEAR).search(f"{a.question.text}\n{sentence}") is not None


def places(a: Analysis) -> set[str]:
    """Return the names in the passages that are known as places or follow a preposition of place."""
    found = set()
    for p in a.signal:
        for name in p.names:
            before = p.text[: name.span.start].rstrip().rpartition(" ")[2].casefold()
            if name.kind is NameKind.PLACE or (name.kind is NameKind.OTHER and before in BEFORE_PLACES):
                found.add(name.text.casefold())
    return found


def money(a: Analysis) -> bool:
    """Return whether the passages give a sum of money."""
    return any(n.kind is NumberKind.MONEY for n in figures(a)) or mentioned(PAID)(a)


def has_capital(answers: Iterable[str]) -> bool:
    """Return whether an answer has a word with a capital letter."""
    return any(word[:1].isupper() for answer in answers for word in answer.split())


def living(a: Analysis) -> bool:
    """Return whether a passage tells of a living person."""
    return any(
        _any_of(ALIVE).search(p.text) and not _any_of(DEAD).search(p.text)
        for p in a.signal
        if any(name.kind is NameKind.PERSON for name in p.names)
    )


def organism(a: Analysis) -> bool:
    """Return whether the question is about an organism, and the passages do not speak of fiction."""
    return asked(ORGANISMS)(a) and not mentioned(FICTION)(a)


BRACKETS: Final = re.compile(IN_BRACKETS)


def has_digit(a: Analysis) -> bool:
    """Return whether an accepted answer has a digit. Works in any language."""
    return any(character.isdigit() for answer in a.base.answers for character in answer)


def no_figure(a: Analysis) -> bool:
    """Return whether the accepted answers have no digit and are not yes or no. Works in any language."""
    return not has_digit(a) and a.answer_type is not AnswerType.YES_NO


def text_before_answer(a: Analysis) -> bool:
    """Return whether text precedes the answer in each passage that has the answer. Works in any language."""
    first = [(p.text, min(mention.span.start for mention in p.answers)) for p in a.signal if p.answers]
    return bool(first) and all(len(words_of(text[:start])) >= LEAST_BEFORE for text, start in first)


def digits(least: int, *, spare: bool = False) -> Found:
    """Return a predicate that is true if the passages have at least `least` different numbers in digits.

    If `spare` is true, numbers in answers are ignored.
    """

    def found(a: Analysis) -> bool:
        numbers = {
            token.norm
            for p in a.signal
            for token in p.tokens
            if token.text[0].isdigit() and not (spare and any(m.span.overlaps(token.span) for m in p.answers))
        }
        return len(numbers) >= least

    return found


def has_aside(a: Analysis) -> bool:
    """Return whether a passage has a bracketed aside without an accepted answer. Works in any language."""
    asides = ((p, Span(*match.span())) for p in a.signal for match in _ASIDE.finditer(p.text))
    return any(not any(m.span.overlaps(span) for m in p.answers) for p, span in asides)


# Predicates for parts of passages that can be removed without touching the answer.


LEAST_AFTER: Final = 5
"""The fewest words after an answer for a text that breaks off behind it."""


def removable(*kinds: ModifierKind) -> Found:
    """Return a predicate that is true if a passage has a removable part of `kinds` that is not in the question."""
    return lambda a: any(not _is_asked(a, m.text) for p in a.signal for m in p.modifiers_of(*kinds))


def _is_asked(a: Analysis, text: str) -> bool:
    return text.strip(" ,()").casefold() in a.question.text.casefold()


def has_spare_name(a: Analysis, *kinds: NameKind) -> bool:
    """Return whether the passages have a name of `kinds` that is neither in the question nor the answer."""
    question = a.question.text.casefold()
    return any(
        name.text.casefold() not in question and not a.is_answer(name.text) and name.span.start > 0
        for name in names(a, *kinds)
    )


def spare_actor(a: Analysis) -> bool:
    """Return whether the passages name a person or organisation that is neither in the question nor the answer."""
    question = a.question.text.casefold()
    known = people(a)
    actors = (*(name for name in names(a, NameKind.PERSON) if name.norm in known), *bodies(a))
    return any(name.text.casefold() not in question and not a.is_answer(name.text) for name in actors)


def spare_colour(a: Analysis) -> bool:
    """Return whether the passages have a colour word that is neither in the question nor in the answer."""
    used = {t.norm for text in (a.question.text, *a.base.answers) for t in tokenise(text)}
    return any(t.text in COLOURS and t.norm not in used for p in a.signal for t in p.tokens)


def spare_day(a: Analysis) -> bool:
    """Return whether the passages give a date with a month, with or without a day, that is not part of an answer."""
    return any(
        date.precision in (DatePrecision.DAY, DatePrecision.MONTH)
        and not any(mention.span.covers(date.span) for mention in p.answers)
        for p in a.signal
        for date in p.dates
    )


def spare_ending(a: Analysis) -> bool:
    """Return whether a passage has a last sentence without the answer, or a phrase after the answer."""
    asked_about = content_words(a.question.text)
    return any(_goes_on(p, asked_about) for p in a.signal if p.sentences)


def _goes_on(p: PassageAnalysis, asked_about: AbstractSet[str]) -> bool:
    """Return whether text can be cut from the end of a passage without losing the answer or words of the question."""
    last = p.sentences[-1].span.start
    if len(p.sentences) > 1 and not any(mention.span.end > last for mention in p.answers):
        return True
    needed = [m.span.end for m in p.answers] + [t.span.end for t in p.tokens if t.norm in asked_about]
    return bool(p.answers) and len(p.text[max(needed) :].split()) >= LEAST_AFTER
