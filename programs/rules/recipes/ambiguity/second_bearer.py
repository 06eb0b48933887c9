"""MEDIUM and HIGH in context: what the question names is two things, each with its own value of what is asked."""

import random
import re

from demur.programs.rules.edits.style import Style, pick
from demur.programs.rules.recipes.ambiguity.material import rivalry
from demur.programs.rules.recipes.ambiguity.two_bearers import bearer_of, doubled, kinds_of, says_its_kind
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.rules.subjects.find import Subject
from demur.programs.rules.subjects.kinds import SubjectKind
from demur.programs.rules.subjects.phrases import kind_noun
from demur.programs.text.analysis import Analysis
from demur.programs.text.lexicon import PLACES, verb_lemma, verb_tags, word_set
from demur.programs.text.tokens import fold, tokenise

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
    SubjectKind.FILM: ("cuts", "cut", "shown", word_set("release come run last open end")),
    SubjectKind.SHOW: (
        "versions",
        "version",
        "broadcast",
        word_set("play host air star voice judge win produce present direct narrate start end run release come"),
    ),
    SubjectKind.STAGE: (
        "versions",
        "version",
        "performed",
        word_set("write direct play sing star compose open produce"),
    ),
    SubjectKind.SONG: (
        "recordings",
        "recording",
        "sold",
        word_set("sing record perform release produce play come do cover make"),
    ),
    SubjectKind.ALBUM: ("pressings", "pressing", "sold", word_set("release come produce mix issue")),
    SubjectKind.BOOK: (
        "editions",
        "edition",
        "in print",
        word_set("publish release illustrate edit translate print"),
    ),
    SubjectKind.GAME: ("releases", "release", "sold", word_set("release come develop publish make")),
    SubjectKind.LAW: ("texts", "text", "in force", word_set("pass sign introduce enact write adopt propose apply")),
}
"""In which versions a kind of thing circulates, and the verbs of what can differ between them."""
_HOUSED = re.compile(
    r"\b(?:school|college|museum|parliament|church|court|bank|hospital|academy|library)\b", re.IGNORECASE
)
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
    subject = bearer_of(analysis)
    if subject is None or subject.kind is SubjectKind.COUNTRY or fold(subject.name) in PLACES:
        return Declined(DeclineReason.NO_TOPIC, "nothing that could have a namesake is asked about")
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    kinds, name = kinds_of(subject), subject.name
    if kinds == "different things":
        opening = pick(
            style,
            rng,
            (
                f"The name {name} has two bearers, unrelated and equally well known.",
                f"Two things that have nothing to do with each other share the name {name}.",
            ),
            (
                f"Two things that have nothing to do with each other share the name {name}, and sources speak of both.",
                f"Whoever looks up {name} finds two bearers of the name, unrelated and equally well known.",
            ),
        )
    else:
        opening = pick(
            style,
            rng,
            (
                f"Two {kinds} are called {name}, and both are well known.",
                f"There are two {kinds} called {name}.",
            ),
            (
                f"There are two {kinds} by the name of {name}, unrelated and equally well known.",
                f"Two {kinds}, unrelated to each other and written about just as often, are called {name}.",
            ),
        )
    labels = pick(
        style,
        rng,
        ("in the case of the one|in the case of the other", "of the one it is reported that|of the other, that"),
        (
            "in the case of the one|in the case of the other",
            "about the one, the records say that|about the other, that",
        ),
    )
    first, _, second = labels.partition("|")
    return doubled(analysis, subject, opening, (first, second), made, f"'{name}' has two bearers now.", alike=True)


@recipe("ambiguity.balanced_polysemy")
def balanced_polysemy(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Give the expression asked about two current senses, each with its own value."""
    subject = bearer_of(analysis)
    if subject is None or analysis.is_answer(subject.name) or subject.kind in (SubjectKind.PERSON, SubjectKind.COUNTRY):
        return Declined(DeclineReason.NO_TOPIC)
    said = re.sub(r"^(?:the|an?|some|most) ", "", subject.name, flags=re.IGNORECASE)
    pair = _SENSES.get(subject.kind)
    if pair is None or subject.kind is SubjectKind.INSTITUTION and not _HOUSED.search(said):
        return Declined(DeclineReason.NO_TOPIC, "what is asked about has one sense only")
    if says_its_kind(analysis, subject) or re.search(r"\b(?:wo)?men['’]s\b", said, re.IGNORECASE):
        return Declined(DeclineReason.NO_TOPIC, "the question says which sense is meant")
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    one, other = f"the {pair[0]}", f"the {pair[1]}"
    opening = pick(
        style,
        rng,
        (
            f"'{said}' can mean {one} or {other}; the name is used for both alike.",
            f"'{said}' is the name of {one} and just as much of {other}.",
        ),
        (
            f"'{said}' stands for two things, {one} and {other}, and is used for both alike.",
            f"By '{said}', writers mean {one} about as often as {other}, and seldom say which.",
        ),
    )
    labels = pick(style, rng, ("where {} is meant", "in the case of {}"), ("where {} is meant", "as far as {} goes"))
    pairs = (labels.format(one), labels.format(other))
    return doubled(analysis, subject, opening, pairs, made, f"'{said}' was given a second sense of equal standing.")


@recipe("ambiguity.unstated_edition")
def unstated_edition(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Split the asked fact over two versions that circulate side by side."""
    subject = bearer_of(analysis)
    if subject is None or subject.kind not in _VERSIONS or subject.plural:
        return Declined(DeclineReason.NO_TOPIC, "what is asked about comes in no versions")
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    many, one, how, verbs = _VERSIONS[subject.kind]
    said = tokenise(f"{made.fact.before} {made.fact.after}".replace(subject.name, ""))
    if not {verb_lemma(t.norm) for t in said if t.is_word and verb_tags(t.norm)} & verbs:
        return Declined(DeclineReason.ANSWER_TYPE, "what is asked does not differ between versions")
    called = subject.name
    opening = pick(
        style,
        rng,
        (
            f"{called} exists in two {many}, both {how} under that name.",
            f"Two {many} of {subject.name} are {how} under the same name.",
        ),
        (
            f"Two {many} of {subject.name} are {how} under the same name, and neither counts as the main one.",
            f"{called} is {how} in two {many} side by side, and the name on both is the same.",
        ),
    )
    labels = (f"for one {one}", f"for the other {one}") if rng.random() < 0.5 else (f"in one {one}", "in the other")
    return doubled(analysis, subject, opening, labels, made, f"The fact was split over two {many}.", alike=True)


@recipe("ambiguity.pure_homonymy_clash")
def pure_homonymy_clash(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Add a bearer of the name from an unrelated field, with its own value of what is asked."""
    subject = bearer_of(analysis)
    if subject is None or subject.kind in (SubjectKind.PERSON, SubjectKind.COUNTRY) or fold(subject.name) in PLACES:
        return Declined(DeclineReason.NO_TOPIC)
    if kind_noun(subject) == "case":
        return Declined(DeclineReason.NO_TOPIC, "there is no noun for what is asked about")
    made = rivalry(analysis, rng)
    if isinstance(made, Declined):
        return made
    verb = made.fact.verb or analysis.question.verb
    lemma = verb_lemma(verb.lower()) if verb else None
    if says_its_kind(analysis, subject):
        return Declined(DeclineReason.NO_TOPIC, "the question says which sense is meant")
    frames = [f for f, verbs in _FRAMES.items() if lemma in verbs]
    if not frames:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the asked property would not hold of anything unrelated")
    frame = rng.choice(frames)
    opening = pick(
        style,
        rng,
        (
            f"{subject.name} is the name of {_a(subject)} and also of a {frame}.",
            f"{_a(subject).capitalize()} and a {frame} share the name {subject.name}.",
        ),
        (
            f"Under the heading {subject.name} two entries stand side by side that have nothing in common: "
            f"{_a(subject)} and a {frame}.",
            f"{subject.name} is the name of two quite unconnected things, {_a(subject)} and a {frame}.",
        ),
    )
    labels = ("as for the former", f"as for the {frame}")
    return doubled(analysis, subject, opening, labels, made, f"'{subject.name}' became a {frame} as well.")


def _a(subject: Subject) -> str:
    noun = kind_noun(subject)
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
