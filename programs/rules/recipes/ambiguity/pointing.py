"""MEDIUM and HIGH in the question: it points at something, and the passages offer more than one thing to point at."""

import random
import re

from demur.programs.rules.edits.casing import in_register
from demur.programs.rules.edits.grammar import is_plural
from demur.programs.rules.edits.rival_values import is_personal
from demur.programs.rules.edits.style import Style, phrase
from demur.programs.rules.recipes.ambiguity.material import named_subject, names_around, subject_of
from demur.programs.rules.recipes.registry import Declined, DeclineReason, Draft, recipe
from demur.programs.text.analysis import Analysis
from demur.programs.text.asked_fact import asked_fact
from demur.programs.text.lexicon import FUNCTION_WORDS, PREPOSITIONS, can_be, is_known, verb_tags
from demur.programs.text.questions import Question, WhWord, content_words
from demur.programs.text.tokens import tokenise

_MOST_UNKNOWN = 3
OPEN = "The passages are untouched; several values in them could be meant, and nothing in the question tells which."
_TIMES = frozenset({"year", "date", "month", "day", "century", "decade", "season"})


def asking_words(analysis: Analysis) -> str:
    """Return the words that ask, without what is asked about: 'who', 'when', 'which position', 'how many seasons'."""
    question = analysis.question
    noun = _focus_noun(question)
    if question.wh is WhWord.HOW_MANY:
        return f"how many {noun}" if noun else "how many of them"
    if question.wh in (WhWord.WHAT, WhWord.WHICH) and noun:
        return f"which {noun}"
    if question.wh is WhWord.WHICH:
        return "which one"
    simple = {WhWord.WHO: "who", WhWord.WHOSE: "whose", WhWord.WHEN: "when", WhWord.WHERE: "where", WhWord.WHY: "why"}
    long = {WhWord.HOW_LONG: "how long", WhWord.HOW_OLD: "how old", WhWord.HOW_MUCH: "how much", WhWord.HOW: "how"}
    return simple.get(question.wh) or long.get(question.wh) or ("who" if is_personal(analysis) else "what")


def _focus_noun(question: Question) -> str | None:
    """Return the noun phrase asked for without names, figures and what hangs on it, None where nothing is left."""
    if not question.focus:
        return None
    head = re.split(r" (?:of|in|from|for|on|that|which|who|by|with|at|to|did|was|is|has|had) ", question.focus)[0]
    words = []
    asked = [t for t in tokenise(head) if t.is_word]
    if any(not t.text.islower() for t in asked[1:]) or asked and asked[-1].text.endswith(("'s", "’s")):
        last = asked[-1]  # 'low budget British comedy franchise' is a franchise, 'dog's ancestors' no dog
        return last.norm if can_be(last.norm, "NOUN") and last.text.islower() and last.norm.isalpha() else None
    for token in asked:
        plain = token.text.islower() and (can_be(token.norm, "NOUN") or can_be(token.norm, "ADJ"))
        if not plain or token.norm in FUNCTION_WORDS | {"other"} or verb_tags(token.norm) & {"VBD"} - {"VBN"}:
            break
        words.append(token.text)
    while words and not can_be(words[-1], "NOUN"):
        words.pop()
    return " ".join(words[-2:]) if words else None


def _asking_time(asks: str) -> str:
    """Return 'when' for 'which year', 'which date' and the like."""
    return "when" if asks.startswith("which ") and asks.split()[-1].rstrip("s") in _TIMES else asks


@recipe("ambiguity.comparative_subdeletion")
def comparative_subdeletion(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Compare two things without saying in what."""
    fact = asked_fact(analysis)
    if fact is None or fact.choices is None:
        return Declined(DeclineReason.QUESTION_NOT_PARSED, "the question compares no two things")
    one, other = fact.choices
    body = rng.choice((
        f"which is more than the other is, {one} or {other}",
        f"which of the two, {one} or {other}, is more than the other one",
        f"which one exceeds the other, {one} or {other}",
    ))  # fmt: skip
    return Draft(in_register(analysis.question, body), {}, "The dimension of the comparison was left out.", OPEN)


def _noun(analysis: Analysis) -> str:
    """Return a plain noun for what is asked, for use after 'the other one's'."""
    asks = asking_words(analysis).split(" ")
    if asks[0] in {"which", "how"} and len(asks) > 1 and asks[-1] not in {"them", "long", "old", "much"}:
        return " ".join(asks[2:] if asks[:2] == ["how", "many"] else asks[1:])
    return {"who": "name", "when": "date", "where": "place", "why": "reason"}.get(asks[0], "one")


@recipe("ambiguity.orphaned_follow_up")
def orphaned_follow_up(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Turn the question into the follow-up of a conversation that is not there."""
    asks, noun = asking_words(analysis), _noun(analysis)
    be = "is" if analysis.question.auxiliary in {"is", "are", "do", "does", "has", "have", "can", "will"} else "was"
    if asks.startswith("how many") or asks.startswith("which ") and is_plural(asks):
        be = {"is": "are", "was": "were"}[be]
    body = rng.choice(
        phrase(
            style,
            f"and {asks} {be} it for the other one|and what about the other one's {noun}|"
            f"so is that not the same {noun} as before, then|and {asks} {be} it before that",
            f"and what about the other one's {noun}, if that is the same as last time|"
            f"so would it then be the same {noun} for that one as for the one before|"
            f"all right, and {asks} would that be for the second one you mentioned|"
            f"fine, but {asks} {be} it in the other case that you brought up",
        ).split("|")
    )
    body = body.replace("the same one for", "the same for").replace("one's one", "one")
    body = re.sub(r"\b(are|were) it\b", r"\1 there", body)
    return Draft(
        in_register(analysis.question, body), {}, "The question leans on an earlier turn that is not there.", OPEN
    )


def _anchored(analysis: Analysis, body: str, style: Style) -> str:
    """Return the body after the subject it vaguely concerns, or alone where the subject is not sure."""
    subject = named_subject(analysis)
    if subject is None or subject.phrase.split()[0].lower() in PREPOSITIONS:
        return body
    return f"{phrase(style, 'as to', 'speaking of')} {subject.phrase}, {body}"


@recipe("ambiguity.dangling_vp_ellipsis")
def dangling_vp_ellipsis(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Leave the question an auxiliary and nothing that says what for."""
    asks = _asking_time(asking_words(analysis))
    if asks.split()[0] in {"who", "which", "whose", "what"} or asks.startswith("how many"):
        asks = {"whose": "who", "what": "which"}.get(asks, asks)
        forms = (
            f"{asks} did before the others had, and {asks} would have",
            f"{asks} could have, and {asks} did when they could not",
            f"{asks} did because the others had not",
        )
    else:
        forms = (
            f"{asks} did the one, and {asks} had the other not",
            f"{asks} did they, and {asks} would they not have",
            f"{asks} could the others have if this one already had",
        )
    body = _anchored(analysis, rng.choice(forms), style)
    return Draft(in_register(analysis.question, body), {}, "The auxiliaries have lost their verb phrase.", OPEN)


@recipe("ambiguity.anaphoric_one_collision")
def anaphoric_one_collision(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Ask about 'the one' and 'the other one' only."""
    asks = _asking_time(asking_words(analysis))
    if asks.startswith("how many") or asks.startswith("which ") and is_plural(asks):
        forms: tuple[str, ...] = (
            "{a} does the one have that the other one has not got from that one",
            "{a} did the one take from the other one before that one took them from the one",
        )
    elif asks in {"when", "where", "why", "how", "how long", "how much", "how old"}:
        forms = (
            "{a} was the one that the other one was not when it was the one",
            "{a} was the one before the other one was the one after that one",
        )
    else:
        forms = (
            "{a} goes with the one if the other one goes with that one",
            "{a} belongs to the one that the other one took for the one before it",
            "{a} is the one that the one before the other one is not",
        )
    body = _anchored(analysis, rng.choice(forms).format(a="who" if asks == "whose" else asks), style)
    return Draft(in_register(analysis.question, body), {}, "Several things go by 'one', and none fits better.", OPEN)


@recipe("ambiguity.collapsed_search_query")
def collapsed_search_query(analysis: Analysis, style: Style, rng: random.Random) -> Draft | Declined:
    """Leave nothing of the question but the name of its subject, as typed into a search box."""
    subject = named_subject(analysis) or subject_of(analysis)
    if subject is None or analysis.is_answer(subject.name):
        return Declined(DeclineReason.NO_TOPIC)
    asked, said = content_words(analysis.question.text), content_words(subject.phrase)
    if len(said) > 0.7 * len(asked):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the subject is nearly the whole question")
    words = [t.text for t in tokenise(subject.phrase) if t.is_word and t.norm not in {"the", "a", "an"}]
    beside = names_around(analysis, rng, 1)
    if len(words) < 2 or style is Style.ELABORATE and len(analysis.passages) > 1:
        if not beside:
            return Declined(DeclineReason.NO_SUITABLE_SPAN, "a single keyword is no query")
        words += beside[0].split()
    if 2 * sum(is_known(w.lower()) for w in words) <= len(words):  # a heap of unknown words is no English query
        words = words[:_MOST_UNKNOWN]
    text = " ".join(words).lower()
    return Draft(text, {}, "Only keywords are left, and the passages answer more than one question about them.", OPEN)
