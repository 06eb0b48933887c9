"""MEDIUM and HIGH in context: what the question names is two things, each with its own value of what is asked."""

import random
import re

from programs.rules.analysis.analysis import Analysis, PassageAnalysis
from programs.rules.analysis.answers import AnswerType, answer_date
from programs.rules.analysis.asked_fact import asked_fact
from programs.rules.analysis.dates import DatePrecision, moved
from programs.rules.analysis.lexicon import verb_lemma, word_set
from programs.rules.edits.grammar import as_sentence, sentence_case
from programs.rules.edits.style import Style, phrase
from programs.rules.recipes.ambiguity.material import Rivalry, in_bearing_passages, named_subject, rivalry
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from programs.rules.subjects.find import Subject, find_subject
from programs.rules.subjects.kinds import SubjectKind
from programs.rules.subjects.phrases import kind_noun, kind_nouns

_SENSES = {
    SubjectKind.FILM: ("film", "stage play"),
    SubjectKind.SHOW: ("television series", "stage play"),
    SubjectKind.STAGE: ("stage work", "film"),
    SubjectKind.SONG: ("song", "choral piece"),
    SubjectKind.ALBUM: ("album", "concert programme"),
    SubjectKind.BOOK: ("book", "radio play"),
    SubjectKind.GAME: ("game", "film"),
    SubjectKind.PLACE: ("town", "parish"),
    SubjectKind.TEAM: ("men's team", "women's team"),
    SubjectKind.BAND: ("band", "stage show"),
    SubjectKind.CONTEST: ("men's contest", "women's contest"),
    SubjectKind.COMPANY: ("firm", "brand"),
    SubjectKind.INSTITUTION: ("institution", "building"),
    SubjectKind.LAW: ("law", "bill"),
}
_VERSIONS = {
    SubjectKind.FILM: ("cuts", "cut"),
    SubjectKind.SHOW: ("broadcast versions", "version"),
    SubjectKind.STAGE: ("stage versions", "version"),
    SubjectKind.SONG: ("recordings", "recording"),
    SubjectKind.ALBUM: ("pressings", "pressing"),
    SubjectKind.BOOK: ("editions", "edition"),
    SubjectKind.GAME: ("releases", "release"),
    SubjectKind.LAW: ("texts", "text"),
    SubjectKind.PRODUCT: ("models", "model"),
    SubjectKind.CONTEST: ("stagings", "staging"),
}
_FRAMES = {
    "typeface": word_set("design create make name introduce invent draw develop release found start begin"),
    "ferry": word_set("build make own name launch open locate found captain operate design"),
    "board game": word_set("invent create make release publish play win design introduce develop come"),
    "garden rose": word_set("name introduce create win develop originate come grow find"),
    "racehorse": word_set("name own win train bear die lead"),
    "tapestry": word_set("make create design locate find start finish own write"),
    "brass band": word_set("found form lead start conduct play perform win begin sing"),
    "lighthouse": word_set("build open locate design own find establish close take"),
}


@recipe("ambiguity.unmarked_namesake")
def unmarked_namesake(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let the passages tell of two bearers of the name asked about, each with its own value."""
    subject = named_subject(analysis)
    if subject is None:
        return Declined(DeclineReason.NO_TOPIC)
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    kinds, name = kind_nouns(subject), subject.name
    kinds = "things" if kinds == "cases" else kinds
    opening = phrase(
        style,
        f"Two {kinds} are called {name}; this page describes both.",
        f"There are two {kinds} by the name of {name}, unrelated and equally well known, and both are dealt with here.",
    )
    return _doubled(
        analysis, opening, "Of one of them:", "Of the other:", made, f"A second bearer of '{name}' was added."
    )


@recipe("ambiguity.balanced_polysemy")
def balanced_polysemy(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give the expression asked about two current senses, each with its own value."""
    subject = find_subject(analysis)
    if subject is None or analysis.is_answer(subject.name):
        return Declined(DeclineReason.NO_TOPIC)
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    said = re.sub(r"^(?:the|an?) ", "", subject.name)
    pair = _SENSES.get(subject.kind) if subject.name[:1].isupper() else None
    one, other = (f"the {pair[0]}", f"the {pair[1]}") if pair else ("one thing", "another")
    opening = phrase(
        style,
        f"The expression '{said}' has two senses, both current.",
        f"The expression '{said}' is in equal use for two different things, and both are described below.",
    )
    if pair:
        opening = f"'{said}' stands for two things, {one} and {other}, and is used for both alike."
    first = f"In the sense of {one}:" if pair else "In one sense:"
    second = f"In the sense of {other}:" if pair else "In the other sense:"
    return _doubled(analysis, opening, first, second, made, f"'{said}' was given a second sense of equal standing.")


@recipe("ambiguity.unstated_edition")
def unstated_edition(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Split the asked fact over two versions that circulate side by side."""
    subject = find_subject(analysis)
    if subject is None or subject.kind not in _VERSIONS or subject.plural:
        return Declined(DeclineReason.NO_TOPIC, "what is asked about comes in no versions")
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    many, one = _VERSIONS[subject.kind]
    opening = phrase(
        style,
        f"{sentence_case(subject.in_text)} exists in two {many}, both in circulation under that name.",
        f"Two {many} of {subject.in_text} are in circulation under the same name, and neither counts as the main one.",
    )
    return _doubled(
        analysis, opening, f"For one {one}:", f"For the other {one}:", made, f"The fact was split over two {many}."
    )


def _doubled(
    analysis: Analysis, opening: str, first: str, second: str, made: Rivalry, reasoning: str
) -> Draft | Declined:
    """Frame each bearing passage as the account of the first, and state the other value for the second."""
    rival = as_sentence(made.fact.state(made.value))

    def edit(passage: PassageAnalysis) -> str | None:
        told = passage.text if passage.text.rstrip()[-1:] in '.!?"”)]' else f"{passage.text.rstrip()} …"
        return f"{opening} {first} {told} {second} {rival}"

    return in_bearing_passages(analysis, edit, reasoning)


@recipe("ambiguity.unstated_time_basis")
def unstated_time_basis(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """State the asked date or figure on two time bases that are in equal use."""
    date = answer_date(analysis.answer)
    if date is not None and analysis.answer_type is AnswerType.DATE:
        added = _date_bases(date.precision)
        if added is None:
            return Declined(DeclineReason.ANSWER_TYPE, "a span of years has no second basis")
        step = {DatePrecision.DAY: {"days": 1}, DatePrecision.MONTH: {"months": 1}}.get(date.precision, {"years": 1})
        value = moved(date, **step)
        noun = "date" if date.precision is DatePrecision.DAY else date.precision.value
    elif analysis.answer_type in (AnswerType.NUMBER, AnswerType.MONEY):
        made = rivalry(analysis, rng)
        if isinstance(made, Declined):
            return made
        value, noun, added = made.value, "figure", ("the calendar year", "the fiscal year")
    else:
        return Declined(DeclineReason.ANSWER_TYPE, analysis.answer_type)
    fact = asked_fact(analysis)
    if fact is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    first, second = added if rng.random() < 0.5 else added[::-1]
    given, other = fact.state(analysis.answer), fact.state(value)
    remark = phrase(
        style,
        f"By {first}, {given}; by {second}, {other}. Both ways of counting are in use.",
        f"The {noun} is given on two bases that are equally usual: by {first}, {given}, and by {second}, {other}.",
    )

    def edit(passage: PassageAnalysis) -> str | None:
        sentence = passage.answer_sentences[-1] if passage.answer_sentences else None
        if sentence is None:
            return None
        end = sentence.span.end
        return f"{passage.text[:end]} {remark}{passage.text[end:]}"

    return in_bearing_passages(analysis, edit, f"The {noun} now stands on two time bases, and the question names none.")


def _date_bases(precision: DatePrecision) -> tuple[str, str] | None:
    return {
        DatePrecision.DAY: ("local time", "coordinated universal time"),
        DatePrecision.MONTH: ("the date of the decision", "the date of the record"),
        DatePrecision.YEAR: ("the calendar year", "the fiscal year"),
        DatePrecision.SEASON: ("the northern calendar", "the southern calendar"),
    }.get(precision)


@recipe("ambiguity.pure_homonymy_clash")
def pure_homonymy_clash(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a bearer of the name from an unrelated field, with its own value of what is asked."""
    subject = named_subject(analysis)
    if subject is None or subject.kind is SubjectKind.PERSON:
        return Declined(DeclineReason.NO_TOPIC)
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    lemma = verb_lemma(made.fact.verb.lower()) if made.fact.verb else None
    frames = [f for f, verbs in _FRAMES.items() if lemma in verbs and f.split()[-1] != kind_noun(subject)]
    if not frames:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the asked property would not hold of anything unrelated")
    frame = rng.choice(frames)
    opening = phrase(
        style,
        f"{subject.name} is the name of {_a(subject)} and also of a {frame}.",
        f"Under the heading {subject.name} two entries stand side by side that have nothing in common: "
        f"{_a(subject)} and a {frame}.",
    )
    return _doubled(
        analysis, opening, "On the former:", f"On the {frame}:", made, f"'{subject.name}' became a {frame} as well."
    )


def _a(subject: Subject) -> str:
    noun = kind_noun(subject)
    noun = "subject" if noun == "case" else noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
