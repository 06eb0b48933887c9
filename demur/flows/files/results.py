"""What a model said of the lines of a file, read from the round of the file."""

import json
from collections.abc import Sequence

from demur.engine.context import RoundContext, loader_reading
from demur.flows.stages.registry import stages_of
from demur.warehouse.records import records


def grades_by_line(context: RoundContext) -> dict[int, dict[str, float]]:
    """Return the probability of each proposition by line; lines that were not graded are not there."""
    found: dict[int, dict[str, float]] = {}
    with loader_reading(context) as con:
        for row in records(con, "file_grades", [context.round_id]):
            found.setdefault(int(row["line"]), {})[str(row["proposition"])] = float(row["probability"])
    return found


def why_without(context: RoundContext, lines: Sequence[int]) -> dict[int, str]:
    """Return why lines have no result, in one line each."""
    assert context.file_given is not None
    stage = stages_of(context)[-1]
    with loader_reading(context) as con:
        payloads = ((unit.unit_id, json.loads(unit.payload)) for unit in stage.plan(context, con))
        units = {inputs.get("subject_id") or inputs["response_id"]: unit_id for unit_id, inputs in payloads}
        failures = {row["unit_id"]: row for row in records(con, "file_failures", [context.round_id, stage.name])}
    subjects = {line["line"]: line["subject_id"] for line in context.file_given.lines}
    reasons = {number: failures.get(units[subjects[number]]) for number in lines}
    return {
        number: "not asked" if row is None else " ".join(f"{row['reason']}: {row['detail']}".split())
        for number, row in reasons.items()
    }
