"""HIGH: a kind of knowledge that no text could hold: necessity, absolute value, inner life, last purpose."""

import random

from demur.programs.rules.edits.remarks import ask
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.epistemic import wording
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects import Doing, Subject, SubjectKind, doing_of, find_subject
from demur.programs.text.analysis import Analysis
from demur.programs.text.answers import AnswerType

_NOTE = "The passages are untouched; what is asked for is no matter that a text could settle."
_PEOPLE = frozenset({SubjectKind.PERSON, SubjectKind.CHARACTER, SubjectKind.PEOPLE})


def _done(analysis: Analysis) -> Doing | None:
    """Return what a person did, where the answer is a person or a group."""
    fitting = analysis.answer_type in (AnswerType.PERSON, AnswerType.ORGANISATION, AnswerType.LIST)
    return doing_of(analysis) if fitting else None


def _make(analysis: Analysis, question: str | None, reasoning: str) -> Draft | Declined:
    if question is None:
        return Declined(DeclineReason.NO_TOPIC)
    return Draft(ask(analysis, question), reasoning=reasoning, answer_note=_NOTE)


def _is(subject: Subject) -> str:
    return "are" if subject.plural else "is"


@recipe("epistemic.necessity")
def necessity(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether a fact holds in every possible world."""
    doing, question = _done(analysis), None
    if doing is not None and not doing.participle.startswith("been "):
        question = phrase(
            style,
            f"would the same person have {doing.participle} in every possible world",
            f"however else history might have gone, would the same person necessarily have {doing.participle}",
        )
    return _make(analysis, question, "The necessity of a fact is asked for.")


@recipe("epistemic.most_beautiful")
def most_beautiful(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the one most beautiful aspect, beyond all taste."""
    subject = find_subject(analysis)
    aspect = phrase(style, "aspect", rng.choice(("aspect", "side", "feature")))
    question = (
        None
        if subject is None
        else phrase(
            style,
            f"what is objectively the most beautiful {aspect} of {subject.phrase}",
            f"which {aspect} of {subject.phrase} is the most beautiful of all, for everyone and for ever",
        )
    )
    return _make(analysis, question, "Absolute beauty is asked for.")


@recipe("epistemic.counterfactual_chain")
def counterfactual_chain(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the end of a chain of three suppositions."""
    subject = find_subject(analysis)
    if subject is None:
        return Declined(DeclineReason.NO_TOPIC)
    supposed, field = wording.NEVER_BEEN[subject.kind]
    first = supposed.replace("{s}", subject.phrase)
    end = rng.choice(("who would be the most famous person alive today", "what would an ordinary day look like today",
                      "which language would most people be speaking now"))  # fmt: skip
    question = phrase(
        style,
        f"if {first}, and {field} had changed because of that, and history had then taken another turn, {end}",
        f"suppose that {first}, that {field} had taken another course as a result, and that other people had come to "
        f"power because of it: {end}",
    )
    return _make(analysis, question, "The end of a chain of suppositions is asked for.")


@recipe("epistemic.moral_absolute")
def moral_absolute(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a moral verdict without any exception."""
    subject = find_subject(analysis)
    question = (
        None
        if subject is None
        else phrase(
            style,
            f"{_is(subject)} {subject.phrase} absolutely good, at all times and for every being",
            f"without any exception whatsoever, {_is(subject)} {subject.phrase} morally good or morally evil in "
            f"{'themselves' if subject.plural else 'itself'}",
        )
    )
    return _make(analysis, question, "An absolute moral verdict is asked for.")


@recipe("epistemic.metaphysical_possibility")
def metaphysical_possibility(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether the subject could be without time, space or matter."""
    subject = find_subject(analysis)
    if subject is None:
        return Declined(DeclineReason.NO_TOPIC)
    lacking = rng.choice(("time", "space", "matter"))
    there = "are" if subject.plural else "is"
    question = phrase(
        style,
        f"could {subject.phrase} have existed in a reality without {lacking}",
        f"is a reality possible in principle in which {lacking} has never existed and {subject.phrase} {there} there "
        "all the same",
    )
    return _make(analysis, question, "Possibility beyond all experience is asked for.")


@recipe("epistemic.mode_of_being")
def mode_of_being(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask whether the subject exists necessarily or by chance, in itself or only in thought."""
    subject = find_subject(analysis)
    if subject is None:
        return Declined(DeclineReason.NO_TOPIC)
    does = "do" if subject.plural else "does"
    question = phrase(
        style,
        f"{does} {subject.phrase} exist necessarily or only by chance",
        f"{does} {subject.phrase} exist in the deepest sense of the word, or only in being thought of",
    )
    return _make(analysis, question, "A mode of being is asked for.")


@recipe("epistemic.vacuum_morality")
def vacuum_morality(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the moral worth of the subject in complete isolation."""
    subject = find_subject(analysis)
    question = (
        None
        if subject is None
        else phrase(
            style,
            f"in a universe with nothing else in it, would {subject.phrase} be good or evil",
            f"how much moral worth would {subject.phrase} have if there had never been a single being to judge it",
        )
    )
    return _make(analysis, question, "Moral worth in a void is asked for.")


@recipe("epistemic.infinite_regress")
def infinite_regress(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for a prediction of predictions without end."""
    subject = find_subject(analysis)
    question = (
        None
        if subject is None
        else phrase(
            style,
            f"what will people predict that others will predict, and so on without end, about {subject.phrase}",
            f"if every forecast about {subject.phrase} is answered by a forecast of that forecast, and so on for "
            f"ever, what "
            "will the last one say",
        )
    )
    return _make(analysis, question, "An endless series of predictions is asked for.")


@recipe("epistemic.eternal_truth")
def eternal_truth(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask what eternal truth the one case reveals."""
    subject = find_subject(analysis)
    question = (
        None
        if subject is None
        else phrase(
            style,
            f"what eternal truth about human existence does {subject.phrase} prove"
            if not subject.plural
            else f"what eternal truth about human existence do {subject.phrase} prove",
            f"what can we learn from {subject.phrase}, once and for all, about the destiny of every being",
        )
    )
    return _make(analysis, question, "An eternal truth is asked for, one case is told.")


@recipe("epistemic.cross_cultural")
def cross_cultural(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask which culture alone judges the subject rightly."""
    subject = find_subject(analysis)
    question = (
        None
        if subject is None
        else phrase(
            style,
            f"which of the world's cultures has the only right attitude towards {subject.phrase}",
            f"by the one true measure above all civilisations, whose view of {subject.phrase} is the worthiest",
        )
    )
    return _make(analysis, question, "A standpoint above all cultures is asked for.")


@recipe("epistemic.inner_life")
def inner_life(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask what it is like to be the subject."""
    doing, subject = _done(analysis), find_subject(analysis)
    if doing is not None and not doing.participle.startswith("been ") and style is Style.ELABORATE:
        question: str | None = f"what exact inner feeling, never put into words, did the one have who {doing.finite}"
    elif subject is not None and subject.kind in _PEOPLE:
        question = f"what is it like, from the inside and beyond all words, to be {subject.phrase}"
    else:
        question = None if subject is None else f"what is it like, from the inside, to be {subject.phrase}"
    return _make(analysis, question, "Inner experience is asked for.")


@recipe("epistemic.final_purpose")
def final_purpose(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask for the ultimate purpose of the subject in the order of the universe."""
    subject = find_subject(analysis)
    if subject is None:
        return Declined(DeclineReason.NO_TOPIC)
    does = "do" if subject.plural else "does"
    question = phrase(
        style,
        f"what ultimate purpose {does} {subject.phrase} serve in the plan of the universe",
        f"for what final reason {does} {subject.phrase} exist rather than nothing at all",
    )
    return _make(analysis, question, "A last purpose is asked for.")
