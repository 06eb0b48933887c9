"""A language model that programs can be run with; `demur.lanes.factory` opens them."""

from dataclasses import dataclass
from typing import Final

import dspy

from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.adapter.logprobs import YesNo, capture_logprobs, yes_no

_ADAPTER: Final = JsonAdapter()


@dataclass(frozen=True, slots=True)
class Model:
    """A language model that programs can be run with, under the name that the round gave it."""

    name: str
    lm: dspy.LM
    adapter: JsonAdapter = _ADAPTER

    async def run(self, program: dspy.Module, **inputs: object) -> dspy.Prediction:
        """Return the program's prediction; every request is recorded in the current scope.

        Raises:
            ReplyError: the model's reply could not be read, nor could the repaired one.
            LaneError: no reply came.
            OSError: a reply came but could not be written down.
        """
        with dspy.context(lm=self.lm, adapter=self.adapter, disable_history=True, warn_on_type_mismatch=False):
            return await program.acall(**inputs)

    async def yes_probability(self, program: dspy.Module, **inputs: object) -> YesNo:
        """Return how probable the model thinks a yes is, by the log-probabilities of the first token of its reply.

        The program must ask for plain text that begins with yes or no. Like any reply it is recorded and recalled.

        Raises:
            ReplyError: no log-probabilities came, or the reply begins with neither.
            LaneError: no reply came, or the model's lane has no log-probabilities.
        """
        with capture_logprobs() as capture:
            await self.run(program, **inputs)
        return yes_no(capture)
