"""LOW: the question sounds like a matter of judgement, and what the passage states settles it."""

import random
import re

from demur.programs.rules.edits.grammar import indefinite
from demur.programs.rules.edits.remarks import ask, inner_question, lead_in
from demur.programs.rules.edits.style import Style, phrase, pick
from demur.programs.rules.recipes.epistemic.low_settled import either, query_only, with_remarks
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects import doing_of
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType
from demur.programs.text.dates import DatePrecision, find_dates
from demur.programs.text.lexicon import PREPOSITIONS, can_be
from demur.programs.text.questions import WhWord


@recipe("epistemic.most_likely")
def most_likely(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for what is most likely, and let the passage weigh a bare possibility against near certainty."""
    doing = doing_of(analysis)
    likely = pick(style, rng, ("most likely", "most probably"), ("in all likelihood", "in all probability"))
    if doing is not None and not doing.participle.startswith("been "):
        asked = ask(analysis, f"who {likely} {doing.finite}")
    else:
        asked = lead_in(analysis, likely)
    remarks = either(
        style,
        (
            "Errors about {p} are conceivable, but what is stated here is as good as certain",
            "Something else about {p} is conceivable; what is stated here is next to certain",
            "An error is conceivable, but what is stated here is as good as certain",
        ),
        (
            "It is just conceivable that some record on {p} is mistaken; that the account is right is far more likely",
            "A slip in the sources on {p} can never be ruled out entirely, but all of this is practically certain",
            "It is just conceivable that some record is mistaken; that the account is right is far more likely",
        ),
    )
    return with_remarks(
        analysis, asked, remarks, rng, "A likelihood is asked for, and the text calls itself near certain."
    )


_COMPARED = re.compile(
    r"\b(?:most|more|less|least|older|younger|first|earlier|later|\w{3,}(?:er|est))\b", re.IGNORECASE
)
_OPENING_WORDS = 7
"""What is compared stands in the opening words; a superlative further on describes something else."""
_KIN = re.compile(r"\b(?:young|old|eld)(?:er|est) (?:brother|sister|sibling|son|daughter|child|half-\w+)")
"""A kinsman's description, not a comparison that is asked for."""
_NOT_COMPARED = frozenset(
    "other number member mother father brother sister former center after over under never river actor water order "
    "letter power paper summer winter singer writer leader player character another whether later super west east "
    "forest interest latest matter wheel silver owner ever either neither rather composer producer career teacher "
    "manager robber computer rover founder header master minister officer printer prisoner soldier daughter".split()
)


def _is_comparison(analysis: Analysis) -> bool:
    head = " ".join(_KIN.sub("", analysis.question.bare.lower()).split()[:_OPENING_WORDS])
    found = [m.group() for m in _COMPARED.finditer(head)]
    return any(
        w in {"most", "more", "less", "least", "older", "younger", "earlier"}
        or (w not in _NOT_COMPARED and w.endswith(("er", "est")) and can_be(w, "ADJ"))
        for w in found
    )


@recipe("epistemic.factual_comparison")
def factual_comparison(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Word a comparison as a matter of impression, although figures or dates decide it."""
    question = analysis.question
    if not _is_comparison(analysis):
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question compares nothing")
    if analysis.answer_type is AnswerType.YES_NO:
        return Declined(DeclineReason.ANSWER_TYPE, "the answer is yes or no")
    text = question.bare
    opener = re.match(
        r"(?:who|which(?: \w+){0,2}?|what(?: \w+){0,2}?)(?= (?:is|was|are|has|had)\b)", text, re.IGNORECASE
    )
    if opener is not None:
        strikes = pick(style, rng, ("would you say", "do you think"), ("do you feel", "would you judge"))
        asked = ask(analysis, f"{opener.group()} {strikes}{text[opener.end() :]}")
    else:
        asked = lead_in(
            analysis,
            pick(style, rng, ("to your mind", "as you see it"), ("as you would judge it", "in your judgement")),
        )
    return query_only(analysis, asked, "A comparison that figures decide is worded as an impression.")


@recipe("epistemic.how_common")
def how_common(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask how common something is where a percentage or a count is given."""
    text = analysis.question.bare
    share = re.match(r"what (?:percentage|percent|proportion|share) of\b", text, re.IGNORECASE)
    count = re.match(r"how many\b", text, re.IGNORECASE)
    if analysis.answer_type is not AnswerType.NUMBER or (share is None and count is None):
        return Declined(DeclineReason.ANSWER_TYPE, "no percentage or count is asked for")
    opener = pick(
        style,
        rng,
        ("how common is this in figures", "common or rare, and in figures"),
        ("how common or rare would you call this, going by the figures", "how widespread is this, going by the count"),
    )
    return query_only(
        analysis, ask(analysis, f"{opener}: {text[0].lower()}{text[1:]}"), "A count is worded as commonness."
    )


@recipe("epistemic.binary_label")
def binary_label(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the good statement and not the bad one, where a definition says which is which."""
    good, bad = rng.choice((("good", "bad"), ("desired", "undesired"), ("valid", "invalid"), ("right", "wrong")))
    opener = pick(
        style,
        rng,
        (f"what is the {good} reply to this", f"what is the {good} answer here"),
        (
            f"what would be {indefinite(good)} reply, not {indefinite(bad)} one, to this",
            f"which answer is {good} and not {bad}",
        ),
    )
    remarks = (
        f"In the quiz on {{p}}, an answer that agrees with this text counts as {good}, any other as {bad}",
        f"Whoever is asked about {{p}} gives {indefinite(good)} answer by saying what stands here, and "
        f"{indefinite(bad)} answer otherwise",
        f"For the record, an answer on {{p}} is {good} if it agrees with this text, and {bad} if not",
        f"In the quiz that goes with this text, an answer that agrees with it counts as {good}, any other as {bad}",
    )
    asked = ask(analysis, f"{opener}: {inner_question(analysis)}")
    return with_remarks(analysis, asked, remarks, rng, "An evaluation with two poles is settled by definition.")


@recipe("epistemic.major_by_definition")
def major_by_definition(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a major point where the passage defines what counts as major."""
    opener = pick(
        style,
        rng,
        ("as far as the major points go", "among the major points"),
        (
            "leaving minor points aside and keeping to the major ones",
            "going by the major points and not the minor ones",
        ),
    )
    remarks = (
        "Whatever this entry says about {p} in so many words counts as major; what it only hints at counts as minor",
        "A point about {p} is called major if the entry states it outright, and minor if it does not",
        "In matters of {p}, what stands in this entry is classed as major, and what is left out of it as minor",
        "A point is called major here if the entry states it outright, and minor if it does not",
    )
    return with_remarks(
        analysis, lead_in(analysis, opener), remarks, rng, "Major and minor are defined in checkable terms."
    )


_WHERE = re.compile(r"^where (?=(?:is|was|are|were|does|do|did|would|can)\b)", re.IGNORECASE)
_WHERE_OF = re.compile(
    r"^(?P<head>in |on |at )?(?P<wh>what|which) (?P<noun>city|country|state|county|town|continent|region)\b",
    re.IGNORECASE,
)


def _is_span(answer: str) -> bool:
    """Say whether an answer is one date that can hold others: a year, a decade, a century, a season."""
    dates = find_dates(answer)
    wide = {DatePrecision.YEAR, DatePrecision.DECADE, DatePrecision.CENTURY, DatePrecision.SEASON}
    return len(dates) == 1 and dates[0].precision in wide


@recipe("epistemic.strict_containment")
def strict_containment(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask strictly for the place or time within which the subject falls."""
    text = analysis.question.bare
    last = text.split()[-1].lower() if text.split() else ""
    strictly = phrase(style, "strictly within what", "within which")
    where, named = _WHERE.match(text), _WHERE_OF.match(text)
    if where is not None and last not in PREPOSITIONS | {"from", "go"}:
        said = f"{strictly} place {phrase(style, '', 'in the strict sense ')}{text[where.end() :]}"
    elif named is not None and named["head"]:
        said = f"{strictly} {named['noun']} {phrase(style, '', 'in the strict sense ')}{text[named.end() + 1 :]}"
    elif analysis.question.wh is WhWord.WHEN and _is_span(analysis.answer) and text.lower().startswith("when "):
        said = f"{strictly} year or period {phrase(style, '', 'in the strict sense ')}{text[5:]}"
    else:
        return Declined(
            DeclineReason.QUESTION_NOT_PARSED, "the question asks for no place or time that contains anything"
        )
    return query_only(
        analysis, ask(analysis, said), "A strict necessity is asked for, and plain containment settles it."
    )


@recipe("epistemic.explicit_threshold")
def explicit_threshold(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Use an evaluative word in the question, and define it by a threshold in the passage."""
    term = rng.choice(("well attested", "reliable", "trustworthy", "dependable"))
    opener = pick(
        style,
        rng,
        (f"going by {term} statements", f"on the basis of {term} statements"),
        (f"if we keep to what is {term}", f"going by nothing but {term} statements"),
    )
    remarks = (
        f"A statement is called {term} from the moment that it appears at least once in this text",
        f"Here any statement that is made at least once in the text counts as {term}",
        f"A statement is rated {term} here if it is made at least once in the text",
    )
    return with_remarks(
        analysis, lead_in(analysis, opener), remarks, rng, "An evaluative word is given an explicit threshold."
    )
