"""The models of a lever catalogue: levers, their worked examples, catalogue files."""

from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from demur.levers.errors import FieldFault
from demur.levers.frames import Frame
from demur.levers.needs import Need
from demur.levers.vocabulary import (
    CLASS_SLUG,
    CLASS_TARGET,
    AnswerFate,
    Code,
    Intensity,
    LeverClass,
    Origin,
    Part,
    Target,
    expected_code,
)

VERIFIED: Final = frozenset({"keeps_subject", "disfluent"})
"""Fields of a lever for the rules verifier alone."""

LeverId = Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*$")]
LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Strict(BaseModel):
    """Base class of input from outside: immutable, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ExamplePassage(Strict):
    """A passage of a worked example; `relevant: false` marks noise."""

    text: Text
    relevant: bool = True


class ExampleChange(Strict):
    """The parts of an example that the lever changed."""

    question: Text | None = None
    passages: dict[int, Text] = Field(default_factory=dict, description="new text by passage index, from 0")

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.question is None and not self.passages:
            raise ValueError("an example must change the question, a passage, or both")
        return self


class Example(Strict):
    """A worked example: an answerable instance, and its change by the lever."""

    question: Text
    answers: Annotated[tuple[Text, ...], Field(min_length=1)]
    passages: Annotated[tuple[ExamplePassage, ...], Field(min_length=1)]
    change: ExampleChange
    expected: Code

    @model_validator(mode="after")
    def _indices_exist(self) -> Self:
        for index in self.change.passages:
            if not 0 <= index < len(self.passages):
                raise ValueError(
                    f"change.passages[{index}] does not exist; there are {len(self.passages)} passages, from 0"
                )
        return self


def _is_empty(value: object) -> bool:
    return not value


class LeverEntry(Strict):
    """One lever in a catalogue file; the file names the class once at its top."""

    id: LeverId
    name: Text
    intensity: Intensity
    origin: Origin
    target: Target
    answer: AnswerFate
    needs: tuple[Need, ...] = Field(default=(), description="required parts of a base instance", exclude_if=_is_empty)
    languages: tuple[LanguageCode, ...] = Field(
        default=(),
        description="languages (codes of ISO 639-1) in which the lever works; default: all",
        exclude_if=_is_empty,
    )
    keeps_subject: bool = Field(
        default=False, description="the changed question still names what the original asks about", exclude_if=_is_empty
    )
    disfluent: tuple[Part, ...] = Field(
        default=(),
        description="parts that are not whole sentences by design: a text that breaks off, a table, keywords",
        exclude_if=_is_empty,
    )
    withholds: bool = Field(
        default=False,
        description="code puts other passages in the place of those that answer, and the prover must find no answer",
        exclude_if=_is_empty,
    )
    instruction: Text
    examples: Annotated[tuple[Example, ...], Field(min_length=2)]
    tags: tuple[Text, ...] = ()
    recipe: Text | None = Field(
        default=None, description="name of the lever's rules recipe; without one, only models pull the lever"
    )
    frames: tuple[Frame, ...] = Field(
        default=(), description="texts with slots that the recipe fills", exclude_if=_is_empty
    )

    @model_validator(mode="after")
    def _frames_have_a_recipe(self) -> Self:
        if self.frames and self.recipe is None:
            raise ValueError("has frames but no recipe to fill them; name a recipe")
        return self


class Lever(LeverEntry):
    """A lever with its class: one way to plant one defect in an answerable instance."""

    lever_class: LeverClass

    @property
    def expected(self) -> Code:
        """The expected behaviour of respondents after pulling the lever."""
        return expected_code(self.lever_class, self.intensity)

    @model_validator(mode="after")
    def _agrees_with_class(self) -> Self:
        allowed = CLASS_TARGET[self.lever_class]
        narrower = {
            Target.QUERY_OR_CONTEXT: {Target.QUERY, Target.CONTEXT, Target.QUERY_OR_CONTEXT},
            Target.QUERY_AND_CONTEXT: {Target.QUERY, Target.CONTEXT, Target.QUERY_AND_CONTEXT},
        }.get(allowed, {allowed})
        if self.target not in narrower:
            names = ", ".join(sorted(narrower))
            raise FieldFault(("target",), f"'{self.target}' is not one of {names}, as {self.lever_class} requires")
        for number, part in enumerate(self.disfluent):
            if part not in self.target:
                raise FieldFault(("disfluent", number), f"'{part}' is not a part of the target '{self.target}'")
        if self.keeps_subject and Part.QUERY not in self.target:
            raise FieldFault(
                ("keeps_subject",), f"is only for levers that change the query, but target is '{self.target}'"
            )
        if self.withholds and (
            self.target is not Target.CONTEXT or self.answer is not AnswerFate.REMOVED or self.recipe
        ):
            raise FieldFault(("withholds",), "needs target: context and answer: removed, and no recipe")
        slug = CLASS_SLUG[self.lever_class]
        if self.id.partition(".")[0] != slug:
            raise FieldFault(("id",), f"'{self.id}' does not begin with '{slug}.', as ids of {self.lever_class} do")
        for number, example in enumerate(self.examples):
            if example.expected is not self.expected:
                raise FieldFault(
                    ("examples", number, "expected"),
                    f"'{example.expected}' must be '{self.expected}' for {self.lever_class} {self.intensity}",
                )
        return self


class CatalogueFile(Strict):
    """One YAML file of levers of one class."""

    lever_class: LeverClass = Field(alias="class")
    levers: Annotated[tuple[LeverEntry, ...], Field(min_length=1)]
