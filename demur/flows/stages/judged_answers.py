"""Questions that a model answers and the round's first judge judges in one unit; the answer is not used again."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias

from demur.configuration.settings import keys_of
from demur.engine.context import RoundContext
from demur.lanes.factory import open_models
from demur.levers.instances import Passage
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.judge import Judge, Judgement, judge
from demur.programs.respondent import Respondent, respond

Answer: TypeAlias = Callable[[str, str, Sequence[str], tuple[Passage, ...]], Awaitable[tuple[str, Judgement]]]
"""Returns what a model, by name, says to a question, and what the judge says of it by the accepted answers."""


def answering_programs(context: RoundContext) -> tuple[str, str]:
    """Return the fingerprints of the programs that answer and judge."""
    config = context.config
    return fingerprint(Respondent(config.response_prompts[0])), fingerprint(Judge(plain=config.is_plain))


@asynccontextmanager
async def open_answering(context: RoundContext, role: str, names: tuple[str, ...]) -> AsyncIterator[Answer]:
    """Open the models of a role and the first judge."""
    specs = context.specs(names)
    judges = context.specs(context.config.roles.judges[:1])
    respondent = Respondent(context.config.response_prompts[0])
    judging = Judge(plain=context.config.is_plain)
    async with (
        open_models(specs, role, keys_of(specs)) as answering,
        open_models(judges, "judge", keys_of(judges)) as judge_models,
    ):

        async def answer(
            name: str, question: str, answers: Sequence[str], passages: tuple[Passage, ...]
        ) -> tuple[str, Judgement]:
            said = (await respond(respondent, answering[name], question, passages)).text
            return said, await judge(judging, judge_models[judges[0].name], question, answers, said, passages)

        yield answer
