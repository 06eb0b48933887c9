"""The flows that people run: a whole round, or one of its parts alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, replace
from typing import Final, cast

from prefect import flow
from prefect.runtime import flow_run
from prefect.states import Completed

from demur.engine.context import RoundContext
from demur.engine.progress_artifact import root_run_known
from demur.engine.stage import StageReport
from demur.engine.task_engine import open_engine
from demur.flows.evaluation import documented
from demur.flows.rounds.request import EMBEDDED, RoundRequest
from demur.flows.rounds.session import round_session
from demur.flows.stages import registry
from demur.flows.stages.registry import STAGES, run_stages
from demur.flows.stages.release import release_round
from demur.flows.stages.screen.waves import ingest_and_screen

_open: ContextVar[RoundContext | None] = ContextVar("_open", default=None)


def _run_name() -> str:
    """Return the name of a flow run: its round and its part."""
    return f"{RoundRequest(**flow_run.parameters).label}/{flow_run.flow_name}"


@contextmanager
def _begun(request: RoundRequest) -> Iterator[RoundContext]:
    """Open a round, record its estimate, and write the Data Docs of its gates when the flow ends.

    A flow inside a flow of the same round works in the open session.
    """
    context = _open.get()
    if context is not None and context.round_id == request.round_id:
        yield context
        return
    with round_session(request) as context, documented(context, STAGES, probe=request.probe):
        token = _open.set(context)
        try:
            with root_run_known(), open_engine(context):
                yield context
        finally:
            _open.reset(token)


@flow(flow_run_name=_run_name, persist_result=False)
def ingest(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
    probe: bool = True,
    replay: str | None = None,
    again: str | None = None,
) -> int:
    """Draw base instances from the corpus, screen them, and return how many the round has.

    Args:
        config: A configuration file, or the name of one of ours, such as embedded or weekly.
        round_id: The round to continue or to start. Empty: a fresh configuration continues its unfinished round, or
            starts another one.
        corpus: A corpus in place of the configuration's, as FILE or FORMAT:FILE; the round is named after the file.
        bases: The number of base instances, in place of the configuration's.
        max_usd: The cost limit in US dollars, in place of the configuration's.
        probe: Whether every model is asked for one token before anything is bought.
        replay: A recording that answers in place of every networked model.
        again: `invalid` repeats unreadable judgements.
    """
    with _begun(RoundRequest(config, round_id, corpus, bases, max_usd, probe, replay, again)) as context:
        return ingest_and_screen(context)


@flow(flow_run_name=_run_name, persist_result=False)
def generate(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
    probe: bool = True,
    replay: str | None = None,
    again: str | None = None,
) -> list[StageReport]:
    """Let every generator perturb every base instance in every stratum, and find duplicates.

    Args:
        config: A configuration file, or the name of one of ours, such as embedded or weekly.
        round_id: The round to continue or to start. Empty: a fresh configuration continues its unfinished round, or
            starts another one.
        corpus: A corpus in place of the configuration's, as FILE or FORMAT:FILE; the round is named after the file.
        bases: The number of base instances, in place of the configuration's.
        max_usd: The cost limit in US dollars, in place of the configuration's.
        probe: Whether every model is asked for one token before anything is bought.
        replay: A recording that answers in place of every networked model.
        again: `invalid` repeats unreadable judgements.
    """
    with _begun(RoundRequest(config, round_id, corpus, bases, max_usd, probe, replay, again)) as context:
        return run_stages(context, *registry.GENERATION)


@flow(flow_run_name=_run_name, persist_result=False)
def verify(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
    probe: bool = True,
    replay: str | None = None,
    again: str | None = None,
) -> list[StageReport]:
    """Let every verifier judge every candidate, and repair rejected ones if the round is so configured.

    Args:
        config: A configuration file, or the name of one of ours, such as embedded or weekly.
        round_id: The round to continue or to start. Empty: a fresh configuration continues its unfinished round, or
            starts another one.
        corpus: A corpus in place of the configuration's, as FILE or FORMAT:FILE; the round is named after the file.
        bases: The number of base instances, in place of the configuration's.
        max_usd: The cost limit in US dollars, in place of the configuration's.
        probe: Whether every model is asked for one token before anything is bought.
        replay: A recording that answers in place of every networked model.
        again: `invalid` repeats unreadable judgements.
    """
    with _begun(RoundRequest(config, round_id, corpus, bases, max_usd, probe, replay, again)) as context:
        reports = run_stages(context, *registry.VERIFICATION)
        generation = context.config.generation
        for _ in range(generation.repairs if generation.repair_verdicts else 0):
            reports = run_stages(context, *registry.GENERATION, *registry.VERIFICATION)
        return reports


@flow(flow_run_name=_run_name, persist_result=False)
def assemble(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
    probe: bool = True,
    replay: str | None = None,
    again: str | None = None,
) -> list[StageReport]:
    """Sample items from the accepted candidates, by difficulty if so configured, and add the controls.

    Args:
        config: A configuration file, or the name of one of ours, such as embedded or weekly.
        round_id: The round to continue or to start. Empty: a fresh configuration continues its unfinished round, or
            starts another one.
        corpus: A corpus in place of the configuration's, as FILE or FORMAT:FILE; the round is named after the file.
        bases: The number of base instances, in place of the configuration's.
        max_usd: The cost limit in US dollars, in place of the configuration's.
        probe: Whether every model is asked for one token before anything is bought.
        replay: A recording that answers in place of every networked model.
        again: `invalid` repeats unreadable judgements.
    """
    with _begun(RoundRequest(config, round_id, corpus, bases, max_usd, probe, replay, again)) as context:
        return run_stages(context, *registry.ASSEMBLY)


@flow(flow_run_name=_run_name, persist_result=False)
def evaluate(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
    probe: bool = True,
    replay: str | None = None,
    again: str | None = None,
) -> list[StageReport]:
    """Let every respondent answer every item, judge the responses, and score them.

    Args:
        config: A configuration file, or the name of one of ours, such as embedded or weekly.
        round_id: The round to continue or to start. Empty: a fresh configuration continues its unfinished round, or
            starts another one.
        corpus: A corpus in place of the configuration's, as FILE or FORMAT:FILE; the round is named after the file.
        bases: The number of base instances, in place of the configuration's.
        max_usd: The cost limit in US dollars, in place of the configuration's.
        probe: Whether every model is asked for one token before anything is bought.
        replay: A recording that answers in place of every networked model.
        again: `invalid` repeats unreadable judgements.
    """
    with _begun(RoundRequest(config, round_id, corpus, bases, max_usd, probe, replay, again)) as context:
        return run_stages(context, *registry.RESPONSES)


@flow(flow_run_name=_run_name, persist_result=False)
def grade(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
    probe: bool = True,
    replay: str | None = None,
    again: str | None = None,
) -> list[StageReport]:
    """Write comparisons, grade them and the round's responses against the policies' propositions, and rate them.

    Args:
        config: A configuration file, or the name of one of ours, such as embedded or weekly.
        round_id: The round to continue or to start. Empty: a fresh configuration continues its unfinished round, or
            starts another one.
        corpus: A corpus in place of the configuration's, as FILE or FORMAT:FILE; the round is named after the file.
        bases: The number of base instances, in place of the configuration's.
        max_usd: The cost limit in US dollars, in place of the configuration's.
        probe: Whether every model is asked for one token before anything is bought.
        replay: A recording that answers in place of every networked model.
        again: `invalid` repeats unreadable judgements.
    """
    with _begun(RoundRequest(config, round_id, corpus, bases, max_usd, probe, replay, again)) as context:
        return run_stages(context, *registry.GRADING)


@flow(flow_run_name=_run_name, persist_result=False)
def finish(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
    probe: bool = True,
    replay: str | None = None,
    again: str | None = None,
) -> str:
    """Fit the reward weights, freeze the release, and return its name and version.

    Args:
        config: A configuration file, or the name of one of ours, such as embedded or weekly.
        round_id: The round to continue or to start. Empty: a fresh configuration continues its unfinished round, or
            starts another one.
        corpus: A corpus in place of the configuration's, as FILE or FORMAT:FILE; the round is named after the file.
        bases: The number of base instances, in place of the configuration's.
        max_usd: The cost limit in US dollars, in place of the configuration's.
        probe: Whether every model is asked for one token before anything is bought.
        replay: A recording that answers in place of every networked model.
        again: `invalid` repeats unreadable judgements.
    """
    with _begun(RoundRequest(config, round_id, corpus, bases, max_usd, probe, replay, again)) as context:
        run_stages(context, *registry.FITTING)
        return release_round(context)


PARTS: Final = (ingest, generate, verify, assemble, evaluate, grade, finish)
"""The flows of a round's parts, in their order."""


@flow(name="round", flow_run_name=_run_name, persist_result=False)
def round_flow(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
    probe: bool = True,
    replay: str | None = None,
    again: str | None = None,
) -> str:
    """Run a whole round, or the rest of it, and return its release's name and version.

    Args:
        config: A configuration file, or the name of one of ours, such as embedded or weekly.
        round_id: The round to continue or to start. Empty: a fresh configuration continues its unfinished round, or
            starts another one.
        corpus: A corpus in place of the configuration's, as FILE or FORMAT:FILE; the round is named after the file.
        bases: The number of base instances, in place of the configuration's.
        max_usd: The cost limit in US dollars, in place of the configuration's.
        probe: Whether every model is asked for one token before anything is bought.
        replay: A recording that answers in place of every networked model.
        again: `invalid` repeats unreadable judgements.
    """
    request = RoundRequest(config, round_id, corpus, bases, max_usd, probe, replay, again)
    with _begun(request) as context:
        fields = asdict(replace(request, round_id=context.round_id))
        results = [part(**fields) for part in PARTS]
        return _ended(context, cast("int", results[0]), str(results[-1]))


def _ended(context: RoundContext, bases: int, release: str) -> str:
    """Return the release as what a flow returns, with words of the round's end in the message of the run's state."""
    wanted = context.config.bases
    smaller = "" if bases >= wanted else f". The round is smaller: {bases} base instances of {wanted} that were wanted"
    return cast("str", Completed(data=release, message=f"Released {release}{smaller}"))  # Prefect unwraps it
