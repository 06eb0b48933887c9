"""The flows of a round: one flow runs the whole round, and seven flows each run one part."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, replace
from functools import wraps
from typing import Final, TypeVar, cast

from prefect import Flow
from prefect.states import Completed

from demur.engine.context import RoundContext
from demur.engine.stage import StageReport
from demur.engine.tasks import open_engine
from demur.flows.evaluation import documented
from demur.flows.requested import requested_flow
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import round_session
from demur.flows.stages import registry
from demur.flows.stages.bases.screening_waves import ingest_and_screen
from demur.flows.stages.registry import STAGES, run_stages
from demur.flows.stages.release import release_round
from demur.text.language_detection import free_detector

T = TypeVar("T")

_open: ContextVar[RoundContext | None] = ContextVar("_open", default=None)


@contextmanager
def _begun(request: RoundRequest) -> Iterator[RoundContext]:
    """Open the session of a round, store the round's estimate, and write Data Docs at the end.

    If a flow of the same round runs this flow and has opened the session, yield the context of that session.
    """
    context = _open.get()
    if context is not None and context.round_id == request.round_id:
        yield context
        return
    with round_session(request) as context, documented(context, STAGES, probe=request.probe):
        token = _open.set(context)
        try:
            with open_engine(context):
                yield context
        finally:
            _open.reset(token)


def _part(work: Callable[[RoundContext], T]) -> Flow[..., T]:
    """Return a flow that opens the session of a round, calls `work` with its context and returns the result."""

    @wraps(work)
    def run(request: RoundRequest) -> T:
        with _begun(request) as context:
            return work(context)

    return requested_flow(RoundRequest)(run)


@_part
def ingest(context: RoundContext) -> int:
    """Draw base instances from the corpus, screen them, and return the number of base instances in the round."""
    return ingest_and_screen(context)


@_part
def generate(context: RoundContext) -> list[StageReport]:
    """Let every generator perturb every base instance in every stratum, and reject duplicates."""
    return _generated(context)


@_part
def verify(context: RoundContext) -> list[StageReport]:
    """Let every verifier judge every candidate. Rejected candidates are repaired if the configuration says so."""
    reports = run_stages(context, *registry.VERIFICATION)
    generation = context.config.generation
    for _ in range(generation.repairs if generation.repair_verdicts else 0):
        reports = [*_generated(context), *run_stages(context, *registry.VERIFICATION)]
    return reports


def _generated(context: RoundContext) -> list[StageReport]:
    """Run the stages of generation. Then release the memory of the language detector, which no later stage uses."""
    reports = run_stages(context, *registry.GENERATION)
    free_detector()
    return reports


@_part
def assemble(context: RoundContext) -> list[StageReport]:
    """Sample items from the accepted candidates, and add the controls."""
    return run_stages(context, *registry.ASSEMBLY)


@_part
def evaluate(context: RoundContext) -> list[StageReport]:
    """Let every respondent answer every item, judge the responses, and score them."""
    return run_stages(context, *registry.RESPONSES)


@_part
def grade(context: RoundContext) -> list[StageReport]:
    """Write comparisons; grade completions and responses against the policies' propositions, and rate them."""
    return run_stages(context, *registry.GRADING)


@_part
def finish(context: RoundContext) -> str:
    """Fit the reward weights, freeze the release, and return the name and version of the release."""
    run_stages(context, *registry.FITTING)
    return release_round(context)


PARTS: Final = (ingest, generate, verify, assemble, evaluate, grade, finish)
"""The flows of a round's parts, in their order."""


@requested_flow(RoundRequest, name="round")
def round_flow(request: RoundRequest) -> str:
    """Start a round or continue an interrupted one, and return the name and version of the release."""
    with _begun(request) as context:
        fields = asdict(replace(request, round_id=context.round_id))
        results = [part(**fields) for part in PARTS]
        return _ended(context, cast("int", results[0]), str(results[-1]))


def _ended(context: RoundContext, bases: int, release: str) -> str:
    """Return a completed Prefect state with the name and version of the release.

    If the round has fewer base instances than the configuration wants, the message of the state says so.
    """
    wanted = context.config.bases
    smaller = "" if bases >= wanted else f". The round is smaller: {bases} base instances of {wanted} that were wanted"
    return cast("str", Completed(data=release, message=f"Released {release}{smaller}"))  # Prefect unwraps it
