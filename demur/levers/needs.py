"""Needs of levers: required parts of a base instance.

`programs.lever_needs` looks for these parts in texts. A generator must not invent such a part. For instance, a lever
that deletes a colour needs a base instance with a colour.
"""

from enum import StrEnum


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
