"""Questions that a model answers and the round's first judge judges in one unit; the answer is not used again."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias

from demur.configuration.settings import keys_of
from demur.engine.context import RoundContext
from demur.lanes.factory import open_models
from demur.levers.instances import Passage
from demur.levers.vocabulary import ENGLISH
from demur.programs.judge import Judge, Judgement, judge
from demur.programs.languages import fingerprint_in
from demur.programs.respondent import Respondent, respond

Answer: TypeAlias = Callable[[str, str, Sequence[str], tuple[Passage, ...], str], Awaitable[tuple[str, Judgement]]]
"""Returns what a model, by name, says to a question of a language, and what the judge says by the accepted answers."""


def answering_programs(context: RoundContext, language: str = ENGLISH) -> tuple[str, str]:
    """Return the fingerprints of the programs that answer and judge in a language."""
    config = context.config
    programs = Respondent(config.response_prompts[0]), Judge(plain=config.is_plain)
    answering, judging = (fingerprint_in(program, language) for program in programs)
    return answering, judging


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
            name: str, question: str, answers: Sequence[str], passages: tuple[Passage, ...], language: str
        ) -> tuple[str, Judgement]:
            said = (await respond(respondent, answering[name], question, passages, language)).text
            model = judge_models[judges[0].name]
            return said, await judge(judging, model, question, answers, said, passages, language)

        yield answer
