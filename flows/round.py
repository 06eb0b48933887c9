"""The flows that people run: a whole round, or one of its stages alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from prefect import Flow, flow
from prefect.runtime import flow_run

from demur.flows.context import RoundContext
from demur.flows.errors import StageStopped
from demur.flows.gate import document_gates
from demur.flows.planning.estimating import keep_estimate
from demur.flows.probing import waive_probe
from demur.flows.round_session import RoundRequest, round_session
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
_open: ContextVar[RoundContext | None] = ContextVar("_open", default=None)


def _run_name() -> str:
    """Name a flow run after its round and stage."""
    given = flow_run.parameters
    which = given.get("round_id") or Path(given.get("corpus") or given.get("config") or EMBEDDED).stem
    return f"{which}/{flow_run.flow_name}"


_NAMED: dict[str, Any] = {"flow_run_name": _run_name, "validate_parameters": True, "persist_result": False}


@contextmanager
def _begun(request: RoundRequest) -> Iterator[RoundContext]:
    """Open a round, record what it is estimated to take, and write the Data Docs of its gates when the flow ends.

    A flow inside the flow of the same round works in the session that is open already.
    """
    context = _open.get()
    if context is not None and context.round_id == request.round_id:
        yield context
        return
    with round_session(request) as context:
        keep_estimate(context)
        token = _open.set(context)
        try:
            yield context
        except StageStopped:
            document_gates(context)
            raise
        finally:
            _open.reset(token)
        document_gates(context)


def _flow(name: str, work: Callable[[RoundContext], Any], description: str) -> Flow[..., Any]:
    """Return the flow that does one part of a round; every part takes the fields of a RoundRequest as parameters."""

    def run(
        config: str = EMBEDDED,
        round_id: str | None = None,
        corpus: str | None = None,
        bases: int | None = None,
        max_usd: float | None = None,
    ) -> Any:
        with _begun(RoundRequest(config, round_id, corpus, bases, max_usd)) as context:
            return work(context)

    run.__name__ = name
    return flow(name=name, description=description, **_NAMED)(run)


def _stages(*stages: Stage) -> Callable[[RoundContext], list[StageReport]]:
    return lambda context: [run_stage(context, stage) for stage in stages]


def _finish(context: RoundContext) -> str:
    _stages(FIT, REWARD)(context)
    return finish_round(context)


ingest = _flow("ingest", run_ingest, "Draw base instances from the corpus and screen them; return their number.")
generate = _flow(
    "generate",
    _stages(GENERATE, DEDUPLICATE),
    "Let every generator perturb every base instance in every stratum, and find duplicates among the perturbations.",
)
verify = _flow("verify", run_verify, "Let every verifier judge every candidate, and count the verdicts.")
assemble = _flow("assemble", _stages(ASSEMBLE), "Sample items from what was accepted, and add the controls.")
evaluate = _flow(
    "evaluate",
    _stages(RESPOND, JUDGE, SCORE),
    "Let every respondent answer every item, judge the responses, score.",
)
grade = _flow(
    "grade",
    _stages(WRITE, GRADE),
    "Write comparisons, and grade them and the round's responses against the policies' propositions.",
)
finish = _flow("finish", _finish, "Fit the reward weights and freeze the release; return its name and version.")

ORDER: Final = (ingest, generate, verify, assemble, evaluate, grade, finish)
"""The parts of a round, in the order in which they stand on each other."""


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
    with _begun(RoundRequest(config, round_id, corpus, bases, max_usd)) as context:
        if not probe:
            waive_probe(context)
        release: Any = ""
        for part in ORDER:
            release = part(config=config, round_id=context.round_id, corpus=corpus, bases=bases, max_usd=max_usd)
        return str(release)
