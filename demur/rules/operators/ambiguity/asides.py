"""Mild ambiguities beside the point: a pronoun for a repeated name, a second spelling, a note on a namesake."""

import re
from collections.abc import Iterator
from typing import Final

from demur.levers.frames import Kind, Slot
from demur.rules.described import entry_of
from demur.rules.operators.context import filled
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, fill, operator
from demur.text.analysis import PassageAnalysis
from demur.text.answers import AnswerType
from demur.text.kinds import gender_of, is_full_name
from demur.text.lexicon import AUXILIARIES, is_known, places, verb_tags
from demur.text.names import NamedMention, NameKind
from demur.text.people import is_first_name, is_last_name
from demur.text.quantities import find_numbers
from demur.text.tokens import fold, tokenise

_THINGS: Final = frozenset(
    {Kind.FILM, Kind.SHOW, Kind.SONG, Kind.ALBUM, Kind.BOOK, Kind.GAME, Kind.CITY, Kind.STATE, Kind.COUNTRY, Kind.PLACE,
     Kind.SITE, Kind.RIVER, Kind.ORGANISATION, Kind.SCHOOL, Kind.EVENT}
)  # fmt: skip
_RESPELT: Final = (
    (r"mann$", "man"), (r"son$", "sen"), (r"(?<=[a-z])ll", "l"), (r"(?<=[a-z])tt", "t"), (r"(?<=[a-z])nn", "n"),
    (r"(?<=[a-z])ss", "s"), (r"(?<=[a-z])rr", "r"), (r"ck", "k"), (r"(?<=[a-z])ph", "f"), (r"ey$", "y"),
    (r"(?<=[b-df-hj-np-tv-z])y$", "ie"), (r"(?<=[aeiou])([lntsr])(?=[aeiou])", r"\1\1"),
)  # fmt: skip
"""Ways to spell a name that its bearers vary in: Hoffmann and Hoffman, Nielson and Nielsen, Kelly and Kellie."""


@operator("ambiguity.pronoun")
def pronoun(pull: Pull) -> Draft | Declined:
    """Put he, she or it for the subject of a sentence, where the one before has the same subject and names another."""
    for passage in pull.analysis.signal:
        for mention, said in _repeated(passage):
            if any(mention.span.overlaps(a.span) for a in passage.answers):
                continue
            text = passage.text[: mention.span.start] + said + passage.text[mention.span.end :]
            return Draft(
                pull.analysis.question.text, {passage.index: text}, reasoning="A pronoun stands for a repeated subject."
            )
    return Declined(DeclineReason.NO_SUITABLE_SPAN)


def _repeated(passage: PassageAnalysis) -> Iterator[tuple[NamedMention, str]]:
    """Yield names that open a sentence and are the subject of the one before, with the pronoun that fits."""
    opens = {n.span.start: n for n in passage.names}
    entry = entry_of(passage.text)
    for before, sentence in zip(passage.sentences, passage.sentences[1:], strict=False):
        first = opens.get(before.span.start)
        second = opens.get(sentence.span.start)
        if first is None or second is None or not re.match(r" [a-z]", passage.text[second.span.end :]):
            continue
        following = tokenise(passage.text[second.span.end : second.span.end + 40])[:1]
        if not following or not (following[0].norm in AUXILIARIES or verb_tags(following[0].norm) & {"VBD", "VBZ"}):
            continue
        others = [
            n for n in passage.names if before.span.start < n.span.start < before.span.end and n.norm != first.norm
        ]
        if second.norm not in (first.norm, first.last_word):
            continue
        full = next((n.text for n in passage.names if is_full_name(n.text) and n.last_word == first.last_word), "")
        sex = gender_of(full) if first.kind is NameKind.PERSON and full else None
        if sex is not None and any(n.kind is NameKind.PERSON for n in others):
            yield second, "He" if sex == "male" else "She"
        elif entry is not None and fold(entry[0]) == first.norm and entry[1] in _THINGS and others:
            yield second, "It"


@operator("ambiguity.respelling", Slot.NAME, Slot.OTHER)
def respelling(pull: Pull) -> Draft | Declined:
    """Put a second spelling behind a name that neither question nor answer has."""
    frame = pull.frame()
    if pull.analysis.answer_type is AnswerType.PERSON:  # a person more might be taken for another answer
        return Declined(DeclineReason.ANSWER_TYPE)
    answers = set(fold(" ".join(pull.analysis.base.answers)).split())
    options = [
        (passage, name, other)
        for passage in pull.analysis.signal
        for name in passage.names
        if name.kind is NameKind.PERSON
        and is_full_name(name.text)
        and is_first_name(name.norm.split()[0])
        and not set(name.norm.split()) & places()
        and not answers & set(name.norm.split())
        and passage.sentence_at(name.span) not in passage.answer_sentences
        and re.match(r"(?: [a-z]|[,;.] |[,;.]$)", passage.text[name.span.end :])
        and not _enclosed(passage.text, name.span.start)
        and (other := _respelt(name.text)) is not None
    ]
    if frame is None or not options:
        return Declined(DeclineReason.NO_SUITABLE_SPAN)
    passage, name, other = pull.rng.choice(options)
    said = fill(frame, name=name.text, other=other)
    text = passage.text[: name.span.start] + said + passage.text[name.span.end :]
    return Draft(pull.analysis.question.text, {passage.index: text}, reasoning="A name has a second spelling.")


def _enclosed(text: str, position: int) -> bool:
    """Return whether a position lies in brackets or quotation marks."""
    before = text[:position]
    return before.count("(") > before.count(")") or before.count('"') % 2 == 1


def _respelt(name: str) -> str | None:
    """Return a name with its last word spelt another way; None where the word is a common one or cannot be."""
    first, _, word = name.rpartition(" ")
    plain = fold(word)
    if plain != word.lower():
        return f"{first} {plain.title()}"
    if not word.isalpha() or len(word) < 5 or not word.istitle() or is_known(plain) and not is_last_name(plain):
        return None
    for old, new in _RESPELT:
        if (other := re.sub(old, new, word, count=1)) != word:
            return f"{first} {other}"
    return None


@operator("ambiguity.hatnote", Slot.NAME, Slot.NOUN, Slot.NOUNS, last=True)
def hatnote(pull: Pull) -> Draft | Declined:
    """Put a note over an entry that tells its subject from something else of the same name."""
    for passage in pull.analysis.signal:
        entry = entry_of(passage.text)
        said = filled(pull, passage) if entry is not None and not pull.analysis.is_answer(entry[0]) else None
        if said is not None:
            text = f"{said}\n{passage.text}"
            return Draft(pull.analysis.question.text, {passage.index: text}, reasoning="A namesake is told apart.")
    return Declined(DeclineReason.NO_TOPIC)


@operator("ambiguity.remark", last=True)
def remark(pull: Pull) -> Draft | Declined:
    """Put a remark on the page itself under a passage, on a line of its own."""
    passage = pull.analysis.main
    figures = {n.value for a in pull.analysis.base.answers for n in find_numbers(a)}
    frames = [f for f in pull.frames() if not figures & {n.value for n in find_numbers(f.text)}]
    frame = pull.rng.choice(frames) if frames else None
    if frame is None or len(passage.sentences) < 2:
        return Declined(DeclineReason.PASSAGE_TOO_SHORT)
    text = f"{passage.text.rstrip()}\n{frame.text}"
    return Draft(
        pull.analysis.question.text, {passage.index: text}, reasoning="A remark beside the point has two readings."
    )
