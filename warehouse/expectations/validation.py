"""Hands the frames of a gate to Great Expectations and reads its answers.

Imports great_expectations (about 4 s): import it late.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import great_expectations.expectations as gxe
import pandas as pd
from great_expectations.expectations.row_conditions import Column

from demur.warehouse.errors import WarehouseError
from demur.warehouse.expectations.bounds import GateBounds
from demur.warehouse.expectations.data_docs import data_docs
from demur.warehouse.expectations.declared import Accounted, Between, Expected, Gate, Measure, NoneOf, OneOf, StageGate
from demur.warehouse.expectations.measured import Measured, accounting
from demur.warehouse.expectations.results import ExpectationResult
from demur.warehouse.home import Home

_MOST_VALUES: Final = 5
_Answers = Mapping[str, Mapping[str, Any]]


def validated(
    home: Home, gate: StageGate, round_id: str, found: Measured, bounds: GateBounds
) -> list[ExpectationResult]:
    """Return GX's answers to everything that a gate expects of a stage's frames, and write their Data Docs.

    Raises:
        WarehouseError: GX could not evaluate an expectation, or its pages cannot be written.
    """
    results: list[ExpectationResult] = []
    with data_docs(home) as docs:
        suite = gate.suite(Gate.INTEGRITY)
        asked = [_integrity(expected, found) for expected in gate.expected]
        answers = _answers(suite, docs.validate(suite, asked, found.integrity, round_id, ["rows"]))
        results += [_integrity_result(gate, expected, found, answers) for expected in gate.expected]
        if found.samples is not None:
            suite = gate.suite(Gate.SAMPLE)
            subjects = {measure.name: _subjects(found.samples, measure) for measure in gate.measures}
            asked = [_sample(measure, subjects[measure.name], bounds) for measure in gate.measures]
            shown = ["subject", "successes", "trials"]
            answers = _answers(suite, docs.validate(suite, asked, found.samples, round_id, shown))
            for measure in gate.measures:
                results += _sample_results(gate, measure, subjects[measure.name], bounds, answers[measure.name])
    return results


def _integrity(expected: Expected, found: Measured) -> Any:
    """Return the expectation of GX that a rule amounts to."""
    described = {"description": expected.meaning, "meta": {"name": expected.name}}
    rule = expected.rule
    if isinstance(rule, NoneOf):
        return gxe.ExpectColumnSumToBeBetween(column=rule.column, min_value=0, max_value=0, **described)
    if isinstance(rule, Accounted):
        units = found.units.planned - found.units.failed
        return gxe.ExpectColumnSumToBeBetween(column=rule.column, min_value=units, max_value=units, **described)
    if isinstance(rule, OneOf):
        return gxe.ExpectColumnValuesToBeInSet(column=rule.column, value_set=list(rule.allowed), **described)
    if isinstance(rule, Between):
        return gxe.ExpectColumnValuesToBeBetween(
            column=rule.column, min_value=rule.lowest, max_value=rule.highest, **described
        )
    pairs = list(rule.allowed)
    return gxe.ExpectColumnPairValuesToBeInSet(
        column_A=rule.first, column_B=rule.second, value_pairs_set=pairs, **described
    )


def _sample(measure: Measure, subjects: pd.DataFrame, bounds: GateBounds) -> Any:
    """Return an expectation that fails only for subjects whose interval excludes the bound."""
    share = bounds.share(measure, subjects)
    end = "high" if measure.at_least else "low"
    return gxe.ExpectColumnValuesToBeBetween(
        column=end,
        min_value=share if measure.at_least else None,
        max_value=None if measure.at_least else share,
        row_condition=Column("measure") == measure.name,
        description=f"{measure.meaning} Wanted is {bounds.text(measure)} (gates.{measure.name}); not met only where "
        f"the exact 95 % interval of a share excludes that, by its {end} end.",
        meta={"name": measure.name},
    )


def _subjects(samples: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    return samples[samples["measure"] == measure.name]


def _answers(suite: str, validation: Any) -> _Answers:
    """Return GX's answers by the name of the expectation, as `success` and what it observed."""
    answers: dict[str, Mapping[str, Any]] = {}
    for result in validation.results:
        name = str(result.expectation_config.meta["name"])
        problem = _problem(result.exception_info)
        if problem:
            raise WarehouseError(f"{suite}: Great Expectations could not evaluate {name}: {problem}")
        answers[name] = {**result.result, "success": bool(result.success)}
    return answers


def _problem(exception_info: Mapping[str, Any]) -> str:
    told = [exception_info] if "raised_exception" in exception_info else list(exception_info.values())
    return next((str(one["exception_message"]) for one in told if one.get("raised_exception")), "")


def _integrity_result(gate: StageGate, expected: Expected, found: Measured, answers: _Answers) -> ExpectationResult:
    answer = answers[expected.name]
    rule = expected.rule
    if isinstance(rule, Accounted):
        observed, bound = str(int(answer["observed_value"])), accounting(found.plan, found.units)
    elif isinstance(rule, NoneOf):
        observed, bound = str(int(answer["observed_value"])), "0"
    else:
        observed = "; ".join(_unexpected(answer)) or "as expected"
        if isinstance(rule, OneOf):
            bound = f"one of {', '.join(rule.allowed)}"
        elif isinstance(rule, Between):
            bound = f"from {rule.lowest:g} to {rule.highest:g}"
        else:
            bound = f"one of the {len(rule.allowed)} pairs of {rule.first} and {rule.second}"
    return ExpectationResult(
        gate.stage,
        gate.suite(Gate.INTEGRITY),
        Gate.INTEGRITY,
        expected.name,
        expected.subject,
        answer["success"],
        observed,
        bound,
    )


def _unexpected(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the most frequent unexpected values with the number of rows that have them."""
    rows: dict[str, int] = {}
    for found in answer["unexpected_index_list"] or ():
        value = ", ".join(str(part) for column, part in found.items() if column != "rows")
        rows[value] = rows.get(value, 0) + int(found["rows"])
    often = sorted(rows.items(), key=lambda entry: -entry[1])
    for value, number in often[:_MOST_VALUES]:
        yield f"{value[:60]} in {number} row{'s' if number > 1 else ''}"
    if len(often) > _MOST_VALUES:
        yield f"and {len(often) - _MOST_VALUES} more"


def _sample_results(
    gate: StageGate, measure: Measure, subjects: pd.DataFrame, bounds: GateBounds, answer: Mapping[str, Any]
) -> Iterator[ExpectationResult]:
    failed = {found["subject"] for found in answer["unexpected_index_list"] or ()}
    for subject, successes, trials, low, high in subjects[["subject", "successes", "trials", "low", "high"]].itertuples(
        index=False
    ):
        share = f" ({successes / trials:.3g}; 95 % interval {low:.3g} to {high:.3g})" if trials else ""
        yield ExpectationResult(
            gate.stage,
            gate.suite(Gate.SAMPLE),
            Gate.SAMPLE,
            measure.name,
            str(subject),
            subject not in failed,
            f"{successes} of {trials}{share}",
            bounds.text(measure),
        )
