"""Grades or judgements of the lines of a file, read from the file's round."""

import json
from collections.abc import Sequence

from demur.engine.context import RoundContext, loader_reading
from demur.flows.stages.registry import stages_of
from demur.rewards.graders import Grades
from demur.warehouse.records import records


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
