"""Checks of levers.

A lever's recipe must exist. Its examples must contain what the lever needs, and pass the code checks.
"""

from collections.abc import Iterator

from demur.levers.explain import Problem, did_you_mean
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import CLASS_SLUG
from demur.programs.checks.run import check_example, example_as_instance, failures
from demur.programs.lever_needs import unmet
from demur.rules.operators.registry import frame_faults, operator_names


def recipe_faults(lever: Lever) -> Iterator[Problem]:
    """Yield faults of a lever's recipe: it does not exist, belongs to another class, or does not fill a frame."""
    if lever.recipe is None:
        return
    package = CLASS_SLUG[lever.lever_class].replace("-", "_")
    own = [name for name in operator_names() if name.startswith(f"{package}.")]
    if lever.recipe not in own:
        known = did_you_mean(lever.recipe, own) or f", as {', '.join(own[:3])} and {len(own) - 3} others are."
        yield Problem(
            ("recipe",),
            f"'{lever.recipe}' is not a recipe of {lever.lever_class}{known} Without a recipe, only models pull the "
            "lever",
        )
        return
    for number, message in frame_faults(lever):
        yield Problem(("frames", number), message)


def lever_faults(lever: Lever) -> Iterator[Problem]:
    """Yield faults of a lever's recipe, and of its worked examples."""
    yield from recipe_faults(lever)
    for number, example in enumerate(lever.examples):
        for need in unmet(example_as_instance(example, lever)[0], lever):
            yield Problem(("examples", number), f"does not have what the lever needs: '{need}' was not found in it")
        for result in failures(check_example(example, lever)):
            yield Problem(("examples", number, "change"), f"fails the code check {result.name}: {result.evidence}")
