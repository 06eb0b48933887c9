"""Runs DSPy's optimisers on judged cases, and measures a program on them."""

import contextlib
import io
import logging
import random
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import dspy

from programs.adapter import JsonAdapter
from programs.compiling.engine import Budget
from programs.compiling.kinds import Case, Kind, Score, program_of, score
from programs.errors import ProgramError

DEMONSTRATIONS: Final = 4
GOOD_REPLY: Final = 0.9
"""From which share of right truths on a reply of the model's own becomes a demonstration."""
REFLECTED: Final = 3
"""Cases that GEPA looks at before it writes new instructions."""
_NOISY: Final = ("dspy", "gepa", "optuna")


class Optimizer(StrEnum):
    """How instructions and demonstrations are chosen."""

    BOOTSTRAP = "bootstrap"
    MIPRO = "mipro"
    GEPA = "gepa"


@dataclass(frozen=True, slots=True)
class Parts:
    """Cases by what they serve for; no group of cases is in two parts."""

    train: Sequence[Case]
    validation: Sequence[Case]
    held_out: Sequence[Case]


@dataclass(frozen=True, slots=True)
class Search:
    """How an optimiser searches: candidates that it tries (`trials`), threads that ask, seed."""

    optimizer: Optimizer
    trials: int
    threads: int
    seed: int


@dataclass(frozen=True, slots=True)
class Measured:
    """How often a program is right: truths that it got right of all asked, and cases without a readable reply."""

    cases: int
    truths: int
    right: int
    failed: int

    @property
    def accuracy(self) -> float | None:
        """The share of truths that are right; None where there are none."""
        return self.right / self.truths if self.truths else None


def most_requests(search: Search, parts: Parts) -> int:
    """Return about how many requests a compilation sends at most; replies that must be mended come on top."""
    train, validation, held_out = len(parts.train), len(parts.validation), len(parts.held_out)
    if search.optimizer is Optimizer.BOOTSTRAP:
        return train + 2 * held_out
    if search.optimizer is Optimizer.MIPRO:
        return _candidates(search) * (train + 5) + (search.trials + 2) * validation + 10 + 2 * held_out
    return _metric_calls(search, parts) + validation + search.trials + 2 * held_out


def measure(
    kind: Kind, program: dspy.Module, lm: dspy.LM, cases: Sequence[Case], threads: int, budget: Budget
) -> Measured:
    """Return how often a program is right.

    Raises:
        ProgramError: the budget is spent, or not one case was answered; the last error says why.
    """

    def scored(case: Case) -> Score | None:
        try:
            with dspy.context(lm=lm, adapter=JsonAdapter(), disable_history=True):
                return score(kind, case, program(**case.inputs))
        except Exception as exc:
            if budget.refused:
                raise budget.spent() from exc
            if not isinstance(exc, (ProgramError, dspy.utils.exceptions.LMError)):
                raise
            return None

    with ThreadPoolExecutor(max_workers=threads) as pool:
        scores = list(pool.map(scored, cases))
    if cases and all(one is None for one in scores):
        raise ProgramError(f"none of {len(cases)} cases was answered; the last error: {budget.last_error}")
    truths = sum(len(case.truths) for case in cases)
    return Measured(len(cases), truths, sum(one.right for one in scores if one), sum(one is None for one in scores))


def optimise(kind: Kind, lm: dspy.LM, prompt_lm: dspy.LM, parts: Parts, search: Search, budget: Budget) -> dspy.Module:
    """Return the program with the instructions and demonstrations that did best on the validation cases.

    Raises:
        ProgramError: the budget is spent, the optimiser needs a package that is missing, or it failed.
    """
    train = [_example(case) for case in parts.train]
    validation = [_example(case) for case in parts.validation]
    random.seed(search.seed)
    try:
        with dspy.context(lm=lm, adapter=JsonAdapter(), disable_history=True), _quiet():
            if search.optimizer is Optimizer.BOOTSTRAP:
                return _bootstrap(kind, train)
            if search.optimizer is Optimizer.MIPRO:
                return _mipro(kind, lm, prompt_lm, train, validation, search)
            return _gepa(kind, prompt_lm, train, validation, search, _metric_calls(search, parts))
    except ImportError as exc:
        raise ProgramError(
            f"{search.optimizer} needs a package that is not there ({exc}): install demur[compile]"
        ) from exc
    except Exception as exc:
        if budget.refused:
            raise budget.spent() from exc
        raise ProgramError(f"{search.optimizer} failed: {exc}; the last error of a model: {budget.last_error}") from exc


def _bootstrap(kind: Kind, train: list[dspy.Example]) -> dspy.Module:
    labelled = DEMONSTRATIONS if kind is Kind.GRADER else 0
    optimizer = dspy.BootstrapFewShot(
        metric=_metric(kind),
        metric_threshold=GOOD_REPLY,
        max_bootstrapped_demos=DEMONSTRATIONS,
        max_labeled_demos=labelled,
        max_errors=len(train) + 1,
    )
    return optimizer.compile(program_of(kind), trainset=train)


def _mipro(
    kind: Kind,
    lm: dspy.LM,
    prompt_lm: dspy.LM,
    train: list[dspy.Example],
    validation: list[dspy.Example],
    search: Search,
) -> dspy.Module:
    optimizer = dspy.MIPROv2(
        metric=_metric(kind),
        metric_threshold=GOOD_REPLY,
        prompt_model=prompt_lm,
        task_model=lm,
        auto=None,
        num_candidates=_candidates(search),
        max_bootstrapped_demos=DEMONSTRATIONS,
        max_labeled_demos=DEMONSTRATIONS if kind is Kind.GRADER else 0,
        num_threads=search.threads,
        max_errors=10_000,
        seed=search.seed,
    )
    return optimizer.compile(
        program_of(kind),
        trainset=train,
        valset=validation,
        num_trials=search.trials,
        minibatch=False,
        program_aware_proposer=False,
    )


def _gepa(
    kind: Kind,
    prompt_lm: dspy.LM,
    train: list[dspy.Example],
    validation: list[dspy.Example],
    search: Search,
    metric_calls: int,
) -> dspy.Module:
    from dspy.teleprompt.gepa.instruction_proposal import InstructionProposer

    optimizer = dspy.GEPA(
        metric=_feedback_metric(kind),
        max_metric_calls=metric_calls,
        reflection_minibatch_size=min(REFLECTED, len(train)),
        reflection_lm=prompt_lm,
        instruction_proposer=InstructionProposer(adapter=JsonAdapter()),
        num_threads=search.threads,
        warn_on_score_mismatch=False,
        seed=search.seed,
    )
    return optimizer.compile(program_of(kind), trainset=train, valset=validation)


def _candidates(search: Search) -> int:
    return max(2, search.trials // 2)


def _metric_calls(search: Search, parts: Parts) -> int:
    return len(parts.validation) + search.trials * (2 * min(REFLECTED, len(parts.train)) + len(parts.validation))


def _example(case: Case) -> dspy.Example:
    """A case as DSPy takes it; without a whole reply it shows none as a demonstration."""
    return dspy.Example(**case.inputs, **(case.reply or {}), case=case).with_inputs(*case.inputs)


def _metric(kind: Kind) -> Any:
    def metric(example: dspy.Example, prediction: dspy.Prediction, trace: object = None) -> float:
        return score(kind, example.case, prediction).share

    return metric


def _feedback_metric(kind: Kind) -> Any:
    def metric(
        gold: dspy.Example,
        prediction: dspy.Prediction,
        trace: object = None,
        pred_name: str | None = None,
        pred_trace: object = None,
    ) -> dspy.Prediction:
        try:
            found = score(kind, gold.case, prediction)
        except AttributeError:
            return dspy.Prediction(score=0.0, feedback="The reply could not be read.")
        return dspy.Prediction(score=found.share, feedback=found.feedback)

    return metric


@contextlib.contextmanager
def _quiet() -> Any:
    """Keep the optimisers' progress bars and remarks off the terminal."""
    levels = {name: logging.getLogger(name).level for name in _NOISY}
    with (
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            for name in levels:
                logging.getLogger(name).setLevel(logging.CRITICAL)
            yield
        finally:
            for name, level in levels.items():
                logging.getLogger(name).setLevel(level)
