"""A refusal benchmark as a task of lm-evaluation-harness: its items, prompts and scoring.

Responses are read as demur reads them, so reasoning is no response. Answers are not graded: `reference_in_answer` is
the share of answerable questions whose response contains an accepted answer. This share is a lower bound of answer
accuracy.
"""

import json
import math
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import datasets

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

from demur_scores import ANSWER, ATTEMPT, METRICS, outcome, total  # noqa: E402
from reply_reader import CodeReader, ReplyReader  # noqa: E402

CONTENT: dict[str, Any] = json.loads((FOLDER / "scoring.json").read_text(encoding="utf-8"))
SHARES: list[str] = CONTENT["shares"]
"""Metrics that are means over items; the harness computes their standard errors."""
READER: ReplyReader[str] = ReplyReader(CodeReader(**CONTENT["codes"]), CONTENT["words"])


def items(**_: object) -> dict[str, datasets.Dataset]:
    """Return the items as a data set with one split, `test`."""
    lines = (FOLDER / "items.jsonl").read_text(encoding="utf-8").split("\n")
    return {"test": datasets.Dataset.from_list([json.loads(line) for line in lines if line])}


def asked(doc: dict[str, Any]) -> str:
    """Return the prompt of an item: instructions, then question and passages."""
    return "\n\n".join(message["content"] for message in doc["input"])


def process_results(doc: dict[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """Return the response's value of each metric whose slice contains the item."""
    metadata = doc["metadata"]
    reading = READER.read(results[0])
    predicted = reading.predicted
    found = outcome(doc["target"], predicted)
    scored: dict[str, Any] = {}
    for each in CONTENT["metrics"]:
        if metadata[each["slice"]] != each["value"] or (each["slice"] != "kind" and metadata["kind"] != "perturbed"):
            continue
        if each["metric"] in SHARES:
            share = METRICS[each["metric"]](found)
            if not math.isnan(share):
                scored[each["name"]] = share
        else:
            scored[each["name"]] = found
    if metadata["kind"] == "perturbed" and doc["target"] == ANSWER:
        held = any(_plain(answer) in _plain(reading.response) for answer in metadata["reference_answers"])
        scored["reference_in_answer"] = float(held and predicted == ATTEMPT)
    return scored


def _plain(text: str) -> str:
    """Return the case-folded words of a text, separated and enclosed by blanks."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return f" {' '.join(words)} "


def _aggregation(name: str) -> Callable[[Sequence[dict[str, float]]], float]:
    return lambda outcomes: METRICS[name](total(outcomes))


detection_f1 = _aggregation("detection_f1")
hierarchical_refusal_score = _aggregation("hierarchical_refusal_score")
