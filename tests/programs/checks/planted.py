"""Violations planted in good instances, one function for each kind; the benchmark plants them too."""

from collections.abc import Callable, Iterator

from demur.levers.instances import ChangedPassage, Perturbation
from demur.levers.vocabulary import Layout, LeverClass, Target
from demur.programs.checks.changes import CheckName
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
            if lever.lever_class is not LeverClass.MISSING_INFO:
                yield good.with_passage(index, f"{good.text(index)} {spare}")
        if lever.lever_class is LeverClass.CONTRADICTION:
            yield good.with_passage(signal[0], f"{good.text(signal[0])} {spare}")
    unknown = ChangedPassage(index=len(base.passages), text=spare)
    yield good.perturbation.model_copy(update={"changed": (*good.perturbation.changed, unknown)})


def touched_passage(good: Good) -> Iterator[Perturbation]:
    if good.lever.lever_class is LeverClass.FALSE_PREMISE:
        yield good.with_passage(0, good.text(0) + " Entry is free.")
        yield good.with_passage(0, " ".join(good.text(0).split()[:-1]))


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
        yield good.with_passage(change.index, f"{change.text} \ufffd\ufffd")
        for said in FOREIGN:
            yield good.with_passage(change.index, f"{change.text} {said}")
    else:
        yield good.with_question("Why?")
        yield good.with_question(f"{good.perturbation.question} " * 40)
        yield good.with_question("Почему это так устроено на самом деле?")
        for said in FOREIGN:
            yield good.with_question(said)


PLANTED: tuple[tuple[str, CheckName, Callable[[Good], Iterator[Perturbation]]], ...] = (
    ("wrong lever", CheckName.LEVER_IN_STRATUM, wrong_lever),
    ("nothing changed", CheckName.SOMETHING_CHANGED, nothing_changed),
    ("off target", CheckName.TARGET_ONLY, off_target),
    ("touched passage", CheckName.PASSAGES_UNTOUCHED, touched_passage),
    ("leaking", CheckName.NO_LEAK, leaking),
    ("out of bounds", CheckName.LENGTH_AND_LANGUAGE, out_of_bounds),
)
