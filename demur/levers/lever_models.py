"""The models of a lever catalogue: levers with needs, frames and worked examples, catalogue files, held-out levers."""

import hashlib
from enum import StrEnum
from string import Formatter
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, StringConstraints, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from demur.levers.explain import FieldFault
from demur.levers.vocabulary import (
    CLASS_SLUG,
    CLASS_TARGET,
    AnswerFate,
    Code,
    Intensity,
    Layout,
    LeverClass,
    Origin,
    Part,
    Target,
    expected_code,
)

# Needs of levers: required parts of a base instance.
#
# `programs.lever_needs` looks for these parts in texts. A generator must not invent such a part. For instance, a
# lever that deletes a colour needs a base instance with a colour.


class Need(StrEnum):
    """Required parts of a base instance. In the values, `passages` means the signal passages."""

    # what the answer is
    ANSWER_STATED = "answer stands in the passages"
    ANSWER_LATER = "words stand before the answer"
    ANSWER_DATE = "answer is a date"
    ANSWER_FIGURE = "answer is a figure"
    ANSWER_DATE_OR_FIGURE = "answer is a date or figure"
    ANSWER_MEASUREMENT = "answer is a measurement"
    ANSWER_SHARE = "answer is a share or count"
    ANSWER_DATE_OR_YEARLY = "answer is a date or a figure of a year"
    ANSWER_DEGREES = "answer is in degrees"
    ANSWER_YEARLY = "answer is a yearly figure"
    ANSWER_NAME = "answer is a name"
    ANSWER_CONTAINER = "answer is a place or period"
    ANSWER_LIST = "answer is a list"
    ANSWER_THING = "answer is a thing or person"
    ANSWER_RIVALLED = "passages have a second value of the answer's kind"

    # what the question asks for
    ASKS_CAUSE = "question asks for a cause or purpose"
    ASKS_METHOD = "question asks for a method"
    ASKS_NO_ACTOR = "question asks for neither actor nor place"
    ASKS_ACTOR = "question asks which party acted on another"
    ASKS_OUTCOME = "question asks for an outcome"
    ASKS_ORDER = "question depends on an order in time"
    ASKS_AGENT = "question asks who or what did something"
    ASKS_BENEFIT = "question asks for a use or benefit"
    ASKS_EFFECT = "question asks for an effect or harm"
    ASKS_COMPARISON = "question chooses among things with figures"
    ASKS_SAFETY = "question turns on safety or permission"
    ASKS_PLACE = "question is about where something is"
    ASKS_NO_DATE = "question asks for no date"

    # what the question is about
    SUBJECT_NAMED = "subject has a name"
    SUBJECT_VERSIONED = "subject has versions"
    SUBJECT_OFFERED = "subject is offered to the public"
    SUBJECT_PERSON = "question or answer names a person"
    SUBJECT_ORGANISM = "question speaks of an organism"
    SUBJECT_PLACE = "question names a place"

    # what stands in the passages
    SOMEBODY = "passages speak of somebody"
    PERSON = "passages name a person"
    PERSON_LIVING = "passages show a living person"
    NAME = "passages have a name"
    NAMES = "passages have two names"
    PEOPLE = "passages name two people"
    MEMBERS = "passages speak of each or several of a kind"
    PLACE = "passages name a place"
    SITE = "passages speak of a place or building"
    BODY = "passages name a body"
    FIGURE = "passages give a figure"
    FIGURES = "passages give several figures"
    EXACT_FIGURE = "passages give a figure that can be rounded"
    TIME = "passages give a date or a span of time"
    DAY = "passages give a day"
    MONEY = "passages give a sum of money"
    MONEY_OR_FIRM = "passages give a sum of money or a firm"
    CAUSE = "passages tell a cause and its effect"
    RULE = "passages state a rule"
    COMPONENT = "passages specify a component"
    MOMENT = "passages report a moment"
    SEVERAL_SENTENCES = "passages have several sentences"
    TABLE = "passages have a table"

    # what can be taken out of the passages
    SPARE_COLOUR = "passages have a spare colour"
    SPARE_ASIDE = "passages have a spare aside"
    SPARE_OPENER = "passages have a spare opening phrase"
    SPARE_SYNONYM = "passages have a spare second name"
    SPARE_PLACE = "passages have a spare place"
    SPARE_ACTOR = "passages have a spare actor"
    SPARE_SOURCE = "passages have a spare source"
    SPARE_FIGURE = "passages have a spare figure"
    SPARE_EXACT_FIGURE = "passages have a spare figure that can be rounded"
    SPARE_DAY = "passages have a spare day or month"
    SPARE_SENTENCE = "passages have a spare sentence"
    SPARE_ENDING = "passages have a spare ending"


# Frames: a lever's texts with slots, filled by its rules recipe.
#
# frames: - "is {topic} worth seeing" - {text: "would you read {topic} again", kinds: [book], style: terse}
#
# A frame without kinds fits all kinds, a frame without a style fits both styles, and a frame without a layout fits
# both layouts. The recipe documents the values of its slots. Loading a catalogue refuses unknown slots and kinds.


class Kind(StrEnum):
    """Kinds of values and of things with names. If a recipe cannot find out the kind, the recipe declines."""

    PERSON = "person"
    CITY = "city"
    STATE = "state"
    COUNTRY = "country"
    PLACE = "place"
    ORGANISATION = "organisation"
    BAND = "band"
    TEAM = "team"
    SCHOOL = "school"
    FILM = "film"
    SHOW = "show"
    BOOK = "book"
    SONG = "song"
    ALBUM = "album"
    GAME = "game"
    EVENT = "event"
    CHARACTER = "character"
    SITE = "site"
    RIVER = "river"
    LANGUAGE = "language"
    SPECIES = "species"
    YEAR = "year"
    DATE = "date"
    NUMBER = "number"
    MEASURE = "measure"
    MONEY = "money"
    PERCENT = "percent"
    ORDINAL = "ordinal"


class Style(StrEnum):
    """The styles of the rules lane: minimal, or as in a newspaper."""

    TERSE = "terse"
    ELABORATE = "elaborate"


class Slot(StrEnum):
    """Names of slots, which a frame has in braces. A recipe fills only some of these slots."""

    QUESTION = "question"
    TOPIC = "topic"
    NAME = "name"
    BARE = "bare"
    NOUNS = "nouns"
    EVENT = "event"
    WHEN_DID = "when_did"
    NEVER = "never"
    DEED = "deed"
    DID = "did"
    DO = "do"
    ANSWER = "answer"
    RIVAL = "rival"
    OTHER = "other"
    LIVING = "living"


def _slots_exist(text: str) -> str:
    try:
        names = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError as exc:
        raise ValueError(f"is not a text with slots in braces: {exc}") from None
    for name in names:
        if name not in list(Slot):
            raise ValueError(f"has the slot '{{{name}}}', which is not one of {', '.join(Slot)}")
    return text


class Frame(BaseModel):
    """A text with slots, and its kinds, style and layout."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    kinds: tuple[Kind, ...] = ()
    style: Style | None = None
    layout: Layout | None = None

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the schema of a frame: a text, or a mapping with the text and other fields."""
        return {"anyOf": [{"type": "string", "minLength": 1}, handler(schema)]}

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        return {"text": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _has_known_slots(self) -> Self:
        _slots_exist(self.text)
        return self

    @property
    def slots(self) -> frozenset[Slot]:
        """The slots in the text."""
        return frozenset(Slot(name) for _, name, _, _ in Formatter().parse(self.text) if name is not None)

    def fits(self, style: Style, layout: Layout, kind: Kind | None = None) -> bool:
        """Return whether the frame is for a style, a layout and a kind."""
        return self.style in (None, style) and self.layout in (None, layout) and (not self.kinds or kind in self.kinds)


# The models of a lever catalogue: levers, their worked examples, catalogue files.


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


# Levers excluded from training: about a quarter, the same in all rounds, releases and versions.


LEVER_SPLITS: Final = ("all", "train", "held_out")
"""Items of all levers, of levers for training, of held-out levers."""
_HELD_OUT_DIGITS: Final = "0123"
"""First digits of the MD5 digests of held-out levers' ids."""


def is_held_out(lever_id: str) -> bool:
    """Return whether a lever is excluded from training."""
    return hashlib.md5(lever_id.encode(), usedforsecurity=False).hexdigest()[0] in _HELD_OUT_DIGITS
