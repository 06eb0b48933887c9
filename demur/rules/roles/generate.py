"""The rules lane as a generator: choose a lever with a recipe, run it, check the draft, else try the next."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from demur.levers.catalogue import Catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Perturbation, Stratum
from demur.levers.lever_models import Lever, Style
from demur.programs.checks.run import check, failures
from demur.rules.operators.registry import Declined, DeclineReason, Draft, Pull, find_operator, is_tried_last
from demur.rules.rivals import NO_CORPUS, Corpus
from demur.rules.roles import Inputs, Outputs, unknown_rules
from demur.text.analysis import analyse


@dataclass(frozen=True, slots=True)
class Drawn:
    """A perturbation that a recipe made and that passed all code checks."""

    perturbation: Perturbation
    lever: Lever
    reasoning: str
    answer_note: str


@dataclass(frozen=True, slots=True)
class Undrawn:
    """No offered lever could be pulled; `declines` has each lever's name and decline, in the order of the attempts."""

    declines: tuple[tuple[str, Declined], ...]

    @property
    def reason(self) -> str:
        """All declines in one line."""
        return "; ".join(f"{name}: {d.reason}{f' ({d.detail})' if d.detail else ''}" for name, d in self.declines)


def draw(
    base: BaseInstance, stratum: Stratum, levers: Sequence[Lever], style: Style, seed: int, corpus: Corpus = NO_CORPUS
) -> Drawn | Undrawn:
    """Pull one of the offered levers on a base instance; equal arguments give equal results.

    Levers with a recipe are tried in a seeded order until one of them can be pulled.
    """
    analysis = analyse(base)
    start = f"{seed}|{style}|{base.question}|{base.passages[0].text}"
    order = _order(base, stratum, levers, style, random.Random(f"{start}|{stratum.lever_class}|{stratum.intensity}"))
    declines: list[tuple[str, Declined]] = []
    for lever in order:
        if lever.recipe is None:
            declines.append((lever.name, Declined(DeclineReason.NO_RECIPE)))
            continue
        outcome = _pull(base, stratum, Pull(analysis, lever, style, random.Random(f"{start}|{lever.id}"), corpus))
        if isinstance(outcome, Drawn):
            return outcome
        declines.append((lever.name, outcome))
    return Undrawn(tuple(declines))


def _order(
    base: BaseInstance, stratum: Stratum, levers: Sequence[Lever], style: Style, rng: random.Random
) -> list[Lever]:
    """Return the levers in the order in which a style tries them.

    The levers are split into two halves; the split depends on the base instance and the stratum. Each of the two styles
    tries a different half first. Perturbations in different styles thus rarely have the same lever. Recipes that apply
    to nearly every base instance are tried last.
    """
    dealt = sorted(levers, key=lambda lever: lever.id)
    random.Random(f"{base.question}|{base.passages[0].text}|{stratum.lever_class}|{stratum.intensity}").shuffle(dealt)
    dealt.sort(key=lambda lever: lever.recipe is None)
    first = list(Style).index(style)
    halves = dealt[first::2], dealt[1 - first :: 2]
    for half in halves:
        rng.shuffle(half)
    order = [*halves[0], *halves[1]]
    return sorted(order, key=lambda lever: lever.recipe is not None and is_tried_last(lever.recipe))


def _pull(base: BaseInstance, stratum: Stratum, pull: Pull) -> Drawn | Declined:
    """Run one lever's operator and check its draft."""
    lever = pull.lever
    draft = find_operator(lever.recipe or "")(pull)
    if isinstance(draft, Declined):
        return draft
    perturbation = as_perturbation(draft, base, lever)
    failed = failures(check(base, perturbation, lever, stratum))
    if failed:
        return Declined(DeclineReason.CHECK_FAILED, f"{failed[0].name}: {failed[0].evidence}")
    reasoning = draft.reasoning or f"The recipe '{lever.recipe}' was applied."
    return Drawn(perturbation, lever, reasoning, draft.answer_note or str(lever.answer))


def as_perturbation(draft: Draft, base: BaseInstance, lever: Lever) -> Perturbation:
    """Return a draft as a perturbation; passages with unchanged text are left out."""
    old = {p.index: p.text for p in base.passages}
    changed = tuple(
        ChangedPassage(index=i, text=text) for i, text in sorted(draft.changed.items()) if text != old.get(i)
    )
    return Perturbation(question=draft.question, changed=changed, lever=lever.name)


# The rules lane as generator: lever recipes in one of two styles.


STYLES: Final = {style.value: style for style in Style}


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue, corpus: Corpus) -> Outputs:
    """Return a perturbation by the first recipe that applies; if no recipe applies, the reasons in `declined`."""
    if which not in STYLES:
        raise unknown_rules(which, STYLES)
    if language := inputs.get("language"):
        return _declined(inputs["question"], f"recipes change English only, and these texts are {language}")
    base = BaseInstance(question=inputs["question"], answers=inputs["answers"], passages=inputs["passages"])
    stratum = Stratum(lever_class=inputs["lever_class"], intensity=inputs["intensity"])
    named = (catalogue.named(option.name) for option in inputs["levers"])
    drawn = draw(base, stratum, [lever for lever in named if lever is not None], STYLES[which], seed, corpus)
    if isinstance(drawn, Undrawn):
        return _declined(base.question, drawn.reason or "no lever on offer has a recipe")
    return {
        "reasoning": drawn.reasoning,
        "declined": None,
        "lever": drawn.perturbation.lever,
        "perturbed_question": drawn.perturbation.question,
        "changed_passages": drawn.perturbation.changed,
        "answer_constraint_met": drawn.answer_note,
    }


def _declined(question: str, why: str) -> Outputs:
    return {
        "reasoning": "No recipe applies.",
        "declined": why,
        "lever": None,
        "perturbed_question": question,
        "changed_passages": (),
        "answer_constraint_met": "",
    }
