"""All stages of a round, in their order: flows, caps, estimates and progress take them from here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from demur.engine.context import RoundContext
from demur.engine.model_use import ModelLoad, YieldRates
from demur.engine.stage import Stage, StageReport, run_stage
from demur.flows.stages.adjudicate.stage import ADJUDICATE
from demur.flows.stages.agree.stage import AGREE
from demur.flows.stages.assemble.stage import ASSEMBLE
from demur.flows.stages.deduplicate.stage import DEDUPLICATE
from demur.flows.stages.fit.stage import FIT
from demur.flows.stages.generate.stage import GENERATE
from demur.flows.stages.grade.stage import GRADE
from demur.flows.stages.ingest.stage import INGEST
from demur.flows.stages.judge.stage import JUDGE
from demur.flows.stages.pretest.stage import PRETEST
from demur.flows.stages.rate.stage import RATE
from demur.flows.stages.recall.stage import RECALL
from demur.flows.stages.release import RELEASE, release_round
from demur.flows.stages.respond.stage import RESPOND
from demur.flows.stages.reward.stage import REWARD
from demur.flows.stages.score.stage import SCORE
from demur.flows.stages.screen.stage import SCREEN
from demur.flows.stages.screen.waves import ingest_and_screen
from demur.flows.stages.unpack.stage import UNPACK
from demur.flows.stages.verify.stage import VERIFY
from demur.flows.stages.write.stage import WRITE
from demur.programs.prompt_sizes import Sizes


@dataclass(frozen=True, slots=True)
class RoundPart:
    """One flow of a round and the stages that it runs, one after the other unless `work` does it another way."""

    name: str
    stages: tuple[Stage, ...]
    description: str
    work: Callable[[RoundContext], Any] | None = None

    def run(self, context: RoundContext) -> Any:
        """Do what is left of the part; return reports of the stages that the round has, or what `work` returns."""
        if self.work is not None:
            return self.work(context)
        return [run_stage(context, stage) for stage in self.stages if stage in stages_of(context)]


def _verify(context: RoundContext) -> list[StageReport]:
    """Verify, and where the round asks for it let generators repair what was turned down, and verify that."""
    reports = [run_stage(context, stage) for stage in (VERIFY, AGREE)]
    generation = context.config.generation
    for _ in range(generation.repairs if generation.repair_verdicts else 0):
        reports = [run_stage(context, stage) for stage in (GENERATE, DEDUPLICATE, VERIFY, AGREE)]
    return reports


def _finish(context: RoundContext) -> str:
    for stage in (FIT, REWARD):
        run_stage(context, stage)
    return release_round(context)


PARTS: Final = (
    RoundPart(
        "ingest",
        (RECALL, INGEST, SCREEN),
        "Draw base instances from the corpus, by what probes know where the round wants that, and screen them; "
        "return their number.",
        ingest_and_screen,
    ),
    RoundPart(
        "generate",
        (GENERATE, DEDUPLICATE),
        "Let every generator perturb every base instance in every stratum, and find duplicates.",
    ),
    RoundPart("verify", (VERIFY, AGREE), "Let every verifier judge every candidate, and count the verdicts.", _verify),
    RoundPart(
        "assemble",
        (PRETEST, ADJUDICATE, ASSEMBLE),
        "Let probes respond where items are chosen by difficulty, sample items from what stands, and add the controls.",
    ),
    RoundPart(
        "evaluate",
        (RESPOND, JUDGE, SCORE),
        "Let every respondent answer every item, judge the responses, score.",
    ),
    RoundPart(
        "grade",
        (WRITE, GRADE, RATE),
        "Write comparisons, grade them and the round's responses against the policies' propositions, and rate them.",
    ),
    RoundPart(
        "finish",
        (FIT, REWARD),
        "Fit the reward weights and freeze the release; return its name and version.",
        _finish,
    ),
)
"""The parts of a round, in the order in which they stand on each other."""

STAGES: Final = tuple(stage for part in PARTS for stage in part.stages)

EVALUATION: Final = (UNPACK, RESPOND, JUDGE, SCORE)
"""The stages of an evaluation, a round whose items are those of a frozen release."""

PAID_STAGES: Final = tuple(stage.name for stage in STAGES if stage.use is not None)
"""The stages that ask models, which caps may name."""


def stages_of(context: RoundContext) -> tuple[Stage, ...]:
    """Return the stages of a round, or those of an evaluation."""
    if context.release is not None:
        return EVALUATION
    config = context.config
    chooses, rates = config.assemble.difficulty is not None, config.roles.rater is not None
    wanted = {
        RECALL.name: config.generation.known is not None,
        PRETEST.name: chooses,
        ADJUDICATE.name: chooses,
        RATE.name: rates,
    }
    return tuple(stage for stage in STAGES if wanted.get(stage.name, True))


def steps_of(context: RoundContext) -> list[str]:
    """Return the steps of a round or an evaluation, as progress names them."""
    return [*(stage.name for stage in stages_of(context)), *([RELEASE] if context.release is None else [])]


def round_loads(context: RoundContext, sizes: Sizes, rates: YieldRates) -> Iterator[tuple[str, ModelLoad]]:
    """Yield who is asked how often, with the stage, in the order of the stages, which no rate changes."""
    for stage in stages_of(context):
        if stage.use is not None:
            for load in stage.use.loads(context, sizes, rates):
                yield stage.name, load
