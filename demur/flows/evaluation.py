"""The flow that evaluates models on a frozen release."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from demur.engine.context import RoundContext, loader_reading
from demur.engine.loading import document_gates
from demur.engine.logs import observer
from demur.engine.models import skip_preflight
from demur.engine.stage import Stage
from demur.errors import CapReachedError, StageStopped
from demur.flows.evaluations.evaluation_request import EvaluationRequest, evaluation_session
from demur.flows.planning.round_plan import expected_units, record_estimate
from demur.flows.requested import requested_flow
from demur.flows.stages.registry import EVALUATION, run_stages
from demur.flows.stages.responses.respond import respondents_left_out


def evaluate(request: EvaluationRequest) -> str:
    """Run the flow and return the id of the evaluation."""
    return str(evaluate_release(**asdict(request)))


@contextmanager
def documented(context: RoundContext, stages: Sequence[Stage], *, probe: bool) -> Iterator[None]:
    """Return a context manager that stores the estimate of a round at its start and writes Data Docs at its end.

    Data Docs are pages of Great Expectations; here they show the results of the gates of `stages`. They are also
    written if the `with` block raises `StageStopped`. If `probe` is true, the first stage that asks models begins with
    the preflight, which asks every networked model for one token. If `probe` is false, the preflight is skipped.
    """
    if not probe:
        skip_preflight(context)
    record_estimate(context)
    observer().expect(expected_units(context), context.config.budget.max_usd)
    try:
        yield
    except StageStopped:
        document_gates(context, (stage.gate for stage in stages))
        raise
    document_gates(context, (stage.gate for stage in stages))


@requested_flow(EvaluationRequest)
def evaluate_release(request: EvaluationRequest) -> str:
    """Ask models the items of a frozen release, judge and score their responses, and return the evaluation's id.

    If a cap stops a stage, the later stages work on the results so far, and the scores are INCOMPLETE. If a respondent
    failed too often, the others are judged and scored.

    Raises:
        CapReachedError: a cap stopped a stage.
        StageStopped: a respondent was left out, or too much failed. In every case the same command goes on.
    """
    with evaluation_session(request) as context, documented(context, EVALUATION, probe=request.probe):
        stopped: StageStopped | None = None
        for stage in EVALUATION:
            try:
                run_stages(context, stage)
            except CapReachedError as exc:
                stopped = stopped or exc
        stopped = stopped or _left_out(context)
        if stopped is not None:
            stopped.is_scored = True
            raise stopped
    return context.round_id


def _left_out(context: RoundContext) -> StageStopped | None:
    """Return the error for respondents that were left out; None if there are none."""
    with loader_reading(context) as con:
        labels = respondents_left_out(context, con)
    if not labels:
        return None
    query = f"SELECT respondent, reason, detail FROM failed_responses WHERE round_id = '{context.round_id}'"
    return StageStopped(
        f"{', '.join(sorted(labels))}: left out, since more responses failed than gates.failure_rate "
        f'{context.config.gates.failure_rate:g} allows; the other respondents are scored. `demur sql "{query}"` shows '
        "why, and the same command asks again what failed"
    )
