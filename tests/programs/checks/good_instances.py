"""Good instances for the checks: every worked example of the catalogue that no check fails."""

from dataclasses import dataclass
from functools import lru_cache

from demur.levers.catalogue import load_catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Perturbation, Stratum
from demur.levers.lever_models import Lever
from demur.programs.checks.run import check, example_as_instance, failures


@dataclass(frozen=True, slots=True)
class Good:
    """An instance that passes, with the lever that made it."""

    base: BaseInstance
    perturbation: Perturbation
    lever: Lever

    @property
    def stratum(self) -> Stratum:
        return Stratum(lever_class=self.lever.lever_class, intensity=self.lever.intensity)

    def with_question(self, question: str) -> Perturbation:
        return self.perturbation.model_copy(update={"question": question})

    def with_passage(self, index: int, text: str) -> Perturbation:
        changed = {c.index: c.text for c in self.perturbation.changed} | {index: text}
        return self.perturbation.model_copy(
            update={"changed": tuple(ChangedPassage(index=i, text=t) for i, t in sorted(changed.items()))}
        )

    def text(self, index: int) -> str:
        """Return the perturbed text of a passage."""
        return self.perturbation.passages(self.base)[index].text


@lru_cache(maxsize=1)
def good_instances() -> tuple[Good, ...]:
    found = []
    for lever in load_catalogue():
        for example in lever.examples:
            good = Good(*example_as_instance(example, lever), lever)
            if not failures(check(good.base, good.perturbation, lever, good.stratum)):
                found.append(good)
    return tuple(found)
