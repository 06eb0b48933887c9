"""Responses of a file, with people's labels, judged outside a round: how far a judge agrees with these people."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any, Final

import pandas as pd
from pydantic import Field, ValidationError

from demur.configuration.roles import serves
from demur.configuration.settings import keys_of
from demur.engine.call_file import CallFile
from demur.engine.context import digest_of
from demur.errors import CapReachedError, ConfigError, FlowError
from demur.flows.evaluations.calibration import HumanLabel, agreements, keep_calibrations
from demur.lanes.factory import open_models
from demur.lanes.optimiser_engine import BudgetSpent, RequestBudget
from demur.lanes.spec import ModelSpec
from demur.levers.instances import Passage
from demur.levers.models import Strict
from demur.programs.errors import ProgramError
from demur.programs.journal import CallScope, call_scope
from demur.programs.judge import Judge, Judgement, judge
from demur.programs.model import Model
from demur.reports.content.evaluations import judge_digest
from demur.rewards.jsonl import read_lines
from demur.rewards.lane_grading import answers_of
from demur.warehouse.home import Home
from demur.warehouse.rounds import RoundRow

ROLE: Final = "judge"
FILE: Final = "file"
SHAPE: Final = (
    'A line is {"question", "passages": ["..."], "answers": ["..."], "response", "predicted"}, without answers where '
    'it should be refused, with "correct" for answers and "source_id" where several lines have one source question'
)


class FilePassage(Strict):
    """A passage that is relevant to the question, or noise."""

    text: str = Field(min_length=1)
    relevant: bool = True


class LabelledResponse(Strict):
    """A response with what it answers, and what people say of it: a line of the file."""

    question: str = Field(min_length=1)
    passages: tuple[str | FilePassage, ...] = Field(min_length=1)
    answers: tuple[str, ...] = ()
    response: str
    predicted: str
    correct: bool | None = None
    source_id: str | None = Field(default=None, min_length=1)

    def shown(self) -> tuple[Passage, ...]:
        """Return the passages as judges are shown them."""
        found = (FilePassage(text=one) if isinstance(one, str) else one for one in self.passages)
        return tuple(Passage(index=at, text=one.text, relevant=one.relevant) for at, one in enumerate(found))


def calibrate_on_file(home: Home, path: Path, spec: ModelSpec, most_usd: float | None = None) -> list[dict[str, Any]]:
    """Return how far a judge agrees with the labels of a file whose responses it judges now; kept for the judge.

    Its replies are recorded: the same call goes on after an interruption and asks nothing twice.

    Raises:
        ConfigError: the model is no judge, or its key is missing.
        FlowError: the file cannot be read, a line is malformed, or responses could not be judged.
        CapReachedError: `most_usd` was spent; the same call with more goes on.
    """
    if not serves(spec, ROLE):
        raise ConfigError(f"--model '{spec.name}' is {spec.model}, rules for another role than {ROLE}")
    digest, rows_of_file = read_lines(LabelledResponse, path, SHAPE)
    lines = {str(number): row for number, row in rows_of_file}
    labels = {number: _label(path, number, row) for number, row in lines.items()}
    judged = _judged(home, path, lines, spec, most_usd)
    frame = pd.DataFrame(
        {
            "item_id": number,
            "respondent": FILE,
            "replicate": 0,
            "source_id": lines[number].source_id or digest_of(lines[number].question),
            "judge": spec.name,
            "judge_digest": judge_digest(spec),
            "predicted": found.predicted,
            "correct": found.correct,
        }
        for number, found in judged.items()
    )
    round_id = f"calibration-{digest_of(digest, judge_digest(spec))[:10]}"
    rows = list(agreements(frame, {label.response: label for label in labels.values()}, path))
    return keep_calibrations(home, round_id, digest, rows, _round(round_id, path, digest, spec))


def _label(path: Path, number: str, row: LabelledResponse) -> HumanLabel:
    try:
        return HumanLabel(item_id=number, respondent=FILE, predicted=row.predicted, correct=row.correct)
    except ValidationError as exc:
        why = str(exc.errors()[0]["msg"]).removeprefix("Value error, ")
        raise FlowError(f"{path}:{number}: predicted: {why}. {SHAPE}") from exc


def _judged(
    home: Home, path: Path, lines: dict[str, LabelledResponse], spec: ModelSpec, most_usd: float | None
) -> dict[str, Judgement]:
    digest = judge_digest(spec)
    budget = None if most_usd is None else RequestBudget(2**62, most_usd)

    async def one(calls: CallFile, model: Model, row: LabelledResponse) -> Judgement:
        unit = digest_of(digest, row.question, row.answers, row.response, [one.model_dump() for one in row.shown()])
        with call_scope(CallScope("judge", "calibrate", unit, calls, calls.of_unit(unit), budget=budget)):
            return await judge(Judge(), model, row.question, row.answers, row.response, row.shown())

    async def run(calls: CallFile) -> list[Judgement | ProgramError]:
        async with open_models([spec], ROLE, keys_of([spec])) as models:
            return await answers_of(spec, [partial(one, calls, models[spec.name], row) for row in lines.values()])

    try:
        with CallFile(home.root / "graded" / f"judge-{digest}.calls.jsonl") as calls:
            found = dict(zip(lines, asyncio.run(run(calls)), strict=True))
    except BudgetSpent as exc:
        raise CapReachedError(f"{exc}; what was judged is kept: the same command with more goes on", 0.0) from exc
    failed = {number: each for number, each in found.items() if isinstance(each, ProgramError)}
    if failed:
        number, why = next(iter(failed.items()))
        raise FlowError(
            f"{path}:{number}: was not judged ({why}); {len(failed)} of {len(found)} responses were not. The "
            "others are kept: the same command asks for these alone"
        )
    return {number: each for number, each in found.items() if isinstance(each, Judgement)}


def _round(round_id: str, path: Path, digest: str, spec: ModelSpec) -> RoundRow:
    """Return the row under which a calibration without a round stands: imported, without responses."""
    config = {"imported": {path.name: digest}, "judge": f"{spec.provider}:{spec.model}"}
    return RoundRow(
        round_id=round_id,
        name="calibration",
        seed=0,
        layout="single",
        bases_wanted=0,
        judges=(spec.name,),
        config=config,
        config_digest=digest_of(config)[:16],
    )
