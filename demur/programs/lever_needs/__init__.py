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
from demur.levers.lever_models import Lever, Need
from demur.programs.lever_needs import predicates
from demur.text import (
    AnswerType,
    ModifierKind,
    NameKind,
    WhWord,
    analyse,
)
from demur.text.language_detection import TextPart, supports


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


_FOUND: Final[dict[Need, predicates.Found]] = {
    Need.ANSWER_STATED: lambda a: any(p.gives_answer for p in a.signal),
    Need.ANSWER_LATER: predicates.words_before_answer,
    Need.ANSWER_DATE: predicates.answer_is(*predicates.DATED),
    Need.ANSWER_FIGURE: predicates.answer_is(*predicates.FIGURES),
    Need.ANSWER_DATE_OR_FIGURE: predicates.answer_is(*predicates.DATED, *predicates.FIGURES),
    Need.ANSWER_MEASUREMENT: predicates.measured,
    Need.ANSWER_SHARE: lambda a: a.answer_type is AnswerType.NUMBER and not predicates.measured(a),
    Need.ANSWER_DATE_OR_YEARLY: predicates.dated_figure,
    Need.ANSWER_DEGREES: predicates.answer_says(predicates.DEGREES),
    Need.ANSWER_YEARLY: predicates.answer_says(predicates.YEARLY),
    Need.ANSWER_NAME: lambda a: (
        predicates.thing(a) and (a.answer_type in predicates.NAMES or predicates.has_capital(a.base.answers))
    ),
    Need.ANSWER_CONTAINER: lambda a: (
        a.answer_type in (AnswerType.PLACE, *predicates.DATED) or a.question.wh in (WhWord.WHERE, WhWord.WHEN)
    ),
    Need.ANSWER_LIST: lambda a: predicates.thing(a) and re.search(r",|;|\band\b", a.answer) is not None,
    Need.ANSWER_THING: predicates.thing,
    Need.ANSWER_RIVALLED: predicates.rivalled,
    Need.ASKS_CAUSE: predicates.asked(predicates.CAUSE_ASKED),
    Need.ASKS_METHOD: predicates.asked(predicates.METHOD_ASKED),
    Need.ASKS_NO_ACTOR: lambda a: (
        not (
            predicates.actor_asked(a)
            or (a.question.wh in predicates.WHO and not predicates.asked(predicates.PATIENT_ASKED)(a))
            or _FOUND[Need.ANSWER_CONTAINER](a)
        )
    ),
    Need.ASKS_ACTOR: lambda a: predicates.agent(a) and predicates.party_asked_about(a),
    Need.ASKS_OUTCOME: predicates.asked(predicates.OUTCOME_ASKED),
    Need.ASKS_ORDER: predicates.asked(predicates.ORDER_ASKED),
    Need.ASKS_AGENT: lambda a: predicates.agent(a) and predicates.actor_asked(a),
    Need.ASKS_BENEFIT: lambda a: predicates.thing(a) and predicates.asked(predicates.BENEFIT_ASKED)(a),
    Need.ASKS_EFFECT: lambda a: predicates.thing(a) and predicates.asked(predicates.EFFECT_ASKED)(a),
    Need.ASKS_COMPARISON: lambda a: (
        predicates.thing(a) and sum(len(p.dates) for p in a.signal) + len(predicates.figures(a)) >= 2
    ),
    Need.ASKS_SAFETY: predicates.asked(predicates.SAFETY_ASKED),
    Need.ASKS_PLACE: lambda a: a.answer_type is AnswerType.PLACE or predicates.asked(predicates.PLACE_ASKED)(a),
    Need.ASKS_NO_DATE: lambda a: a.answer_type not in predicates.DATED and a.question.wh is not WhWord.WHEN,
    Need.SUBJECT_NAMED: lambda a: a.topic is not None,
    Need.SUBJECT_VERSIONED: predicates.subject(predicates.WORKS),
    Need.SUBJECT_OFFERED: predicates.subject(predicates.OFFERED),
    Need.SUBJECT_PERSON: predicates.person_asked_about,
    Need.SUBJECT_ORGANISM: predicates.organism,
    Need.SUBJECT_PLACE: predicates.place_asked_about,
    Need.SOMEBODY: lambda a: bool(predicates.people(a)) or predicates.mentioned(predicates.SOMEBODY)(a),
    Need.PERSON: lambda a: bool(predicates.people(a)),
    Need.PERSON_LIVING: predicates.living,
    Need.NAME: predicates.named(),
    Need.NAMES: lambda a: len({name.norm for name in predicates.names(a)}) >= 2,
    Need.PEOPLE: lambda a: len(predicates.people(a)) >= 2,
    Need.MEMBERS: predicates.mentioned(predicates.MEMBERS),
    Need.PLACE: lambda a: bool(predicates.places(a)),
    Need.SITE: lambda a: bool(predicates.places(a)) or predicates.mentioned(predicates.SITE)(a),
    Need.BODY: lambda a: any(predicates.bodies(a)) or predicates.mentioned(predicates.BODY)(a),
    Need.FIGURE: lambda a: bool(predicates.figures(a)),
    Need.FIGURES: lambda a: len({number.value for number in predicates.figures(a)}) >= 2,
    Need.EXACT_FIGURE: predicates.roundable(),
    Need.TIME: lambda a: any(p.dates for p in a.signal) or predicates.mentioned(predicates.SPAN)(a),
    Need.DAY: predicates.day,
    Need.MONEY: predicates.money,
    Need.MONEY_OR_FIRM: lambda a: predicates.money(a) or predicates.mentioned(predicates.FIRM)(a),
    Need.CAUSE: predicates.mentioned(predicates.CAUSE),
    Need.RULE: predicates.mentioned(predicates.RULE),
    Need.COMPONENT: predicates.mentioned(predicates.COMPONENT),
    Need.MOMENT: predicates.mentioned(predicates.MOMENT),
    Need.SEVERAL_SENTENCES: lambda a: len(a.main.sentences) >= predicates.LEAST_PARTS,
    Need.TABLE: lambda a: any(predicates.TABLE.search(p.text) for p in a.signal),
    Need.SPARE_COLOUR: predicates.spare_colour,
    Need.SPARE_ASIDE: predicates.removable(ModifierKind.PARENTHETICAL),
    Need.SPARE_OPENER: predicates.removable(ModifierKind.OPENER),
    Need.SPARE_SYNONYM: lambda a: (
        predicates.mentioned(predicates.SYNONYM)(a) or any(predicates.BRACKETS.search(p.text) for p in a.signal)
    ),
    Need.SPARE_PLACE: lambda a: predicates.has_spare_name(a, NameKind.PLACE),
    Need.SPARE_ACTOR: predicates.spare_actor,
    Need.SPARE_SOURCE: predicates.mentioned(predicates.SOURCE),
    Need.SPARE_FIGURE: lambda a: bool(predicates.figures(a, spare=True)),
    Need.SPARE_EXACT_FIGURE: predicates.roundable(spare=True),
    Need.SPARE_DAY: predicates.spare_day,
    Need.SPARE_SENTENCE: lambda a: any(a.peripheral_sentences(p) for p in a.signal),
    Need.SPARE_ENDING: predicates.spare_ending,
}

_FOUND_IN_ANY_LANGUAGE: Final[dict[Need, predicates.Found]] = {
    **{need: _FOUND[need] for need in (Need.ANSWER_STATED, Need.SEVERAL_SENTENCES, Need.TABLE)},
    Need.ANSWER_FIGURE: predicates.has_digit,
    Need.ANSWER_DATE_OR_FIGURE: predicates.has_digit,
    Need.ANSWER_MEASUREMENT: predicates.has_digit,
    Need.ANSWER_SHARE: predicates.has_digit,
    Need.ANSWER_THING: predicates.no_figure,
    Need.ANSWER_NAME: predicates.no_figure,
    Need.ANSWER_LATER: predicates.text_before_answer,
    Need.FIGURE: predicates.digits(1),
    Need.FIGURES: predicates.digits(2),
    Need.EXACT_FIGURE: predicates.digits(1),
    Need.MONEY: predicates.digits(1),
    Need.SPARE_FIGURE: predicates.digits(1, spare=True),
    Need.SPARE_EXACT_FIGURE: predicates.digits(1, spare=True),
    Need.SPARE_ASIDE: predicates.has_aside,
}
"""Needs that show in digits, marks, sentences and accepted answers.

Figures may be dates, and figures written in words are not found.
"""
