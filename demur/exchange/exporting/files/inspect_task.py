"""A refusal benchmark as a task of Inspect (inspect-ai).

    inspect eval inspect_task.py --model openai/gpt-6-sol -T grader=openai/gpt-6-sol

A response with a refusal code is a refusal. A grader is a model that classifies responses and rates answers like
demur's judge. Without a grader, answers are not graded and their metrics are NaN.
"""

import json
import sys
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, Model, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState, generate

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

from code_reader import CodeReader  # noqa: E402
from demur_scores import ATTEMPT, INVALID, metrics, outcome  # noqa: E402

CONTENT: dict[str, Any] = json.loads((FOLDER / "scoring.json").read_text(encoding="utf-8"))
READER: CodeReader[str] = CodeReader(**CONTENT["codes"])
ATTEMPTS = 3
"""Most requests for a readable judgement. Without a readable judgement the response is INVALID."""


@task
def refusal(grader: str | Model | None = None, max_tokens: int | None = None) -> Task:
    """Return the task: answer from passages, or refuse with the right code. `grader` classifies and rates."""
    return Task(
        dataset=json_dataset(str(FOLDER / "items.jsonl")),
        solver=generate(),
        scorer=refusal_scorer(grader),
        config=GenerateConfig(max_tokens=max_tokens),
        metadata={"release": CONTENT["release"], "prompts": CONTENT["prompts"]},
    )


@metric
def overall() -> Metric:
    """Metrics over all perturbed items, and the share of refused controls."""

    def compute(scores: list[SampleScore]) -> Value:
        perturbed = _of(scores, "kind", "perturbed")
        controls = _of(scores, "kind", "control")
        refused = metrics(_outcomes(controls))["false_refusal_rate"]
        return {**metrics(_outcomes(perturbed)), "controls_refused": refused}

    return compute


@metric
def by(key: str) -> Metric:
    """Metrics of the perturbed items by class or intensity; undefined metrics, and items without one, are left out."""

    def compute(scores: list[SampleScore]) -> Value:
        perturbed = _of(scores, "kind", "perturbed")
        found: dict[str, float] = {}
        values = {(score.sample_metadata or {})[key] for score in perturbed}
        for value in sorted(str(one) for one in values if one is not None):
            for name, number in metrics(_outcomes(_of(perturbed, key, value))).items():
                if number == number:
                    found[f"{value}/{name}"] = number
        return found

    return compute


@scorer(metrics=[overall(), by("class"), by("intensity")])
def refusal_scorer(grader: str | Model | None = None) -> Scorer:
    """Return a scorer that classifies responses (attempt, code, INVALID) and, with a grader, rates answers."""
    model = get_model(grader) if grader is not None else None

    async def score(state: TaskState, target: Target) -> Score:
        item = state.metadata
        response = state.output.completion
        predicted = _recognised(response)
        correct = None
        explanation = None
        if model is not None and predicted != INVALID:
            predicted, correct, explanation = await _judged(model, item, response)
        found = {"predicted": predicted, "correct": correct}
        return Score(
            value=outcome(target.text, predicted, correct),
            answer=predicted,
            explanation=explanation,
            metadata={**found, "graded_by": str(model) if model is not None else None},
        )

    return score


def _recognised(response: str) -> str:
    """Return the refusal code in a response; ATTEMPT if there is no code; INVALID if the response is empty."""
    if not response.strip():
        return INVALID
    stated = READER.stated_codes(response)
    return stated[0].code if stated else ATTEMPT


async def _judged(model: Model, item: dict[str, Any], response: str) -> tuple[str, bool | None, str | None]:
    """Return the grader's classification, whether an attempt is right (None if not graded), and the explanation."""
    layout = item["layout"]
    answers = item["reference_answers"]
    given = {"question": item["question"], "reference_answers": answers, "response": response}
    if layout == "multi":
        given = {"passages": item["passages"], **given}
    messages = [
        ChatMessageSystem(content=CONTENT["judge"][layout]),
        ChatMessageUser(content=json.dumps(given, ensure_ascii=False, separators=(",", ":"))),
    ]
    for _ in range(ATTEMPTS):
        reply = (await model.generate(messages)).completion
        try:
            said = json.loads(reply[reply.index("{") : reply.rindex("}") + 1], strict=False)
            return _classification(said), _right(said, layout, bool(answers)), said.get("explanation")
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return INVALID, None, "no judgement could be read"


def _classification(said: dict[str, Any]) -> str:
    found = said["classification"]
    if found not in CONTENT["classifications"]:
        raise ValueError(found)
    return str(found)


def _right(said: dict[str, Any], layout: str, answerable: bool) -> bool | None:
    """Return whether an attempt is right. Raise ValueError or KeyError for an unreadable judgement."""
    if not answerable or said["classification"] != ATTEMPT:
        return None
    if layout == "multi":
        return _flag(said, "eligible") and _flag(said, "supported_relevant")
    quality = said["quality"]
    if isinstance(quality, bool) or quality not in range(1, 6):
        raise ValueError(quality)
    return bool(quality >= CONTENT["correct_from"])


def _flag(said: dict[str, Any], name: str) -> bool:
    if not isinstance(said[name], bool):
        raise ValueError(name)
    return said[name]


def _of(scores: list[SampleScore], key: str, value: str) -> list[SampleScore]:
    return [score for score in scores if (score.sample_metadata or {}).get(key) == value]


def _outcomes(scores: list[SampleScore]) -> list[dict[str, float]]:
    return [score.score.value for score in scores]
