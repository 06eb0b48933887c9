"""Choice of levers that fit a base instance: the base instance has what the levers need.

A lever that lists languages fits only base instances in these languages. In English, code checks every need. In other
languages, code checks only needs that digits, marks, sentences or accepted answers show. All other needs are assumed to
be met.

The checks are approximate: a lever may seem to fit although it does not. Generators may therefore decline. If no lever
of a stratum fits a base instance, generators are offered all levers of the stratum that allow the language.
"""

import re
from collections.abc import Iterable
from typing import Final

from demur.levers.instances import BaseInstance
from demur.levers.models import Lever
from demur.levers.needs import Need
from demur.programs.lever_needs import found, spare, words
from demur.text import (
    AnswerType,
    ModifierKind,
    NameKind,
    WhWord,
    analyse,
)
from demur.text.support import TextPart, supports


def unmet(base: BaseInstance, lever: Lever) -> tuple[Need, ...]:
    """Return the needs of a lever that a base instance does not meet."""
    analysis = analyse(base)
    found = _FOUND if supports(base.language, TextPart.WORDS) else _FOUND_IN_ANY_LANGUAGE
    return tuple(need for need in lever.needs if need in found and not found[need](analysis))


def fitting(base: BaseInstance, levers: Iterable[Lever]) -> tuple[Lever, ...]:
    """Return the levers that fit a base instance, in order.

    If no lever fits, return all levers that allow the instance's language.
    """
    given = tuple(levers)
    own = tuple(lever for lever in given if not lever.languages or base.language in lever.languages) or given
    return tuple(lever for lever in own if not unmet(base, lever)) or own


_FOUND: Final[dict[Need, found.Found]] = {
    Need.ANSWER_STATED: lambda a: any(p.gives_answer for p in a.signal),
    Need.ANSWER_LATER: found.words_before_answer,
    Need.ANSWER_DATE: found.answer_is(*found.DATED),
    Need.ANSWER_FIGURE: found.answer_is(*found.FIGURES),
    Need.ANSWER_DATE_OR_FIGURE: found.answer_is(*found.DATED, *found.FIGURES),
    Need.ANSWER_MEASUREMENT: found.measured,
    Need.ANSWER_SHARE: lambda a: a.answer_type is AnswerType.NUMBER and not found.measured(a),
    Need.ANSWER_DATE_OR_YEARLY: found.dated_figure,
    Need.ANSWER_DEGREES: found.answer_says(words.DEGREES),
    Need.ANSWER_YEARLY: found.answer_says(words.YEARLY),
    Need.ANSWER_NAME: lambda a: found.thing(a) and (a.answer_type in found.NAMES or found.has_capital(a.base.answers)),
    Need.ANSWER_CONTAINER: lambda a: (
        a.answer_type in (AnswerType.PLACE, *found.DATED) or a.question.wh in (WhWord.WHERE, WhWord.WHEN)
    ),
    Need.ANSWER_LIST: lambda a: found.thing(a) and re.search(r",|;|\band\b", a.answer) is not None,
    Need.ANSWER_THING: found.thing,
    Need.ANSWER_RIVALLED: found.rivalled,
    Need.ASKS_CAUSE: found.asked(words.CAUSE_ASKED),
    Need.ASKS_METHOD: found.asked(words.METHOD_ASKED),
    Need.ASKS_NO_ACTOR: lambda a: (
        not (
            found.actor_asked(a)
            or (a.question.wh in found.WHO and not found.asked(words.PATIENT_ASKED)(a))
            or _FOUND[Need.ANSWER_CONTAINER](a)
        )
    ),
    Need.ASKS_ACTOR: lambda a: found.agent(a) and found.party_asked_about(a),
    Need.ASKS_OUTCOME: found.asked(words.OUTCOME_ASKED),
    Need.ASKS_ORDER: found.asked(words.ORDER_ASKED),
    Need.ASKS_AGENT: lambda a: found.agent(a) and found.actor_asked(a),
    Need.ASKS_BENEFIT: lambda a: found.thing(a) and found.asked(words.BENEFIT_ASKED)(a),
    Need.ASKS_EFFECT: lambda a: found.thing(a) and found.asked(words.EFFECT_ASKED)(a),
    Need.ASKS_COMPARISON: lambda a: found.thing(a) and sum(len(p.dates) for p in a.signal) + len(found.figures(a)) >= 2,
    Need.ASKS_SAFETY: found.asked(words.SAFETY_ASKED),
    Need.ASKS_PLACE: lambda a: a.answer_type is AnswerType.PLACE or found.asked(words.PLACE_ASKED)(a),
    Need.ASKS_NO_DATE: lambda a: a.answer_type not in found.DATED and a.question.wh is not WhWord.WHEN,
    Need.SUBJECT_NAMED: lambda a: a.topic is not None,
    Need.SUBJECT_VERSIONED: found.subject(words.WORKS),
    Need.SUBJECT_OFFERED: found.subject(words.OFFERED),
    Need.SUBJECT_PERSON: found.person_asked_about,
    Need.SUBJECT_ORGANISM: found.organism,
    Need.SUBJECT_PLACE: found.place_asked_about,
    Need.SOMEBODY: lambda a: bool(found.people(a)) or found.mentioned(words.SOMEBODY)(a),
    Need.PERSON: lambda a: bool(found.people(a)),
    Need.PERSON_LIVING: found.living,
    Need.NAME: found.named(),
    Need.NAMES: lambda a: len({name.norm for name in found.names(a)}) >= 2,
    Need.PEOPLE: lambda a: len(found.people(a)) >= 2,
    Need.MEMBERS: found.mentioned(words.MEMBERS),
    Need.PLACE: lambda a: bool(found.places(a)),
    Need.SITE: lambda a: bool(found.places(a)) or found.mentioned(words.SITE)(a),
    Need.BODY: lambda a: any(found.bodies(a)) or found.mentioned(words.BODY)(a),
    Need.FIGURE: lambda a: bool(found.figures(a)),
    Need.FIGURES: lambda a: len({number.value for number in found.figures(a)}) >= 2,
    Need.EXACT_FIGURE: found.roundable(),
    Need.TIME: lambda a: any(p.dates for p in a.signal) or found.mentioned(words.SPAN)(a),
    Need.DAY: found.day,
    Need.MONEY: found.money,
    Need.MONEY_OR_FIRM: lambda a: found.money(a) or found.mentioned(words.FIRM)(a),
    Need.CAUSE: found.mentioned(words.CAUSE),
    Need.RULE: found.mentioned(words.RULE),
    Need.COMPONENT: found.mentioned(words.COMPONENT),
    Need.MOMENT: found.mentioned(words.MOMENT),
    Need.SEVERAL_SENTENCES: lambda a: len(a.main.sentences) >= found.LEAST_PARTS,
    Need.TABLE: lambda a: any(found.TABLE.search(p.text) for p in a.signal),
    Need.SPARE_COLOUR: spare.colour,
    Need.SPARE_ASIDE: spare.removable(ModifierKind.PARENTHETICAL),
    Need.SPARE_OPENER: spare.removable(ModifierKind.OPENER),
    Need.SPARE_SYNONYM: lambda a: (
        found.mentioned(words.SYNONYM)(a) or any(found.BRACKETS.search(p.text) for p in a.signal)
    ),
    Need.SPARE_PLACE: lambda a: spare.named(a, NameKind.PLACE),
    Need.SPARE_ACTOR: spare.actor,
    Need.SPARE_SOURCE: found.mentioned(words.SOURCE),
    Need.SPARE_FIGURE: lambda a: bool(found.figures(a, spare=True)),
    Need.SPARE_EXACT_FIGURE: found.roundable(spare=True),
    Need.SPARE_DAY: spare.day,
    Need.SPARE_SENTENCE: lambda a: any(a.peripheral_sentences(p) for p in a.signal),
    Need.SPARE_ENDING: spare.ending,
}

_FOUND_IN_ANY_LANGUAGE: Final[dict[Need, found.Found]] = {
    **{need: _FOUND[need] for need in (Need.ANSWER_STATED, Need.SEVERAL_SENTENCES, Need.TABLE)},
    Need.ANSWER_FIGURE: found.has_digit,
    Need.ANSWER_DATE_OR_FIGURE: found.has_digit,
    Need.ANSWER_MEASUREMENT: found.has_digit,
    Need.ANSWER_SHARE: found.has_digit,
    Need.ANSWER_THING: found.no_figure,
    Need.ANSWER_NAME: found.no_figure,
    Need.ANSWER_LATER: found.text_before_answer,
    Need.FIGURE: found.digits(1),
    Need.FIGURES: found.digits(2),
    Need.EXACT_FIGURE: found.digits(1),
    Need.MONEY: found.digits(1),
    Need.SPARE_FIGURE: found.digits(1, spare=True),
    Need.SPARE_EXACT_FIGURE: found.digits(1, spare=True),
    Need.SPARE_ASIDE: found.has_aside,
}
"""Needs that show in digits, marks, sentences and accepted answers.

Figures may be dates, and figures written in words are not found.
"""
