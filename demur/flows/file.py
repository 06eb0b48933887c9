"""The flow in which a model grades or judges the lines of a file: its request, its round, its results."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd

from demur.configuration.labels import FILE
from demur.configuration.models import chosen_model
from demur.configuration.settings import demur_home
from demur.engine.context import GivenFile, RoundContext, digest_of, loader_reading
from demur.engine.logs import observer
from demur.engine.models import skip_preflight
from demur.errors import FlowError
from demur.flows.evaluations.calibration import HumanLabel, agreements, keep_calibrations, read_labelled
from demur.flows.requested import requested_flow
from demur.flows.rounds.asking import asking_context, asking_row, check_asking
from demur.flows.rounds.session import finished_session
from demur.flows.stages.registry import run_stages, stages_of
from demur.flows.stages.responses.judge import JUDGE
from demur.flows.stages.rewards.grade import GRADE
from demur.levers.policies import load_policy
from demur.programs.options import FileKind, Grading
from demur.reports.score_provenance import judge_digest
from demur.rewards.completions import read_completions
from demur.rewards.gold import read_gold
from demur.rewards.graders import Grades
from demur.warehouse.home import Home
from demur.warehouse.releases.manifest import sha256
from demur.warehouse.statements import records

# The request to let a model grade or judge the lines of a file, and the context of the round that does this.


LONGEST_NAME: Final = 40
"""The largest number of characters of the file's name in the id of its round."""


@dataclass(frozen=True, slots=True)
class FileRequest:
    """A request to let a model grade or judge the lines of a file.

    The fields are the parameters of the flow.

    Attributes:
        kind: The kind of the lines. The model grades completions (`completions` or `gold`) and judges `responses`.
        path: The file.
        model: The grader or judge, such as openai:gpt-5.
        policy: For completions: the name of a shipped policy, or the path of a policy file.
        grading: For completions: with "propositions", one call asks about all propositions; with "one_by_one", each
            proposition has a call of its own.
        max_usd: The cost limit of the file's round in US dollars.
    """

    kind: str
    path: str
    model: str
    policy: str = "safety"
    grading: str = Grading.PROPOSITIONS
    max_usd: float | None = None

    def run_name(self, flow_name: str) -> str:
        """Return the name of a flow run: the file's name and the kind of the lines."""
        return f"{Path(self.path).name}/{self.kind}"


def file_context(home: Home, request: FileRequest) -> RoundContext:
    """Check the file, the model and the home, and return the context of the file's round.

    The id of the round has a hash of the file's name, the kind of its lines, the model with its settings, and for
    grading the policy. The content of the file is no part of the hash. If lines are corrected or added, the same
    command therefore continues the round, and only new texts are sent to the model.

    Raises:
        ConfigError: the model, its key or the home cannot be used.
        FlowError: the file cannot be read, or a line is malformed.
    """
    kind = FileKind(request.kind)
    path = Path(request.path)
    spec = chosen_model(request.model, ())
    grading = Grading(request.grading)
    who = [kind, path.name, spec.name, spec.fingerprint]
    if kind is FileKind.RESPONSES:
        lines = tuple(line.row(number) for number, line in read_labelled(path).items())
    else:
        policy = load_policy(request.policy)
        who += [policy.fingerprint, grading]
        read = read_gold(path, policy).rows if kind is FileKind.GOLD else read_completions(path, policy)
        lines = tuple(completion.row(policy) for completion in read)
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).strip(".-_")[:LONGEST_NAME] or "file"
    judged = kind is FileKind.RESPONSES
    given = GivenFile(path.name, sha256(path), (JUDGE if judged else GRADE).name, lines)
    context = asking_context(
        home,
        f"{stem}-{digest_of(*who)[:10]}",
        spec,
        "judge" if judged else "grader",
        policy=None if judged else request.policy,
        grading=grading,
        max_usd=request.max_usd,
        given=given,
    )
    check_asking(context)
    return context


# The flow in which a model grades or judges the lines of a file.


def work_on(request: FileRequest) -> str:
    """Run the flow and return the id of the round."""
    return str(work_on_file(**asdict(request)))


@requested_flow(FileRequest)
def work_on_file(request: FileRequest) -> str:
    """Let a model grade or judge the lines of a file, and return the id of the file's round."""
    context = file_context(demur_home(), request)
    with finished_session(context, asking_row(context, "file")):
        skip_preflight(context)
        assert context.file_given is not None
        stages = stages_of(context)
        units = float(len(context.file_given.lines))
        observer().expect({stage.name: 0.0 if stage.use is None else units for stage in stages}, request.max_usd)
        run_stages(context, *stages)
    return context.round_id


# Grades or judgements of the lines of a file, read from the file's round.


def grades_by_line(context: RoundContext) -> dict[int, Grades | str]:
    """Return, for each line number, either the grade of each proposition or the reason why there are no grades."""
    assert context.file_given is not None
    found: dict[int, Grades] = {}
    with loader_reading(context) as con:
        for row in records(con, "file_grades", [context.round_id]):
            found.setdefault(int(row["line"]), {})[str(row["proposition"])] = float(row["probability"])
    lines = [int(str(line["line"])) for line in context.file_given.lines]
    return {**found, **why_without(context, [number for number in lines if number not in found])}


def why_without(context: RoundContext, lines: Sequence[int]) -> dict[int, str]:
    """Return, for each of `lines` (line numbers), the reason why the model has not graded or judged the line."""
    assert context.file_given is not None
    if not lines:
        return {}
    stage = stages_of(context)[-1]
    with loader_reading(context) as con:
        payloads = [(unit.unit_id, json.loads(unit.payload)) for unit in stage.plan(context, con)]
        failures = {row["unit_id"]: row for row in records(con, "file_failures", [context.round_id, stage.name])}
    units = {inputs.get("subject_id") or inputs["response_id"]: unit_id for unit_id, inputs in payloads}
    subjects = {line["line"]: line["subject_id"] for line in context.file_given.lines}
    reasons = {number: failures.get(units[subjects[number]]) for number in lines}
    return {
        number: "it was not asked about" if row is None else " ".join(f"{row['reason']}: {row['detail']}".split())
        for number, row in reasons.items()
    }


# Agreement of a judge with people's labels of the responses in a file.


def calibrations_of(context: RoundContext, path: Path) -> list[dict[str, Any]]:
    """Compute the agreement of a judge with the labels in a file, store it in the warehouse, and return it.

    Raises:
        FlowError: a response was not judged.
    """
    assert context.file_given is not None
    lines = read_labelled(path)
    (spec,) = context.specs(context.config.roles.judges)
    with loader_reading(context) as con:
        judged = {row["line"]: row for row in records(con, "file_judgements", [context.round_id])}
    if missing := [number for number in lines if number not in judged]:
        why = why_without(context, missing)[missing[0]]
        raise FlowError(
            f"{path}:{missing[0]}: was not judged ({why}); {len(missing)} of {len(lines)} responses were not. The "
            "other judgements are kept: run the same command again for the missing ones"
        )
    frame = pd.DataFrame(
        {
            "item_id": str(number),
            "respondent": FILE,
            "replicate": 0,
            "source_id": line.source_id or digest_of(line.question),
            "judge": spec.name,
            "judge_digest": judge_digest(spec),
            "predicted": judged[number]["predicted"],
            "correct": judged[number]["correct"],
            "judged_by": judged[number]["judged_by"],
        }
        for number, line in lines.items()
    )
    labels = [
        HumanLabel(item_id=str(number), respondent=FILE, predicted=line.predicted, correct=line.correct)
        for number, line in lines.items()
    ]
    rows = list(agreements(frame, {label.response: label for label in labels}, path))
    return keep_calibrations(context.home, context.round_id, context.file_given.sha256, rows)
