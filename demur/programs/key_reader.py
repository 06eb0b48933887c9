"""The key reader: says what the instructions of respondents demand of an instance, without knowing the key."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from demur.levers.instances import Passage
from demur.levers.vocabulary import ENGLISH, Code
from demur.programs.languages import in_language
from demur.programs.model import Model, SingleCall
from demur.programs.options import Prompts
from demur.programs.prompt_sizes import Prompt, PromptSample
from demur.programs.signatures.keys import ReadKey
from demur.programs.signatures.languages import language_input
from demur.programs.signatures.response import numbered, signature_of


class KeyReader(SingleCall):
    """Asks what the instructions of respondents demand. `prompts` is the set of prompts that respondents get."""

    def __init__(self, prompts: Prompts = Prompts.PUBLISHED) -> None:
        super().__init__("read_key", ReadKey)
        self._prompts = prompts

    def respondent_instructions(self, passages: Sequence[Passage]) -> str:
        """Return the instructions that respondents get for these passages."""
        return str(signature_of(self._prompts, several=len(passages) > 1, surely=False).instructions)


@dataclass(frozen=True, slots=True)
class KeyReading:
    """What instructions demand of an instance, and the other replies that could be defended by their words."""

    demanded: Code
    also_defensible: tuple[Code, ...]


async def read_key(
    program: KeyReader, model: Model, question: str, passages: Sequence[Passage], language: str = ENGLISH
) -> KeyReading | None:
    """Return a model's reading of an instance, or None if its reply cannot be read or a recording has none.

    Raises:
        LaneError: no reply came.
    """
    asked = {
        "respondent_instructions": program.respondent_instructions(passages),
        "question": question,
        "passages": numbered(p.text for p in passages),
    }
    reply = await model.run_if_readable(in_language(program, language), **asked, **language_input(language))
    if reply is None:
        return None
    others = (code for code in reply.also_defensible if code is not reply.demanded)
    return KeyReading(reply.demanded, tuple(dict.fromkeys(others)))


def key_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt."""
    passages = sample.base.passages
    instructions = KeyReader().respondent_instructions(passages)
    yield (
        ReadKey,
        {
            "respondent_instructions": instructions,
            "question": sample.base.question,
            "passages": numbered(p.text for p in passages),
        },
    )
