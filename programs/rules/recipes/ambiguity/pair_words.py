"""Two candidates of one kind for an answer, and sentences that name both and prefer neither."""

import random
from dataclasses import dataclass

from demur.programs.rules.edits.grammar import sentence_case
from demur.programs.rules.edits.style import Style, pick
from demur.programs.text.answers import AnswerType

FIGURES = (AnswerType.NUMBER, AnswerType.MONEY)


@dataclass(frozen=True, slots=True)
class Pair:
    """The answer and another value of its kind in a drawn order, and the asked fact told of either of them.

    `fact` is None where it can't be told so; `other` is the one that is not accepted, `either` what can stand for both.
    """

    one: str
    two: str
    other: str
    kind: AnswerType
    fact: str | None
    either: str


def introduced(pair: Pair, style: Style, rng: random.Random) -> str:
    """Return a sentence that names both and prefers neither."""
    one, two = pair.one, pair.two
    if pair.kind in FIGURES:
        forms = (
            (
                f"Two figures turn up side by side, {one} and {two}.",
                f"The figures that matter here are {one} and {two}.",
            ),
            (
                f"Those who write about it give two figures side by side, {one} and {two}.",
                f"Two figures stand beside each other in the sources, {one} and {two}, and both of them are correct.",
            ),
        )
    elif pair.kind is AnswerType.DATE:
        forms = (
            (f"Two dates turn up side by side, {one} and {two}.", f"The dates that matter here are {one} and {two}."),
            (
                f"Those who write about it give two dates side by side, {one} and {two}.",
                f"Two dates have come down to us, {one} and {two}, and both of them mattered.",
            ),
        )
    else:
        forms = (
            (f"{one} and {two} are often named together.", f"{one} and {two} are often compared."),
            (
                f"{one} is often mentioned in the same breath as {two}.",
                f"{one} and {two} are often compared, as they have a good deal in common.",
            ),
        )
    return sentence_case(pick(style, rng, *forms))


def chained(pair: Pair, style: Style, rng: random.Random) -> str:
    """Return a sentence on both and two that go on without a name."""
    if pair.kind in FIGURES:
        more = pick(
            style,
            rng,
            ("The one is quoted as often as the other. It is easy to remember.",
             "The one is as well attested as the other. It has been checked more than once."),
            ("The one is quoted as often as the other by those who know the subject. It has been checked more than "
             "once.", "The one is as well attested as the other. It is said to be easy to remember."),
        )  # fmt: skip
    elif pair.kind is AnswerType.PERSON:
        more = pick(
            style,
            rng,
            ("The one is as well known as the other. Both have their admirers.",
             "Hardly anybody knows the one and not the other. A good deal has been written about both."),
            ("The one is about as well known as the other. Both have their admirers, who are seldom of one mind.",
             "Hardly anybody who knows the one does not know the other. A good deal has been written about both."),
        )  # fmt: skip
    elif pair.kind is AnswerType.DATE:
        more = pick(
            style,
            rng,
            ("The one is quoted as often as the other. It was a turning point.",
             "The one is as well attested as the other. It was long remembered."),
            ("The one is quoted as often as the other by those who know the records. It is said to have been a turning "
             "point.", "The one is as well attested as the other in the records. It was remembered for a long time."),
        )  # fmt: skip
    else:
        more = pick(
            style,
            rng,
            ("The one is as well known as the other. It has its admirers.",
             "Hardly anybody knows the one and not the other. It has been written about a good deal."),
            ("The one is about as well known as the other, and its admirers speak highly of it. It has been written "
             "about a good deal.", "Hardly anybody who knows the one does not know the other. It has had its admirers "
             "from the beginning."),
        )  # fmt: skip
    return f"{introduced(pair, style, rng)} {more}"
