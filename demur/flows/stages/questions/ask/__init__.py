"""The stage ask lets a model write questions about passages, with answers and the sentences that prove the answers.

Code checks test every question before the prover is asked. If a question fails a check, the asker corrects it within
the same unit, at most `asking.repairs` times.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from demur.corpora.corpus import OwnQuestion, read_questions
from demur.engine.context import RoundContext
from demur.engine.models import InRole, ModelLoad, ModelUse, WithModels, YieldRates
from demur.engine.recordings import ReplyKey
from demur.engine.stage import Stage
from demur.engine.units import Plan, PlannedUnit, Rows, Unit, UnitWork, planned_unit
from demur.flows.stages.questions.sources import sources
from demur.flows.stages.volumes import passages_asked
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.checks.questions import CheckedQuestion, check_question
from demur.programs.document_questions import Asker, QuestionSource, ask, asker_prompts
from demur.programs.errors import ReplyError
from demur.programs.installation import checks_version
from demur.programs.model import Model
from demur.programs.signatures.document_questions import FaultyQuestion
from demur.text.language_detection import language_name
from demur.warehouse.transactions import Connection

FOLDER: Final = Path(__file__).parent
NAME: Final = "ask"
KEY: Final = ReplyKey(NAME, ("passages", "asked", "most"), "asker", drawn=("like_ids",))
ASKER: Final = InRole("asker")
MOST_EXAMPLES: Final = 5
"""The questions of people that the asker gets as examples of manner (`asking.like`)."""
OF_PASSAGES: Final = ("asker", "turn", "passage_ids")
"""Inputs that say of which passages a unit asks."""


def _plan_of(number: int) -> Plan:
    def plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
        (asker,) = ASKER.specs(context)
        asking = context.config.asking
        decisive = fingerprint(Asker(like=asking.like is not None)), checks_version(), asker.fingerprint
        examples = () if asking.like is None else read_questions(context.file(asking.like))
        for source in sources(context, con, number):
            inputs = {
                **source.inputs(),
                **_manner(context, source.turn, examples),
                "most": asking.questions,
                "repairs": asking.repairs,
                "asker": asker.name,
            }
            yield planned_unit(context, NAME, OF_PASSAGES, inputs, *decisive)

    return plan


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """Yield a unit for each passage or pair of passages about which the round may ask."""
    return _plan_of(context.config.asking.most_passages(context.config.bases))(context, con)


def _manner(context: RoundContext, turn: str, examples: Sequence[OwnQuestion]) -> dict[str, Any]:
    """Return a few examples for a unit, drawn by seed, with their lines as ids; empty without examples."""
    drawn = sorted(examples, key=lambda one: context.place("like", turn, one.question))[:MOST_EXAMPLES]
    if not drawn:
        return {}
    return {"like": [one.question for one in drawn], "like_ids": [f"line {one.line}" for one in drawn]}


@dataclass(frozen=True, slots=True)
class _Made:
    """The asker's questions about a passage.

    `questions` begins with the questions that pass all code checks. If it is empty, `declined` is the asker's reason.
    """

    questions: tuple[CheckedQuestion, ...]
    declined: str | None
    reasoning: str
    repairs: int


def _work(context: RoundContext, models: Mapping[str, Model]) -> UnitWork:
    program = Asker(like=context.config.asking.like is not None)

    async def work(unit: Unit) -> Rows:
        inputs = unit.inputs
        source = _source(inputs)
        made = await _made(program, models[inputs["asker"]], source, inputs["written_in"], inputs["repairs"])
        return {"questions": list(_rows(context, unit, made))}

    return work


def _source(inputs: Mapping[str, Any]) -> QuestionSource:
    code = inputs["written_in"]
    return QuestionSource(
        passages=tuple(inputs["passages"]),
        most=inputs["most"],
        language=None if code is None else language_name(code),
        document=inputs["document"],
        date=inputs["date"],
        asked=tuple(inputs["asked"]),
        like=tuple(inputs.get("like", ())),
    )


async def _made(program: Asker, model: Model, source: QuestionSource, language: str | None, repairs: int) -> _Made:
    first = await ask(program, model, source)
    checked = [check_question(asked, source.passages, language) for asked in first.questions]
    done = 0
    while done < repairs and (faulty := [one for one in checked if one.faults]):
        done += 1
        sound = [one for one in checked if not one.faults]
        mended = await _mended(program, model, source, sound, faulty)
        if not mended:
            break
        checked = [*sound, *(check_question(asked, source.passages, language) for asked in mended)]
    ordered = sorted(checked, key=lambda one: bool(one.faults))
    return _Made(tuple(ordered), first.declined, first.reasoning, done)


async def _mended(
    program: Asker,
    model: Model,
    source: QuestionSource,
    sound: Sequence[CheckedQuestion],
    faulty: Sequence[CheckedQuestion],
) -> Sequence[Any]:
    """Ask the asker to correct faulty questions, and return the corrected questions.

    Return () if the reply of the asker cannot be read.
    """
    earlier = [FaultyQuestion(asked=one.asked, faults=tuple(_described(one))) for one in faulty]
    kept = tuple(one.asked.question for one in sound)
    left = replace(source, most=len(faulty), asked=(*source.asked, *kept))
    try:
        return (await ask(program, model, left, earlier)).questions
    except ReplyError:
        return ()


def _described(one: CheckedQuestion) -> list[str]:
    return [f"{fault.check}: {fault.evidence}" for fault in one.faults]


def _rows(context: RoundContext, unit: Unit, made: _Made) -> Iterator[dict[str, object]]:
    """Yield a row for each question. If there is no question, yield one row with the status `declined`."""
    shared = {
        **unit.row(context.round_id, "asker", "turn", "passage_ids", "document_ids"),
        "language": unit.inputs["written_in"],
        "like_ids": unit.inputs.get("like_ids", []),
        "reasoning": made.reasoning,
        "repairs": made.repairs,
    }
    if not made.questions:
        declined: dict[str, object] = {
            "status": "declined",
            "reason": made.declined,
            "answers": [],
            "proof": [],
            "faults": [],
        }
        yield {**shared, "question_id": unit.made_id(OF_PASSAGES, 0), "number": 0, **declined}
    for number, one in enumerate(made.questions):
        checks = dict.fromkeys(fault.check.value for fault in one.faults)
        yield {
            **shared,
            "question_id": unit.made_id(OF_PASSAGES, number, one.asked.question),
            "number": number,
            "status": "rejected" if one.faults else "candidate",
            "reason": ", ".join(checks) or None,
            "faults": _described(one),
            "question": one.asked.question.strip() or None,
            "answers": list(one.answers),
            "kind": one.asked.kind.value,
            "proof": [asdict(span) for span in one.proof],
        }


def _loads(context: RoundContext, rates: YieldRates) -> Iterator[ModelLoad]:
    for load in ASKER.loads(context, passages_asked(context, rates), asker_prompts):
        yield replace(load, units=load.units * (1 + rates.mended * context.config.asking.repairs))


_OPEN: Final = WithModels(_work, (ASKER,))
ASK: Final = Stage(NAME, "questions", FOLDER, _plan, _OPEN, ModelUse(_OPEN.models, _loads, KEY))


def asking_wave(number: int) -> Stage:
    """Return the stage `ask`, restricted to the first `number` passages in the round's seeded order."""
    return replace(ASK, plan=_plan_of(number))
