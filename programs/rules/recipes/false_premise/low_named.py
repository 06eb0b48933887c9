"""LOW insertions: the thing that the question names is given a false property that the question does not need."""

import random
import re

from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.false_premise.low import NOTE
from demur.programs.rules.recipes.false_premise.phrasing import (
    WORK_WORDS,
    Named,
    asking,
    inserted,
    is_several,
    named,
    opened,
    sort_of,
    spoken,
)
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects.kinds_told import in_passages
from demur.programs.text.analysis import Analysis
from demur.programs.text.lexicon import COUNTRIES, PLACES, REGIONS
from demur.programs.text.names import NameKind
from demur.programs.text.spans import Span
from demur.programs.text.tokens import fold

_NO_PLACE = Declined(DeclineReason.NO_TOPIC, "the question names nothing after which something could be put in")
_DISCOVERY = re.compile(r"\b(?:discover\w*|invent\w*|first|origin\w*|develop\w*|founded|introduced)\b", re.IGNORECASE)


def _insertable(analysis: Analysis) -> Named | None:
    thing = named(analysis)
    return thing if thing is not None and thing.closed else None


@recipe("false_premise.imaginary_add_on")
def imaginary_add_on(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give the named thing a part that it does not have."""
    thing = _insertable(analysis)
    if thing is None:
        return _NO_PLACE
    if is_several(thing):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the name stands for many")
    sort = sort_of(analysis, thing)
    part = rng.choice(
        {
            "work": ("hidden bonus chapter", "fold-out map", "twelve-page picture supplement"),
            "person": ("collection of glass whistles", "pet tortoise", "private tram line"),
            "place": ("revolving clock tower", "underground tea garden", "floating bandstand"),
            "body": ("rooftop garden of roses", "travelling puppet stage", "private railway station"),
            "thing": ("commemorative tea towel", "official mascot", "travelling exhibition"),
        }[sort]
    )
    wording = phrase(style, f"with its {part}", f"complete with its well-known {part}")
    if sort == "person":
        wording = phrase(style, f"the owner of a {part}", f"the proud owner of a well-known {part}")
    return asking(analysis, inserted(analysis, thing, wording), f"'{part}' is invented.", NOTE)


_TIMED = re.compile(r"\b(?:when|what year|which year|old\w*|young\w*|date|born|century|first|\d{4})\b", re.IGNORECASE)
_SINCE = {
    "person": ("born in {y}", "who was born in {y}"),
    "work": ("first released in {y}", "which was first released in {y}"),
    "body": ("founded in {y}", "which was founded in {y}"),
    "place": ("on the map since {y}", "which has been on the map since {y}"),
}


@recipe("false_premise.over_specific_year")
def over_specific_year(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Date something in the question to a year that the passages do not give."""
    question = analysis.question
    known = analysis.years
    near = [y + by for y in known if y >= 1900 for by in (-4, -3, -2, 2, 3) if y + by <= known[-1]]
    year = rng.choice(near) if near else rng.randint(1950, 1999)
    while year in known or str(year) in question.text:
        year -= 1
    found = re.search(rf"\bthe (?P<kind>{'|'.join(sorted(WORK_WORDS))})\b(?! of)", question.bare)
    if found and not re.search(r"\b(?:when|year|old|first|last|new|\d{4})\b", question.bare):
        at = found.start("kind")
        return asking(analysis, f"{question.bare[:at]}{year} {question.bare[at:]}", f"The year {year} is wrong.", NOTE)
    thing = _insertable(analysis)
    sort = sort_of(analysis, thing) if thing is not None else "thing"
    timed = re.search(
        r"\b(?:when|what year|which year|old|date|born|century|first|\d{4})\b", question.bare, re.IGNORECASE
    )
    if thing is not None and sort in _SINCE and timed is None and not is_several(thing):
        text = inserted(analysis, thing, phrase(style, *_SINCE[sort]).replace("{y}", str(year)))
    else:
        text = opened(analysis, phrase(style, f"as first asked in {year}", f"to repeat what was first asked in {year}"))
    return asking(analysis, text, f"The year {year} stands in no passage.", NOTE)


@recipe("false_premise.false_corporate_parent")
def false_corporate_parent(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Call the named thing the property of a company that does not own it."""
    thing = _insertable(analysis)
    if thing is None:
        return _NO_PLACE
    if is_several(thing) or sort_of(analysis, thing) not in {"work", "body"}:
        return Declined(DeclineReason.NO_TOPIC, "only a work or an organisation has an owner")
    text = " ".join(p.text for p in analysis.passages)
    owner = rng.choice(
        [o for o in ("Toyota", "Nestlé", "Siemens", "Ikea", "Lego") if o not in text] or ["Hartwell Holdings"]
    )
    wording = phrase(style, f"which belongs to {owner}", f"which is wholly owned by {owner}")
    return asking(analysis, inserted(analysis, thing, wording), f"'{owner}' owns nothing of the kind.", NOTE)


@recipe("false_premise.award_presupposition")
def award_presupposition(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Presuppose a prize that the passages do not mention."""
    thing = named(analysis)
    prize = rng.choice(("the Turner Prize", "the Silver Quill", "the Golden Compass Medal", "the Prix Meridian"))
    if thing is None or is_several(thing) or sort_of(analysis, thing) not in {"work", "person", "body"}:
        return Declined(DeclineReason.NO_TOPIC, "only a person, a work or an organisation wins prizes")
    if thing.closed:
        link = "who" if sort_of(analysis, thing) == "person" else "which"
        text = inserted(analysis, thing, phrase(style, f"winner of {prize}", f"{link} famously won {prize}"))
    else:
        opening = phrase(
            style,
            f"now that {prize} has gone to {spoken(analysis, thing)}",
            f"now that {spoken(analysis, thing)} has won {prize}",
        )
        text = opened(analysis, opening)
    return asking(analysis, text, f"{prize} is presupposed.", NOTE)


def _in_name(analysis: Analysis, start: int) -> bool:
    """Say whether a place ends a longer name ('Cooper Firearms of Montana') or tells a kind ('what New York city')."""
    return re.search(r"(?:[A-Z][\w.]* (?:of|in|at)|\b[Ww]hat|\b[Ww]hich) $", analysis.question.bare[:start]) is not None


def _too_large(analysis: Analysis, thing: Named) -> bool:
    """Say whether a place cannot be taken for a city: a country, a state, a river, a building."""
    name = fold(thing.name).removeprefix("the ")
    told = in_passages(analysis, thing.name)
    return name in COUNTRIES | REGIONS or name.split()[-1] in _NO_TOWN or (told is not None and told[1] not in _TOWNS)


_NO_TOWN = frozenset("district county river lake mountain island islands park airport bay valley coast basin".split())
_TOWNS = frozenset("city town village settlement community municipality suburb capital commune".split()) | {None}


@recipe("false_premise.misstated_capital_city")
def misstated_capital_city(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Call a place in the question the capital of a country that it does not lie in."""
    options = []
    words = [t for t in analysis.question.tokens if t.is_word]
    for size in (3, 2, 1):
        for i in range(len(words) - size + 1):
            run = words[i : i + size]
            said = " ".join(t.norm for t in run)
            after = words[i + size] if i + size < len(words) else None
            place = (
                said in PLACES - COUNTRIES - REGIONS
                and not _in_name(analysis, run[0].start)
                and not run[-1].text.endswith("'s")
            )
            free = after is None or after.norm in {"and", "or", "in", "is", "was", "when", "before", "after"}
            if place and free and not analysis.is_answer(said):
                options.append(Span(run[0].start, run[-1].end))
    thing = _insertable(analysis)
    if thing is not None and thing.kind is NameKind.PLACE and not _too_large(analysis, thing):
        options.append(thing.phrase)
    if not options:
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the question names no place")
    span, text = options[0], analysis.question.bare
    countries = ("Portugal", "Brazil", "Finland", "Peru", "Kenya", "Japan")
    country = rng.choice([c for c in countries if fold(c) in COUNTRIES and fold(c) not in fold(text)])
    tail = text[span.end :]
    comma = "," if tail.strip() and not tail.lstrip().startswith(",") else ""
    wording = phrase(style, f"the capital of {country}", f"the capital city of {country}")
    changed = f"{text[: span.end]}, {wording}{comma}{tail}"
    return asking(analysis, changed, f"'{span.of(text)}' is no capital of {country}.", NOTE)


@recipe("false_premise.imagined_product_variant")
def imagined_product_variant(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Mention a variant of the named thing that was never made."""
    thing = _insertable(analysis)
    if thing is None:
        return _NO_PLACE
    if not thing.work:
        return Declined(DeclineReason.NO_TOPIC, "only a work or a product has variants")
    variants = ("a glow-in-the-dark edition", "a pocket edition on silk", "a scratch-and-sniff version")
    variant = rng.choice(variants)
    wording = phrase(style, f"also sold as {variant}", f"which is also on sale as {variant}")
    return asking(analysis, inserted(analysis, thing, wording), f"'{variant}' does not exist.", NOTE)


@recipe("false_premise.mis_dated_discovery")
def mis_dated_discovery(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Date a discovery or first appearance wrongly where the date is not asked for."""
    question = analysis.question
    thing = _insertable(analysis)
    asked_when = re.search(r"\b(?:when|year|date|old|century)\b", question.bare, re.IGNORECASE)
    if thing is None or asked_when or not _DISCOVERY.search(question.bare):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the question mentions no discovery, or asks for its date")
    known = analysis.years
    year = next(y for y in (1641, 1723, 1788, 1859) if y not in known)
    text = inserted(analysis, thing, phrase(style, f"known since {year}", f"which has been known since {year}"))
    return asking(analysis, text, f"The first appearance is dated to {year}.", NOTE)
