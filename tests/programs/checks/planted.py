"""Violations planted in good instances, one function for each kind; the benchmark plants them too."""

import random
from collections.abc import Callable, Iterator

from num2words import num2words

from demur.levers.instances import ChangedPassage, Perturbation
from demur.levers.vocabulary import AnswerFate, Layout, LeverClass, Target
from demur.programs.checks.results import CheckName
from demur.rules.rivals import exchanged, find_rival
from demur.text import AnswerType, analyse, find_answers
from demur.text.analysis import leans_back
from demur.text.answers import answer_date
from demur.text.dates import DatePrecision, spellings
from tests.programs.checks.good_instances import Good


def wrong_lever(good: Good) -> Iterator[Perturbation]:
    yield good.perturbation.model_copy(update={"lever": good.lever.name + " II"})
    yield good.perturbation.model_copy(update={"lever": "Placid Transposition"})


def nothing_changed(good: Good) -> Iterator[Perturbation]:
    yield Perturbation(question=good.base.question, lever=good.lever.name)
    yield Perturbation(question=f" {good.base.question}  ", lever=good.lever.name)
    same = ChangedPassage(index=0, text=good.base.passages[0].text.replace(" ", "  "))
    yield Perturbation(question=good.base.question, changed=(same,), lever=good.lever.name)
    first, rest = good.base.question[:4], good.base.question[4:]
    yield Perturbation(question=f"{first}\u200b{rest}", lever=good.lever.name)


def off_target(good: Good) -> Iterator[Perturbation]:
    base, lever = good.base, good.lever
    spare = "Its archive is open on weekdays."
    if lever.target is Target.QUERY or (lever.target is Target.QUERY_OR_CONTEXT and not good.perturbation.changed):
        yield good.with_passage(0, f"{good.text(0)} {spare}")
    if lever.target is Target.CONTEXT or (lever.target is Target.QUERY_OR_CONTEXT and good.perturbation.changed):
        yield good.with_question(good.base.question.rstrip("?") + ", to be exact?")
    if lever.target is Target.QUERY_AND_CONTEXT:
        yield good.with_question(base.question)
        yield good.perturbation.model_copy(update={"changed": ()})
    if base.layout is Layout.MULTI and good.perturbation.changed:
        changed = {c.index for c in good.perturbation.changed}
        noise = [p.index for p in base.passages if not p.relevant and p.index not in changed]
        signal = [p.index for p in base.passages if p.relevant]
        for index in noise[:1]:
            if not analyse(base).passages[index].gives_answer or lever.lever_class is not LeverClass.MISSING_INFO:
                yield good.with_passage(index, f"{good.text(index)} {spare}")
        if lever.lever_class is LeverClass.CONTRADICTION:
            yield good.with_passage(signal[0], f"{good.text(signal[0])} {spare}")
    unknown = ChangedPassage(index=len(base.passages), text=spare)
    yield good.perturbation.model_copy(update={"changed": (*good.perturbation.changed, unknown)})


def touched_passage(good: Good) -> Iterator[Perturbation]:
    if good.lever.lever_class is LeverClass.FALSE_PREMISE:
        yield good.with_passage(0, good.text(0) + " Entry is free.")
        yield good.with_passage(0, " ".join(good.text(0).split()[:-1]))


def answer_gone(good: Good) -> Iterator[Perturbation]:
    kept = {AnswerFate.KEPT, AnswerFate.KEPT_WITH_WEAKER_RIVAL}
    if good.lever.answer not in kept or not _searchable(good):
        return
    yield _without_answer(good, "[withheld]")
    yield _without_answer(good, "it")


def equal_rival(good: Good) -> Iterator[Perturbation]:
    if good.lever.answer is not AnswerFate.KEPT or not _searchable(good):
        return
    analysis = analyse(good.base)
    for seed in range(4):
        rival, sentence = find_rival(analysis, random.Random(seed)), analysis.answer_sentence
        said = exchanged(analysis, sentence.text, rival) if rival and sentence else None
        if said and not leans_back(said) and analysis.main.gives_answer and not analysis.is_answer(said):
            at = analysis.main.index
            yield good.with_passage(at, f"{good.text(at)} {said}")


def answer_back(good: Good) -> Iterator[Perturbation]:
    if good.lever.answer is not AnswerFate.REMOVED or not _searchable(good):
        return
    answer = analyse(good.base).answer
    for index in (0, len(good.base.passages) - 1):
        yield good.with_passage(index, f"{good.text(index)} A later note names {answer}.")
        yield good.with_passage(index, f"{answer.upper()}: {good.text(index)}")
        for written in other_writings(answer):
            yield good.with_passage(index, f"{good.text(index)} A later note has {written}.")


def other_writings(answer: str) -> list[str]:
    """A day in figures and in other orders, a whole number in words: what trivially says the same."""
    date = answer_date(answer)
    if date is not None and date.precision is DatePrecision.DAY:
        return [
            *sorted(spellings(date)),
            f"{date.day}.{date.month}.{date.year}",
            f"{date.month}/{date.day}/{date.year}",
        ]
    if answer.isdigit() and len(answer) <= 3:
        return [str(num2words(int(answer)))]
    return []


def one_side_only(good: Good) -> Iterator[Perturbation]:
    if good.lever.answer is not AnswerFate.RIVALLED or not _searchable(good):
        return
    yield _without_answer(good, "[withheld]")
    yield good.perturbation.model_copy(
        update={
            "changed": tuple(
                ChangedPassage(index=p.index, text=f"{p.text} Parking costs extra on market days.")
                for p in good.base.passages
            )
        }
    )


LEAKS = (
    "REFUSE_AMBIGUOUS_QUERY",
    "The expected behaviour is to answer.",
    "REFUSE_MISSING",
    "This perturbation is subtle.",
    "P-MissingInfo",
    '{"perturbed_query": "x"}',
    "```",
    "[[ ## answer ## ]]",
    "Here is the modified passage.",
    "I have removed the date.",
    "<passage>",
    "As an AI language model, I changed it.",
    "Explanation: the date is gone.",
    "(LOW intensity)",
    "[AMBIGUOUS]",
    "Note: the answer was removed on purpose.",
    "**Revised**",
    "The passage no longer mentions the answer.",
    '"lever": "x"',
)


def leaking(good: Good) -> Iterator[Perturbation]:
    for leak in (*LEAKS, good.lever.name):
        if good.perturbation.changed:
            change = good.perturbation.changed[0]
            yield good.with_passage(change.index, f"{change.text} {leak}")
        else:
            yield good.with_question(f"{good.perturbation.question} {leak}")


FOREIGN = (
    "Wer hat diese Frage eigentlich zuerst gestellt, und warum ist das nicht mehr bekannt?",
    "Qui a posé cette question pour la première fois, et pourquoi ne le sait-on plus?",
    "¿Quién hizo esta pregunta por primera vez y por qué ya no se sabe?",
    "Chi ha fatto questa domanda per la prima volta e perché non lo si sa più?",
)


def out_of_bounds(good: Good) -> Iterator[Perturbation]:
    if good.perturbation.changed:
        change = good.perturbation.changed[0]
        yield good.with_passage(change.index, f"{change.text} The road was closed that day. " * 30)
        yield good.with_passage(change.index, "None")
        yield good.with_passage(change.index, change.text + " Это предложение написано совсем на другом языке." * 3)
        yield good.with_passage(change.index, change.text.replace(" the ", " the the ", 1) + " It stood in in a yard.")
        yield good.with_passage(change.index, f"{change.text} \ufffd\ufffd")
        yield good.with_passage(change.index, "tower bell stone river printer harbour winter lantern " * 3)
        for said in FOREIGN:
            yield good.with_passage(change.index, f"{change.text} {said}")
    else:
        yield good.with_question("Why?")
        yield good.with_question(f"{good.perturbation.question} " * 40)
        yield good.with_question("Почему это так устроено на самом деле?")
        for said in FOREIGN:
            yield good.with_question(said)


def _searchable(good: Good) -> bool:
    analysis = analyse(good.base)
    return analysis.answer_type is not AnswerType.YES_NO and any(p.gives_answer for p in analysis.signal)


def _without_answer(good: Good, placeholder: str) -> Perturbation:
    changed = []
    for passage in good.perturbation.passages(good.base):
        text = passage.text
        for mention in reversed(_mentions(good, text)):
            text = text[: mention[0]] + placeholder + text[mention[1] :]
        changed.append(ChangedPassage(index=passage.index, text=text))
    return good.perturbation.model_copy(update={"changed": tuple(changed)})


def _mentions(good: Good, text: str) -> list[tuple[int, int]]:
    return [(m.span.start, m.span.end) for m in find_answers(text, good.base.answers)]


PLANTED: tuple[tuple[str, CheckName, Callable[[Good], Iterator[Perturbation]]], ...] = (
    ("wrong lever", CheckName.LEVER_IN_STRATUM, wrong_lever),
    ("nothing changed", CheckName.SOMETHING_CHANGED, nothing_changed),
    ("off target", CheckName.TARGET_ONLY, off_target),
    ("touched passage", CheckName.PASSAGES_UNTOUCHED, touched_passage),
    ("answer gone", CheckName.ANSWER_KEPT, answer_gone),
    ("equal rival", CheckName.ANSWER_KEPT, equal_rival),
    ("answer back", CheckName.ANSWER_REMOVED, answer_back),
    ("one side only", CheckName.BOTH_SIDES_PRESENT, one_side_only),
    ("leaking", CheckName.NO_LEAK, leaking),
    ("out of bounds", CheckName.LENGTH_AND_LANGUAGE, out_of_bounds),
)
