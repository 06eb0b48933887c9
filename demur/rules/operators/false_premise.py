"""False premises: a question of the lever, or a word beside its subject, that presupposes what is not so."""

import re
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.rules.edits.casing import in_register
from demur.rules.operators.asking import SLOTS, ask, drawn_slots, slots_of
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.rules.rivals import is_one_time
from demur.rules.subject import subject
from demur.text.analysis import Analysis
from demur.text.kinds import kind_of_noun
from demur.text.lexicon import AUXILIARIES, PREPOSITIONS, verb_tags
from demur.text.questions import content_words

operator("false_premise.ask", *SLOTS)(ask)


@operator("false_premise.other_value", *SLOTS)
def other_value(pull: Pull) -> Draft | Declined:
    """Ask for the circumstances of a fact with another value, where the sentence that answers tells of that fact."""
    stated = pull.analysis.answer_sentence
    wanted = content_words(pull.analysis.question.text)
    if stated is None or not is_one_time(pull.analysis) or 2 * len(wanted & content_words(stated.text)) < len(wanted):
        return Declined(DeclineReason.NO_SUITABLE_SPAN, "the sentence that answers tells of something else")
    return ask(pull)


@operator("false_premise.same_person", *SLOTS)
def same_person(pull: Pull) -> Draft | Declined:
    """Ask how the person who answers stands to the one of whom the question asks, where one person alone is named."""
    joined = re.compile(rf"(?:\band|,) {re.escape(pull.analysis.answer)}|{re.escape(pull.analysis.answer)},? and\b")
    if any(joined.search(p.text) for p in pull.analysis.passages):
        return Declined(DeclineReason.ANSWER_TYPE, "more than one person did it")
    return ask(pull)


_TIMED: Final = re.compile(r"\b(?:when|year|date|old|older|younger|first|last|\d{4})\b", re.IGNORECASE)
_FOLLOWED: Final = re.compile(
    r"\b(?:sequels?|prequels?|spin-off|second|third|II|2|trilogy|franchise|follow-?up|remake|remade|reboot|revival|"
    r"edition|version|cover(?:ed)?|live)\b",
)
_PARTS: Final = re.compile(r"\b(?:table|footnote|caption|appendix|figure)\b", re.IGNORECASE)


@operator("false_premise.renamed", Slot.NAME, Slot.NOUN, Slot.YEAR)
def renamed(pull: Pull) -> Draft | Declined:
    """Call what the question is about by a frame of the lever: 'the sequel to X', 'the 1998 film X'."""
    about = subject(pull.analysis)
    if about is None or about.kind is None:
        return Declined(DeclineReason.NO_TOPIC)
    values = drawn_slots(pull) | {Slot.NAME: about.plain} | ({Slot.NOUN: about.noun} if about.noun else {})
    timed = _TIMED.search(pull.analysis.question.text) is not None
    texts = "\n".join(p.text for p in pull.analysis.passages if about.name in p.text)
    fitting = [
        frame
        for frame in pull.frames(about.kind)
        if frame.slots <= values.keys() and not (timed and pull.lever.answer == "kept")
        if Slot.YEAR in frame.slots or not _FOLLOWED.search(texts)
    ]
    if not fitting:
        return Declined(DeclineReason.NO_FRAME)
    said = fill(pull.rng.choice(fitting), **values)
    return _with_subject(pull, said)


def _with_subject(pull: Pull, said: str) -> Draft | Declined:
    """Return the question with what it is about called so."""
    about = subject(pull.analysis)
    asked = pull.analysis.question.bare
    before = asked[: about.span.start].lower().split()[-1:] if about is not None else []
    plain = PREPOSITIONS | AUXILIARIES | {"and", "or"}
    led = bool(before) and (before[0] in plain or bool(verb_tags(before[0]) & {"VBD", "VBZ"}))
    called = re.match(r"(?:the )?(?P<noun>[a-z]+) ", about.said) if about is not None else None
    if called is not None and about is not None and kind_of_noun(called["noun"]) not in (None, about.kind):
        return Declined(DeclineReason.NO_TOPIC)  # 'the city Ada Brandt was born in'
    if about is None or not led or re.match(r"the |[\"“]", about.said) and not said.startswith("the "):
        return Declined(DeclineReason.NO_TOPIC)
    text = asked[: about.span.start] + said + asked[about.span.end :]
    return Draft(in_register(pull.analysis.question, text), reasoning="What it is called presupposes what is not so.")


@operator("false_premise.other_origin")
def other_origin(pull: Pull) -> Draft | Declined:
    """Put another nationality beside what the question is about than its entry gives: 'the canadian rock band X'."""
    about = subject(pull.analysis)
    if about is None or not about.noun:
        return Declined(DeclineReason.NO_TOPIC)
    own = _origin(pull.analysis, about.name)
    texts = " ".join(p.text.lower() for p in pull.analysis.signal) + pull.analysis.question.text.lower()
    others = [n for n in _NEAR.get(own or "", ()) if n not in texts]
    if own is None or not others or re.search(r"\b(?:country|nationality|where|from)\b", pull.analysis.question.text):
        return Declined(DeclineReason.NOTHING_PERIPHERAL)
    return _with_subject(pull, f"the {pull.rng.choice(others).title()} {about.noun} {about.plain}")


_BORN: Final = re.compile(r"\(born|\bborn (?:on|in)\b|\(b\. ")
_DEAD: Final = re.compile(
    r"[–—-] ?\d|\b(?:died|death|killed|buried|late|posthumous\w*|assassinat\w*|murder\w*)\b", re.IGNORECASE
)


@operator("false_premise.burial", Slot.TOPIC)
def burial(pull: Pull) -> Draft | Declined:
    """Ask for the grave of a person whom the passages show alive."""
    about = subject(pull.analysis)
    texts = "\n".join(p.text for p in pull.analysis.passages if about is not None and about.name in p.text)
    if about is None or about.kind is not Kind.PERSON or not _BORN.search(texts) or _DEAD.search(texts):
        return Declined(DeclineReason.NO_TOPIC, "no person whom the passages show alive")
    return ask(pull)


_NEAR: Final = {
    "american": ("canadian", "british", "australian"), "british": ("american", "irish", "australian"),
    "english": ("scottish", "welsh", "irish", "american"), "canadian": ("american", "british"),
    "australian": ("british", "american"), "french": ("belgian", "swiss"), "german": ("austrian", "dutch", "swiss"),
    "indian": ("pakistani", "bengali"), "irish": ("scottish", "english"), "japanese": ("korean", "chinese"),
    "italian": ("spanish", "french"), "spanish": ("mexican", "portuguese"), "swedish": ("norwegian", "danish"),
}  # fmt: skip
"""Which nationalities people take for one another."""


def _origin(analysis: Analysis, name: str) -> str | None:
    """Return the nationality that a passage gives what a question is about, None where it gives none."""
    pattern = rf"{re.escape(name)}[\"”]?(?: \([^()]*\))? (?:is|was|are|were) an? (?:\d{{4}} )?(?P<it>[A-Z][a-z]+) [a-z]"
    found = next((m for p in analysis.signal if (m := re.search(pattern, p.text))), None)
    return found["it"].lower() if found is not None and found["it"].lower() in _NEAR else None


@operator("false_premise.pointed", Slot.QUESTION)
def pointed(pull: Pull) -> Draft | Declined:
    """Return a question whose fact stands in a part that the passages do not have, or in another sentence."""
    question = slots_of(pull.analysis).get(Slot.QUESTION)
    frames = [f for f in pull.frames() if not (set(_PARTS.findall(f.text)) & set(_PARTS.findall(_all(pull))))]
    if question is None or not frames:
        return Declined(DeclineReason.QUESTION_NOT_PARSED)
    frame = pull.rng.choice(frames)
    last = pull.analysis.passages[-1].sentences[-1].text
    if "last sentence" in frame.text and pull.analysis.is_answer(last):
        return Declined(DeclineReason.NO_FRAME)
    text = fill(frame, question=question)
    return Draft(
        in_register(pull.analysis.question, text), reasoning="The fact does not stand where the question says."
    )


def _all(pull: Pull) -> str:
    return "\n".join(p.text for p in pull.analysis.passages)
