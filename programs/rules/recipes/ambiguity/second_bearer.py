"""MEDIUM and HIGH in context: what the question names is two things, each with its own value of what is asked."""

import random
import re

from programs.rules.analysis.analysis import Analysis, PassageAnalysis
from programs.rules.analysis.lexicon import PLACES, verb_lemma, word_set
from programs.rules.analysis.tokens import fold
from programs.rules.edits.grammar import as_sentence, sentence_case
from programs.rules.edits.remarks import add_remark
from programs.rules.edits.style import Style, phrase
from programs.rules.recipes.ambiguity.material import Rivalry, in_bearing_passages, named_subject, rivalry
from programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from programs.rules.subjects.find import Subject, find_subject
from programs.rules.subjects.kinds import SubjectKind
from programs.rules.subjects.phrases import kind_noun, kind_nouns

_SENSES = {
    SubjectKind.FILM: ("film", "stage play"),
    SubjectKind.SHOW: ("original series", "remake"),
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
    SubjectKind.FILM: ("cuts", "cut", "shown"),
    SubjectKind.SHOW: ("versions", "version", "broadcast"),
    SubjectKind.STAGE: ("versions", "version", "performed"),
    SubjectKind.SONG: ("recordings", "recording", "sold"),
    SubjectKind.ALBUM: ("pressings", "pressing", "sold"),
    SubjectKind.BOOK: ("editions", "edition", "in print"),
    SubjectKind.GAME: ("releases", "release", "sold"),
    SubjectKind.LAW: ("texts", "text", "in force"),
}
_HOUSED = re.compile(
    r"\b(?:school|college|museum|parliament|church|court|bank|hospital|academy|library)\b", re.IGNORECASE
)
_UNIQUE = re.compile(r"\b(?:\w+est|most|first|last|only|best|greatest|new|\d+\w*|\w+th)\b|['’]s ")
_FRAMES = {
    "typeface": word_set("design create make name introduce invent draw develop release"),
    "ferry": word_set("build make own name launch open locate dock design"),
    "garden rose": word_set("name introduce create develop originate grow discover"),
    "board game": word_set("invent create make release publish design introduce develop come"),
    "tapestry": word_set("make create design locate start finish own"),
    "brass band": word_set("found form lead start establish dissolve"),
    "lighthouse": word_set("build open locate design own establish close"),
    "village pageant": word_set("play sing direct write produce compose perform star portray voice"),
}


@recipe("ambiguity.unmarked_namesake")
def unmarked_namesake(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Let the passages tell of two bearers of the name asked about, each with its own value."""
    subject = named_subject(analysis)
    if subject is None or subject.kind is SubjectKind.COUNTRY or fold(subject.name) in PLACES:
        return Declined(DeclineReason.NO_TOPIC, "nothing that could have a namesake is asked about")
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    kinds, name = _kinds(subject), subject.name
    if len(analysis.passages) > 1 or kinds == "different things":
        opening = phrase(
            style,
            f"The name {name} has two bearers, which are unrelated and equally well known.",
            f"The name {name} is borne by two that are unrelated, and sources speak of both alike.",
        )
    else:
        opening = phrase(
            style,
            f"Two {kinds} are called {name}; this page describes both.",
            f"There are two {kinds} by the name of {name}, unrelated and equally well known; both are dealt with here.",
        )
    return _doubled(
        analysis,
        opening,
        ("in the case of the one", "in the case of the other"),
        made,
        f"'{name}' has two bearers now.",
        alike=True,
    )


@recipe("ambiguity.balanced_polysemy")
def balanced_polysemy(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give the expression asked about two current senses, each with its own value."""
    subject = find_subject(analysis)
    if subject is None or analysis.is_answer(subject.name) or subject.kind in (SubjectKind.PERSON, SubjectKind.COUNTRY):
        return Declined(DeclineReason.NO_TOPIC)
    said = re.sub(r"^(?:the|an?|some|most) ", "", subject.name)
    pair = _SENSES.get(subject.kind) if subject.name[:1].isupper() else None
    if subject.kind is SubjectKind.INSTITUTION and not _HOUSED.search(said):
        pair = None
    if pair is None and (said[:1].isupper() or subject.kind is SubjectKind.THING or _UNIQUE.search(said)):
        return Declined(DeclineReason.NO_TOPIC, "what is asked about has one sense only")
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    things = _kinds(subject)
    opening = phrase(
        style,
        f"The expression '{said}' has two senses, both current.",
        f"The expression '{said}' is in equal use for two different {things}, and both are described below.",
    )
    one, other = (f"the {pair[0]}", f"the {pair[1]}") if pair else ("one", "the other")
    if pair:
        opening = f"'{said}' stands for two things, {one} and {other}, and is used for both alike."
    first = f"in the sense of {one}" if pair else "in one sense"
    second = f"in the sense of {other}" if pair else "in the other sense"
    return _doubled(analysis, opening, (first, second), made, f"'{said}' was given a second sense of equal standing.")


@recipe("ambiguity.unstated_edition")
def unstated_edition(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Split the asked fact over two versions that circulate side by side."""
    subject = find_subject(analysis)
    if subject is None or subject.kind not in _VERSIONS or subject.plural or not subject.name[:1].isupper():
        return Declined(DeclineReason.NO_TOPIC, "what is asked about comes in no versions")
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    many, one, how = _VERSIONS[subject.kind]
    opening = phrase(
        style,
        f"{sentence_case(subject.in_text)} exists in two {many}, both {how} under that name.",
        f"Two {many} of {subject.in_text} are {how} under the same name, and neither counts as the main one.",
    )
    labels = (f"for one {one}", f"for the other {one}")
    return _doubled(analysis, opening, labels, made, f"The fact was split over two {many}.", alike=True)


def _doubled(
    analysis: Analysis, opening: str, labels: tuple[str, str], made: Rivalry, reasoning: str, *, alike: bool = False
) -> Draft | Declined:
    """Tell each bearing passage as the account of the first bearer, and state the other value for the second.

    A passage that does not open with the subject gets both values side by side, behind the opening sentence; where the
    two bearers are `alike` in kind, in either order.
    """
    subject = find_subject(analysis)
    first, second = labels
    given, rival = made.fact.state(made.answer), made.fact.state(made.value)
    if subject is None or _bare(subject.name).lower() not in given.lower():
        return Declined(DeclineReason.NO_TOPIC, "the fact can't be stated of what is asked about")
    one, other = (rival, given) if alike and len(made.answer) % 2 else (given, rival)

    def edit(passage: PassageAnalysis) -> str | None:
        told = passage.text.rstrip()
        head = passage.sentences[0].text if passage.sentences else ""
        about = subject is not None and _bare(subject.name) in head and told.endswith((".", "!", "?", '"', "”", ")"))
        if about and len(analysis.passages) == 1:
            return f"{opening} {sentence_case(first)}: {told} {sentence_case(second)}: {as_sentence(rival)}"
        return add_remark(
            passage, f"{opening} {sentence_case(first)}, {one}; {second}, {as_sentence(f'x {other}')[2:]}"
        )

    return in_bearing_passages(analysis, edit, reasoning)


def _bare(name: str) -> str:
    return re.sub(r"^(?:the|an?) ", "", name, flags=re.IGNORECASE)


def _kinds(subject: Subject) -> str:
    """Return the plural noun for what the subject is one of, 'different things' where there is none."""
    kinds = kind_nouns(subject)
    return "different things" if kinds == "cases" else kinds


@recipe("ambiguity.pure_homonymy_clash")
def pure_homonymy_clash(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a bearer of the name from an unrelated field, with its own value of what is asked."""
    subject = named_subject(analysis)
    if subject is None or subject.kind in (SubjectKind.PERSON, SubjectKind.COUNTRY) or fold(subject.name) in PLACES:
        return Declined(DeclineReason.NO_TOPIC)
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    verb = made.fact.verb or analysis.question.verb
    lemma = verb_lemma(verb.lower()) if verb else None
    said = f" {made.fact.before} {made.fact.after} ".lower()
    kinds = f" {kind_noun(subject)} " in said or re.search(
        r" (?:movie|film|song|book|show|series|game|team|match) ", said
    )
    frames = [f for f, verbs in _FRAMES.items() if lemma in verbs and not kinds]
    if not frames:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the asked property would not hold of anything unrelated")
    frame = rng.choice(frames)
    opening = phrase(
        style,
        f"{subject.name} is the name of {_a(subject)} and also of a {frame}.",
        f"Under the heading {subject.name} two entries stand side by side that have nothing in common: "
        f"{_a(subject)} and a {frame}.",
    )
    labels = ("as for the former", f"as for the {frame}")
    return _doubled(analysis, opening, labels, made, f"'{subject.name}' became a {frame} as well.")


def _a(subject: Subject) -> str:
    noun = kind_noun(subject)
    noun = "subject" if noun == "case" else noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
