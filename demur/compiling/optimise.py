"""Runs DSPy's optimisers on judged cases."""

import contextlib
import io
import logging
import random
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, Final

import dspy

from demur.compiling.search import REFLECTED, Optimizer, Parts, Search, metric_calls
from demur.lanes.optimiser_engine import RequestBudget
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.compiled.kinds import JudgedCase, ProgramKind, program_of, score
from demur.programs.errors import ProgramError
from demur.programs.installation import MissingPackageError, install_command

DEMONSTRATIONS: Final = 4
GOOD_REPLY: Final = 0.9
"""From which share of right truths on a reply of the model's own becomes a demonstration."""
_NOISY: Final = ("dspy", "gepa", "optuna")


def check_installed(optimizer: Optimizer) -> None:
    """Return if an optimiser has the package that it needs beside DSPy's own.

    Raises:
        MissingPackageError: it is missing.
    """
    if optimizer is Optimizer.MIPRO and find_spec("optuna") is None:
        raise MissingPackageError(f"--optimizer mipro needs the package optuna: {install_command('compile')}")


def optimise(
    kind: ProgramKind, lm: dspy.LM, prompt_lm: dspy.LM, parts: Parts, search: Search, budget: RequestBudget
) -> dspy.Module:
    """Return the program with the instructions and demonstrations that did best on the validation cases.

    Raises:
        ProgramError: the budget is spent, or the optimiser failed.
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
            return _gepa(kind, prompt_lm, train, validation, search, metric_calls(search, parts))
    except Exception as exc:
        if (spent := budget.refused) is not None:
            raise spent from exc
        raise ProgramError(f"{search.optimizer} failed: {exc}; the last error of a model: {budget.last_error}") from exc


def _bootstrap(kind: ProgramKind, train: list[dspy.Example]) -> dspy.Module:
    labelled = DEMONSTRATIONS if kind is ProgramKind.GRADER else 0
    optimizer = dspy.BootstrapFewShot(
        metric=_metric(kind),
        metric_threshold=GOOD_REPLY,
        max_bootstrapped_demos=DEMONSTRATIONS,
        max_labeled_demos=labelled,
        max_errors=len(train) + 1,
    )
    return optimizer.compile(program_of(kind), trainset=train)


def _mipro(
    kind: ProgramKind,
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
        num_candidates=search.candidates,
        max_bootstrapped_demos=DEMONSTRATIONS,
        max_labeled_demos=DEMONSTRATIONS if kind is ProgramKind.GRADER else 0,
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
    kind: ProgramKind,
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


def _example(case: JudgedCase) -> dspy.Example:
    """A case as DSPy takes it; without a whole reply it shows none as a demonstration."""
    return dspy.Example(**case.inputs, **(case.reply or {}), case=case).with_inputs(*case.inputs)


def _metric(kind: ProgramKind) -> Any:
    def metric(example: dspy.Example, prediction: dspy.Prediction, trace: object = None) -> float:
        return score(kind, example.case, prediction).share

    return metric


def _feedback_metric(kind: ProgramKind) -> Any:
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
def _quiet() -> Iterator[None]:
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
