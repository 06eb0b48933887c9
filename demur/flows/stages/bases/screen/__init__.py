"""The stage screen asks screeners the base instances. A base instance is perturbed only if all answer it correctly.

A unit asks one screener for an answer, and the first judge of the round for a judgement of this answer. The answers are
not used again: respondents are asked the controls anew.

With `corpus.answers: proved`, passages need not state the answer of a base instance. Each screener must then derive it
from the passages, twice, and quote what it uses. Code finds the quotes in the passages. The judge says whether the
derived answer is an accepted answer, and whether the passages support the accepted answer.

Where accepted answers are common words, such as "they" or "the court", the screener also says whether they can serve.
If they cannot, the base instance is not solved.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from demur.corpora.corpus_rows import Acceptance, AnswersBy, CorpusPassage
from demur.corpora.row_formats import acceptance_of
from demur.engine.context import RoundContext
from demur.engine.models import FIRST_JUDGE, InRole, ModelLoad, ModelUse, WithModels, YieldRates
from demur.engine.recordings import BASE, ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.lanes.spec import ModelSpec
from demur.levers.instances import BaseInstance, base_of, language_of, passage_records, without_english
from demur.levers.vocabulary import ATTEMPT
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.checks.changes import are_common_words
from demur.programs.document_questions import (
    DerivationJudge,
    Deriver,
    derivation_judge_prompts,
    derive,
    deriver_prompts,
    is_proved,
)
from demur.programs.installation import checks_version
from demur.programs.judge import Judge, judge, judge_prompts
from demur.programs.language_variants import fingerprint_in
from demur.programs.model import Model
from demur.programs.respondent import AnswerReviewer, Respondent, answer_doubt, respond, respondent_prompts
from demur.warehouse.statements import records
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "screen"
KEY: Final = ReplyKey(NAME, BASE, "screener")
SCREENERS: Final = InRole("screener")
TIMES_PROVED: Final = 2
"""How often each screener answers a question whose answer it must prove: once could be a lucky guess. The view
`solved_bases` knows this number."""
REPEATED: Final = "#"
"""The mark before the number of a repeated answer, as in labels of repeated judgements."""
REVIEWED: Final = 0.1
"""Assumed share of base instances whose accepted answers are common words: 44 of 431 of two public sets."""
_REVIEWER: Final = AnswerReviewer()


def _programs(context: RoundContext) -> tuple[Respondent, Judge]:
    return Respondent(context.config.response_prompts[0]), Judge(plain=context.config.is_plain)


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    (first_judge,) = FIRST_JUDGE.specs(context)
    for base in records(con, FOLDER / "plan.sql", [context.round_id]):
        times = TIMES_PROVED if _is_to_prove(context, base) else 1
        if times > 1:
            programs = [fingerprint(Deriver()), fingerprint(DerivationJudge()), checks_version()]
        else:
            programs = [fingerprint_in(program, language_of(base)) for program in _programs(context)]
        for screener in SCREENERS.specs(context):
            reviewing = [fingerprint(_REVIEWER)] if _is_reviewed(base, screener) else []
            for number in range(1, times + 1):
                inputs = {
                    **without_english(base),
                    "passages": passage_records(base["passages"]),
                    "screener": screener.name if times == 1 else f"{screener.name}{REPEATED}{number}",
                }
                decisive = (*programs, *reviewing, screener.fingerprint, first_judge.fingerprint)
                yield planned_unit(context, NAME, ("base_id", "screener"), inputs, *decisive)


def _is_reviewed(base: Mapping[str, Any], screener: ModelSpec) -> bool:
    """Return whether a screener says if the accepted answers can serve. Rules cannot tell."""
    return not screener.lane.by_rule and are_common_words(base["answers"])


def _is_to_prove(context: RoundContext, base: Mapping[str, Any]) -> bool:
    """Return whether screeners must prove the answer of a base instance, because its passages do not state it."""
    config = context.config
    if config.documents is not None or config.questions.answers is not AnswersBy.PROVED:
        return False
    passages = tuple(CorpusPassage(one["text"], one["relevant"]) for one in base["passages"])
    found, _ = acceptance_of(tuple(base["answers"]), passages, base["language"], may_be_proved=True)
    return found is Acceptance.PROVED


def _work(context: RoundContext, screeners: Mapping[str, Model], judges: Mapping[str, Model]) -> UnitWork:
    answering, judging = _programs(context)
    deriving, comparing = Deriver(), DerivationJudge()
    (judge_model,) = judges.values()
    specs = {spec.name: spec for spec in SCREENERS.specs(context)}

    async def answered(screener: Model, base: BaseInstance) -> dict[str, object]:
        response = await respond(answering, screener, base.question, base.passages, base.language)
        judged = await judge(
            judging, judge_model, base.question, base.answers, response.text, base.passages, base.language
        )
        return {"response": response.text, "predicted": judged.predicted, "correct": bool(judged.correct)}

    async def proved(screener: Model, base: BaseInstance) -> dict[str, object]:
        found = await derive(deriving, screener, base.question, base.passages)
        predicted = found.predicted(base.passages)
        correct = predicted == ATTEMPT and await is_proved(
            comparing, judge_model, base.question, base.answers, found, base.passages
        )
        return {"response": found.answer, "predicted": predicted, "correct": correct}

    async def work(unit: Unit) -> Rows:
        base = base_of(unit.inputs)
        name, repeated, _ = unit.inputs["screener"].partition(REPEATED)
        screener = screeners[name]
        said = await (proved if repeated else answered)(screener, base)
        doubt = None
        if said["correct"] and _is_reviewed(unit.inputs, specs[name]):
            doubt = await answer_doubt(_REVIEWER, screener, base)
        if doubt is not None:
            said["correct"] = False
        said["doubt"] = None if doubt is None else doubt.value
        return {"screenings": [{**unit.row(context.round_id, "base_id", "screener"), **said}]}

    return work


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    bases = context.config.bases / rates.solved
    answering, judging = respondent_prompts, judge_prompts
    if context.config.documents is None and context.config.questions.answers is AnswersBy.PROVED:
        bases *= TIMES_PROVED  # at most: passages state some of the answers
        answering, judging = deriver_prompts, derivation_judge_prompts
    for load in SCREENERS.loads(context, bases, answering):
        if load.spec.lane.by_rule:
            yield load
        else:  # a review has the question, answers and passages of the screening, and thus about its length
            yield replace(load, units=load.units * (1 + REVIEWED))
    yield from FIRST_JUDGE.loads(context, bases * len(SCREENERS.names(context)), judging)


_OPEN: Final = WithModels(_work, (SCREENERS, FIRST_JUDGE))
SCREEN: Final = Stage(NAME, "screenings", FOLDER, _plan, _OPEN, ModelUse(_OPEN.models, _loads, KEY))
