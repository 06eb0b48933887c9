"""Names, notes and order of values on pages, from `names.yaml`.

A value that is not listed there keeps its own name and comes last.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

_SECTIONS: Final[dict[str, dict[str, Any]]] = yaml.load(
    Path(__file__).with_suffix(".yaml").read_bytes(), Loader=yaml.CSafeLoader
)


def _names(section: str) -> dict[str, str]:
    return {key: entry["name"] if isinstance(entry, dict) else entry for key, entry in _SECTIONS[section].items()}


def _notes(section: str) -> dict[str, str]:
    return {key: entry["note"] for key, entry in _SECTIONS[section].items() if isinstance(entry, dict)}


CLASSES: Final = _names("classes")
CLASSES_AND_ALL: Final = {**CLASSES, "all": "All classes"}
DEFECTS: Final = _notes("classes")
"""The defect of each class in one sentence, for readers who are new to the field."""
INTENSITIES: Final = _names("intensities")
INTENSITY_NOTES: Final = _notes("intensities")
CODES: Final = _names("codes")
RULES: Final = _names("rules")
"""Descriptions of the rule baselines."""
COEFFICIENTS: Final = _names("coefficients")
AGREEMENT_COEFFICIENTS: Final = {**COEFFICIENTS, **_names("agreement_coefficients")}
JUDGE_COEFFICIENTS: Final = {**COEFFICIENTS, **_names("judge_coefficients")}
READER_COEFFICIENTS: Final = _names("reader_coefficients")
CONFIDENCES: Final = _names("confidences")
CONFIDENCE_PARTS: Final = _names("confidence_parts")
REWARD_PARTS: Final = _names("reward_parts")
OTHER_WORDING: Final = " (ours)"
"""Suffix of a respondent's label if the respondent was asked with demur's own instructions."""
ITEM_PARTS: Final = _names("item_parts")
LAYOUTS: Final = _names("layouts")
KINDS: Final = _names("kinds")
METRICS: Final = _names("metrics")
METRIC_NOTES: Final = _notes("metrics")
CRITERIA: Final = _names("criteria")
CRITERIA_AND_OVERALL: Final = {**CRITERIA, "overall": "All five"}
CRITERION_NOTES: Final = _notes("criteria")
OUTCOMES: Final = {
    "right": "Right",
    "wrong": "Wrong",
    "answered": "Answered",
    "refused": "Refused",
    **KINDS,
    "ungraded_answer": "Answer without a grade",
}
STATUSES: Final = _names("statuses")
STATUS_NOTES: Final = _notes("statuses")
LIST_NOTES: Final = _names("list_columns")
"""The meaning of each column of a list of items."""
SORTS: Final = _names("sorts")
VIEWS: Final[dict[str, dict[str, str]]] = _SECTIONS["views"]
"""Frequently used lists of items: the query parameters of each list by its title."""


def in_order(values: Iterable[str], known: Mapping[str, str]) -> list[str]:
    """Return the distinct values: known values in the order of `known`, then the others in their given order."""
    found = dict.fromkeys(values)
    return [value for value in known if value in found] + [value for value in found if value not in known]


def spoken(name: str) -> str:
    """Return an identifier as words, such as `Pairwise error` for `pairwise_error`."""
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]
