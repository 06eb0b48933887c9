"""Typed values that programs take and give: passages, base instances, perturbations.

All are frozen pydantic models because they cross the border to a language model.
"""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from demur.levers.vocabulary import ENGLISH, Intensity, Layout, LeverClass, QuestionKind


class Frozen(BaseModel):
    """Base of all values that cross the border to a model: immutable, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Passage(Frozen):
    """One passage of a context, at its position from 0.

    `relevant` is True for a signal passage (it bears on the answer) and False for a noise passage.
    """

    index: int = Field(ge=0)
    text: str
    relevant: bool


class CitedPassage(Frozen):
    """A passage as judges, writers and graders see it: with its number from 1, by which responses cite it."""

    number: int = Field(ge=1)
    text: str
    relevant: bool


def cited(passages: Sequence[Passage]) -> tuple[CitedPassage, ...]:
    """Return passages by the numbers that respondents see."""
    numbered = enumerate(passages, start=1)
    return tuple(CitedPassage(number=number, text=p.text, relevant=p.relevant) for number, p in numbered)


class ChangedPassage(Frozen):
    """The new text of the passage at `index`; unchanged passages are not listed."""

    index: int = Field(ge=0)
    text: str


class BaseInstance(Frozen):
    """An answerable question with its accepted answers and its passages, in corpus order.

    `language` is the code of ISO 639-1; texts whose language is not known count as English.
    """

    question: str
    answers: tuple[str, ...] = Field(min_length=1)
    passages: tuple[Passage, ...] = Field(min_length=1)
    language: str = ENGLISH

    @property
    def layout(self) -> Layout:
        """SINGLE for one passage, MULTI otherwise."""
        return Layout.SINGLE if len(self.passages) == 1 else Layout.MULTI


class Stratum(Frozen):
    """One of the 18 cells (class x intensity)."""

    lever_class: LeverClass
    intensity: Intensity


class Perturbation(Frozen):
    """A generator's result of pulling one lever on a base instance."""

    question: str
    changed: tuple[ChangedPassage, ...] = ()
    lever: str = Field(description="exact name of the lever")

    def passages(self, base: BaseInstance) -> tuple[Passage, ...]:
        """Return all passages of the perturbed instance: changed ones replaced, others as they were."""
        new = {change.index: change.text for change in self.changed}
        return tuple(Passage(index=p.index, text=new.get(p.index, p.text), relevant=p.relevant) for p in base.passages)


class AskedQuestion(Frozen):
    """A question with its accepted answers, the sentences that prove them, and its kind."""

    question: str
    answers: tuple[str, ...]
    proof: tuple[str, ...]
    kind: QuestionKind
