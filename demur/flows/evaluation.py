"""The flow that evaluates models on a frozen release."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from prefect import flow
from prefect.runtime import flow_run

from demur.engine.context import RoundContext
from demur.engine.gate import document_gates
from demur.engine.preflight import skip_preflight
from demur.engine.progress import observer
from demur.engine.stage import Stage
from demur.errors import StageStopped
from demur.flows.evaluations.request import EvaluationRequest
from demur.flows.evaluations.session import evaluation_session
from demur.flows.planning.estimate import expected_units, record_estimate
from demur.flows.stages.registry import EVALUATION, run_stages


def evaluate(request: EvaluationRequest) -> str:
    """Run the flow and return the id of the evaluation."""
    return str(evaluate_release(**{**asdict(request), "models": list(request.models)}))


@contextmanager
def documented(context: RoundContext, stages: Sequence[Stage], *, probe: bool) -> Iterator[None]:
    """Record the estimate of a round, and write the Data Docs of its gates when the block ends or is stopped."""
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


def _run_name() -> str:
    return f"{flow_run.parameters['release']}/evaluate"


@flow(flow_run_name=_run_name, validate_parameters=True, persist_result=False)
def evaluate_release(
    release: str,
    models: Sequence[str] = (),
    round_config: str | None = None,
    judge: str | None = None,
    max_usd: float | None = None,
    replicates: int | None = None,
    occasion: str | None = None,
    probe: bool = True,
    again: str | None = None,
    prompts: str | None = None,
    passages: str = "given",
) -> str:
    """Let models answer the items of a frozen release, judge and score the responses; return the evaluation's id.

    Args:
        release: NAME, NAME/VERSION, a folder, or an address (hf://, https://, s3://).
        models: Answering models, such as openai:gpt-5 or always-refuses. Empty: the respondents of round_config.
        round_config: A configuration whose models, judges, prompts and settings are taken. Empty: the release's.
        judge: A judge in place of the configuration's judges.
        max_usd: The spending limit in US dollars, in place of the configuration's.
        replicates: Responses to each item, in place of the configuration's number.
        occasion: A label for a repetition, such as the week. Another occasion is another evaluation.
        probe: Whether every model is asked for one token before anything is bought.
        again: `invalid` repeats unreadable judgements.
        prompts: The set of prompts for respondents (published or ours), in place of the configuration's sets.
        passages: `index` hands systems all passages of the release once, and asks questions alone.
    """
    request = EvaluationRequest(
        release, tuple(models), round_config, judge, max_usd, replicates, occasion, probe, again, prompts, passages
    )
    with evaluation_session(request) as context, documented(context, EVALUATION, probe=probe):
        run_stages(context, *EVALUATION)
    return context.round_id
