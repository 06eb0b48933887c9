"""The flows that people run: a whole round, or one of its stages alone."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from prefect import flow
from prefect.runtime import flow_run

from demur.flows.context import RoundContext
from demur.flows.errors import StageStopped
from demur.flows.gate import document_gates
from demur.flows.opening import Wanted, opened
from demur.flows.planning.estimating import keep_estimate
from demur.flows.probing import waive_probe
from demur.flows.stage import Stage, StageReport, run_stage
from demur.flows.stages.agree import AGREE
from demur.flows.stages.assemble import ASSEMBLE
from demur.flows.stages.deduplicate import DEDUPLICATE
from demur.flows.stages.evaluate import JUDGE, RESPOND
from demur.flows.stages.finish import RELEASE, finish_round
from demur.flows.stages.fit import FIT, REWARD
from demur.flows.stages.generate import GENERATE
from demur.flows.stages.grade import GRADE
from demur.flows.stages.ingest import SCREEN, run_ingest
from demur.flows.stages.score import SCORE
from demur.flows.stages.verify import VERIFY, run_verify
from demur.flows.stages.write import WRITE

EMBEDDED: Final = "embedded"
_entered: ContextVar[str | None] = ContextVar("_entered", default=None)


def _run_name() -> str:
    """Name a flow run after its round and stage."""
    given = flow_run.parameters
    which = given.get("round_id") or Path(given.get("corpus") or given.get("config") or EMBEDDED).stem
    return f"{which}/{flow_run.flow_name}"


_NAMED: dict[str, Any] = {"flow_run_name": _run_name, "validate_parameters": True, "persist_result": False}


@contextmanager
def _begun(wanted: Wanted) -> Iterator[RoundContext]:
    """Open a round, record what it is estimated to take, and write the Data Docs of its gates when the flow ends.

    A flow inside another leaves the Data Docs to that one, so that Great Expectations is imported once a round.
    """
    with opened(wanted) as context:
        keep_estimate(context)
        outermost = _entered.get() is None
        token = _entered.set(context.round_id)
        try:
            yield context
        except StageStopped:
            if outermost:
                document_gates(context)
            raise
        finally:
            _entered.reset(token)
        if outermost:
            document_gates(context)


def _stages(wanted: Wanted, stages: Sequence[Stage]) -> list[StageReport]:
    with _begun(wanted) as context:
        return [run_stage(context, stage) for stage in stages]


@flow(name="ingest", **_NAMED)
def ingest(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
) -> int:
    """Draw base instances from the corpus and screen them; return how many the round has."""
    with _begun(Wanted(config, round_id, corpus, bases, max_usd)) as context:
        return run_ingest(context)


@flow(name="generate", **_NAMED)
def generate(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
) -> list[StageReport]:
    """Let every generator perturb every base instance in every stratum, and find duplicates in what came of it."""
    return _stages(Wanted(config, round_id, corpus, bases, max_usd), [GENERATE, DEDUPLICATE])


@flow(name="verify", **_NAMED)
def verify(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
) -> list[StageReport]:
    """Let every verifier judge every candidate, and count what their verdicts add up to."""
    with _begun(Wanted(config, round_id, corpus, bases, max_usd)) as context:
        return run_verify(context)


@flow(name="assemble", **_NAMED)
def assemble(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
) -> list[StageReport]:
    """Sample items from what was accepted, and add the controls."""
    return _stages(Wanted(config, round_id, corpus, bases, max_usd), [ASSEMBLE])


@flow(name="evaluate", **_NAMED)
def evaluate(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
) -> list[StageReport]:
    """Let every respondent answer every item, judge the responses, count the scores."""
    return _stages(Wanted(config, round_id, corpus, bases, max_usd), [RESPOND, JUDGE, SCORE])


@flow(name="grade", **_NAMED)
def grade(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
) -> list[StageReport]:
    """Write comparisons, and grade them and the round's responses against the policies' propositions."""
    return _stages(Wanted(config, round_id, corpus, bases, max_usd), [WRITE, GRADE])


@flow(name="finish", **_NAMED)
def finish(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
) -> str:
    """Fit the reward weights and freeze the release; return its name and version."""
    with _begun(Wanted(config, round_id, corpus, bases, max_usd)) as context:
        for stage in (FIT, REWARD):
            run_stage(context, stage)
        return finish_round(context)


ORDER: Final[tuple[Callable[..., Any], ...]] = (ingest, generate, verify, assemble, evaluate, grade, finish)
"""The stages of a round, in the order in which they stand on each other."""


STAGES: Final = (
    *("ingest", SCREEN.name, GENERATE.name, DEDUPLICATE.name, VERIFY.name, AGREE.name, ASSEMBLE.name, RESPOND.name),
    *(JUDGE.name, SCORE.name, WRITE.name, GRADE.name, FIT.name, REWARD.name, RELEASE),
)
"""What those flows work on, one after the other, as progress names it."""


@flow(name="round", **_NAMED)
def round_flow(
    config: str = EMBEDDED,
    round_id: str | None = None,
    corpus: str | None = None,
    bases: int | None = None,
    max_usd: float | None = None,
    probe: bool = True,
) -> str:
    """Run a whole round, or what is left of it; return its release's name and version.

    Before anything is bought, every model is asked for one token, unless `probe` is false.
    """
    with _begun(Wanted(config, round_id, corpus, bases, max_usd)) as context:
        if not probe:
            waive_probe(context)
        release = ""
        for stage in ORDER:
            release = stage(config=config, round_id=context.round_id, corpus=corpus, bases=bases, max_usd=max_usd)
        return release
