"""Frames: a lever's texts with slots, filled by its rules recipe.

    frames:
      - "is {topic} worth seeing"
      - {text: "would you read {topic} again", kinds: [book], style: terse}

A frame without kinds fits all kinds, a frame without a style fits both styles, and a frame without a layout fits both
layouts. The recipe documents the values of its slots. Loading a catalogue refuses unknown slots and kinds.
"""

from enum import StrEnum
from string import Formatter
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, StringConstraints, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from demur.levers.vocabulary import Layout


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
