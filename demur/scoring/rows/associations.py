"""Rows of `associations`: how scores of models depend on tags such as size, and how two metrics correlate."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from demur.scoring.estimates import Row
from demur.scoring.factors import contrasts, metric_correlation, trend
from demur.scoring.scores import ModelScore

Tags: TypeAlias = Mapping[str, Mapping[str, float | str]]
"""Tags of models: numbers or groups, by tag and model."""

HEADLINES: Final = (
    "calibrated_refusal_score", "answer_accuracy", "refusal_accuracy", "false_refusal_rate", "missed_refusal_rate",
)  # fmt: skip
"""Metrics for comparisons of models, in pairs and along factors."""

GROUPS: Final = ("family", "alignment")
_PER_THOUSAND: Final = 1_000.0


def association_rows(scores: Sequence[ModelScore], tags: Tags) -> Iterator[Row]:
    """Yield rows of three kinds: correlation, slope, difference.

    The correlation is that of the false refusal rate and the missed refusal rate. Slopes are those of each metric of
    HEADLINES against the number of parameters and against the thinking budget. Differences are those between groups of
    models.
    """
    if len(scores) > 1:
        both = metric_correlation(scores, "false_refusal_rate", "missed_refusal_rate")
        yield _association("correlation", "missed_refusal_rate", "false_refusal_rate", both)
    for metric in HEADLINES:
        for factor, logarithmic, unit in (("parameters_billion", True, 1.0), ("thinking_tokens", False, _PER_THOUSAND)):
            if numbers := tags.get(factor):
                scaled = {model: float(number) / unit for model, number in numbers.items()}
                yield _association("slope", factor, metric, trend(scores, scaled, metric, logarithmic=logarithmic))
        for factor in GROUPS:
            groups = {model: str(group) for model, group in tags.get(factor, {}).items()}
            for first, second, found in contrasts(scores, groups, metric):
                yield {**_association("difference", factor, metric, found), "first": first, "second": second}


def _association(statistic: str, factor: str, metric: str, found: Row) -> Row:
    return {"statistic": statistic, "factor": factor, "metric": metric, **found}
