"""A refusal benchmark as a task of Inspect (inspect-ai).

    inspect eval inspect_task.py --model openai/gpt-6-sol -T grader=openai/gpt-6-sol

Responses are read as demur reads them: reasoning is no response, and a response that is exactly one refusal code is
this refusal. A grader is a model that classifies the other responses and rates answers like demur's judge. Without a
grader, answers are not graded and their metrics are NaN. If the grader's replies cannot be read, responses are INVALID:
see the metric `invalid_rate`, and the explanations of the samples.
"""

import json
import logging
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

from demur_scores import ATTEMPT, INVALID, OTHER, metrics, outcome  # noqa: E402
from reply_reader import CodeReader, ReplyReader, json_objects, loose_object, split_reply  # noqa: E402

CONTENT: dict[str, Any] = json.loads((FOLDER / "scoring.json").read_text(encoding="utf-8"))
READER: ReplyReader[str] = ReplyReader(CodeReader(**CONTENT["codes"]), CONTENT["words"])
ATTEMPTS = 3
"""Most requests for a readable judgement. Without a readable judgement the response is INVALID."""
MOST_SHOWN = 200
_log = logging.getLogger(__name__)


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
        reading = READER.read(state.output.completion, _reasoning(state))
        refused = state.output.stop_reason == "content_filter"
        predicted = OTHER if refused else reading.predicted
        correct = None
        explanation = "the provider refused" if refused else reading.problem
        graded = model is not None and predicted != INVALID and not refused and not reading.is_sole
        if model is not None and graded:
            predicted, correct, explanation = await _judged(model, item, reading.response)
        return Score(
            value=outcome(target.text, predicted, correct, refused),
            answer=predicted,
            explanation=explanation,
            metadata={
                "predicted": predicted,
                "correct": correct,
                "graded_by": str(model) if graded else None,
                "is_mixed": reading.is_mixed,
                "reasoning": reading.reasoning or None,
            },
        )

    return score


def _reasoning(state: TaskState) -> str:
    """Return the reasoning that the model's server sent in parts of its own."""
    content = state.output.message.content if state.output.choices else ""
    parts = () if isinstance(content, str) else content
    return "\n".join(str(part.reasoning) for part in parts if part.type == "reasoning")


async def _judged(model: Model, item: dict[str, Any], response: str) -> tuple[str, bool | None, str | None]:
    """Return the grader's classification, whether an attempt is right (None if not graded), and the explanation."""
    answers = item["reference_answers"]
    layout = item["layout"] if answers else "single"  # without accepted answers a class is all that is asked for
    given = {"question": item["question"], "reference_answers": answers, "response": response}
    if layout == "multi":
        given = {"passages": item["passages"], **given}
    messages = [
        ChatMessageSystem(content=CONTENT["judge"][layout]),
        ChatMessageUser(content=json.dumps(given, ensure_ascii=False, separators=(",", ":"))),
    ]
    reply = ""
    for _ in range(ATTEMPTS):
        reply = (await model.generate(messages)).completion
        found = {_judgement(each, layout, bool(answers)) for each in _objects(reply)} - {None}
        if len({each[:2] for each in found if each}) == 1:
            return next(each for each in found if each)
    problem = f"no judgement could be read in {ATTEMPTS} replies of the grader, the last one: {reply[:MOST_SHOWN]!r}"
    _log.warning("%s: %s", item["question"][:MOST_SHOWN], problem)
    return INVALID, None, problem


def _objects(reply: str) -> list[dict[str, Any]]:
    """Return the JSON objects of a grader's reply, without those in its reasoning."""
    text = split_reply(reply).response
    found = [value for _, value in json_objects(text) if isinstance(value, dict)]
    return found or [loose for loose in (loose_object(text),) if loose is not None]


def _judgement(said: dict[str, Any], layout: str, answerable: bool) -> tuple[str, bool | None, str | None] | None:
    """Return classification, correctness and explanation of a grader's object; None if it is no judgement.

    Fields that may be null can be left out, and other fields are ignored.
    """
    try:
        classification = _classification(str(said["classification"]))
        return classification, _right(said, classification, layout, answerable), str(said.get("explanation"))
    except (ValueError, KeyError, TypeError):
        return None


def _classification(said: str) -> str:
    """Return a classification in its own spelling. Raise ValueError if it is none."""
    code = READER.codes.sole_code(said) or READER.codes.sole_code(f"REFUSE_{said}")
    if code is not None:
        return code
    letters = "".join(filter(str.isalpha, said)).upper()
    if letters != ATTEMPT.replace("_", ""):
        raise ValueError(said)
    return ATTEMPT


def _right(said: dict[str, Any], classification: str, layout: str, answerable: bool) -> bool | None:
    """Return whether an attempt is right. Raise ValueError or KeyError for an unreadable judgement."""
    if not answerable or classification != ATTEMPT:
        return None
    if layout == "multi":
        return _flag(said, "eligible") and _flag(said, "supported_relevant")
    quality = said["quality"]
    rated = float(quality.removesuffix("/5") if isinstance(quality, str) else quality)
    if isinstance(quality, bool) or rated not in range(1, 6):
        raise ValueError(quality)
    return rated >= CONTENT["correct_from"]


def _flag(said: dict[str, Any], name: str) -> bool:
    if not isinstance(said[name], bool):
        raise ValueError(name)
    return said[name]


def _of(scores: list[SampleScore], key: str, value: str) -> list[SampleScore]:
    return [score for score in scores if (score.sample_metadata or {}).get(key) == value]


def _outcomes(scores: list[SampleScore]) -> list[dict[str, float]]:
    return [score.score.value for score in scores]
