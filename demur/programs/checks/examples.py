"""A lever's worked examples, seen as instances, so that they pass the same checks as any perturbation."""

from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation, Stratum
from demur.levers.models import Example, Lever
from demur.levers.vocabulary import ENGLISH
from demur.programs.checks.results import CheckResult
from demur.programs.checks.run import check


def example_as_instance(example: Example, lever: Lever) -> tuple[BaseInstance, Perturbation]:
    """Return a worked example as the base instance and the perturbation that it shows.

    It is English, or in the first language of a lever that English has not.
    """
    base = BaseInstance(
        question=example.question,
        answers=example.answers,
        passages=tuple(Passage(index=i, text=p.text, relevant=p.relevant) for i, p in enumerate(example.passages)),
        language=ENGLISH if not lever.languages or ENGLISH in lever.languages else lever.languages[0],
    )
    changed = tuple(ChangedPassage(index=i, text=text) for i, text in sorted(example.change.passages.items()))
    question = example.change.question or example.question
    return base, Perturbation(question=question, changed=changed, lever=lever.name)


def check_example(example: Example, lever: Lever) -> tuple[CheckResult, ...]:
    """Return the results of all code checks on a worked example."""
    base, perturbation = example_as_instance(example, lever)
    return check(base, perturbation, lever, Stratum(lever_class=lever.lever_class, intensity=lever.intensity))
