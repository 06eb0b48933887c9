"""The list of all stages of a round, in their order, and the lists of the stages of each kind of round."""

from collections.abc import Iterator
from typing import Final

from demur.engine.context import RoundContext
from demur.engine.models import ModelLoad, YieldRates
from demur.engine.stage import Stage, StageReport, run_stage
from demur.flows.stages.bases.ingest import INGEST
from demur.flows.stages.bases.recall import RECALL
from demur.flows.stages.bases.screen import SCREEN
from demur.flows.stages.items.agree import AGREE
from demur.flows.stages.items.assemble import ASSEMBLE
from demur.flows.stages.items.deduplicate import DEDUPLICATE
from demur.flows.stages.items.generate import GENERATE
from demur.flows.stages.items.verify import VERIFY
from demur.flows.stages.questions.ask import ASK
from demur.flows.stages.questions.match import MATCH
from demur.flows.stages.questions.prove import PROVE
from demur.flows.stages.questions.read_documents import READ_DOCUMENTS
from demur.flows.stages.release import RELEASE
from demur.flows.stages.responses.judge import JUDGE
from demur.flows.stages.responses.respond import RESPOND
from demur.flows.stages.responses.score import SCORE
from demur.flows.stages.responses.unpack import UNPACK
from demur.flows.stages.rewards.fit import FIT
from demur.flows.stages.rewards.grade import GRADE
from demur.flows.stages.rewards.rate import RATE
from demur.flows.stages.rewards.read import READ
from demur.flows.stages.rewards.reward import REWARD
from demur.flows.stages.rewards.write import WRITE

INGESTION: Final = (READ_DOCUMENTS, MATCH, ASK, PROVE, RECALL, INGEST, SCREEN)
GENERATION: Final = (GENERATE, DEDUPLICATE)
VERIFICATION: Final = (VERIFY, AGREE)
ASSEMBLY: Final = (ASSEMBLE,)
RESPONSES: Final = (RESPOND, JUDGE, SCORE)
GRADING: Final = (WRITE, GRADE, RATE)
FITTING: Final = (FIT, REWARD)
STAGES: Final = (*INGESTION, *GENERATION, *VERIFICATION, *ASSEMBLY, *RESPONSES, *GRADING, *FITTING)
"""The stages of a round, in their order. Each flow of `demur.flows.round` runs one group of them."""

EVALUATION: Final = (UNPACK, RESPOND, JUDGE, SCORE)
"""The stages of an evaluation. Its items are those of a frozen release."""

OF_FILES: Final = {stage.name: (READ, stage) for stage in (GRADE, JUDGE)}
"""The stages of a round about the lines of a file. The key is the name of the stage that asks models."""

PAID_STAGES: Final = tuple(stage.name for stage in STAGES if stage.use is not None)
"""The names of the stages that ask models. Caps may name these stages."""


def stages_of(context: RoundContext) -> tuple[Stage, ...]:
    """Return the stages of a round in their order. Stages that the configuration does not need are left out."""
    if context.release is not None:
        return EVALUATION
    if context.file_given is not None:
        return OF_FILES[context.file_given.stage]
    config = context.config
    wanted = {
        **dict.fromkeys((READ_DOCUMENTS.name, PROVE.name), config.documents is not None),
        MATCH.name: config.documents is not None and config.documents.questions is not None,
        ASK.name: config.documents is not None and config.roles.asker is not None,
        RECALL.name: config.generation.known is not None,
        RATE.name: config.roles.rater is not None,
    }
    return tuple(stage for stage in STAGES if wanted.get(stage.name, True))


def run_stages(context: RoundContext, *stages: Stage) -> list[StageReport]:
    """Run stages one after the other and return their reports. Stages that the round does not need are left out."""
    return [run_stage(context, stage) for stage in stages if stage in stages_of(context)]


def steps_of(context: RoundContext) -> list[str]:
    """Return the names of a round's steps: its stages and, unless it evaluates a release or a file, `release`."""
    ends = [] if context.release is not None or context.file_given is not None else [RELEASE]
    return [*(stage.name for stage in stages_of(context)), *ends]


def round_loads(context: RoundContext, rates: YieldRates) -> Iterator[tuple[str, ModelLoad]]:
    """Yield the expected load of each model in each stage, with the name of the stage, in the order of the stages."""
    for stage in stages_of(context):
        if stage.use is not None:
            for load in stage.use.loads(context, rates):
                yield stage.name, load
