"""A language model that runs programs; `demur.lanes.factory` opens models."""

from dataclasses import dataclass
from typing import Final

import dspy

from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.adapter.logprobs import YesNo, capture_logprobs, yes_no

_ADAPTER: Final = JsonAdapter()


@dataclass(frozen=True, slots=True)
class Model:
    """A language model that runs programs, under its name in the round."""

    name: str
    lm: dspy.LM
    adapter: JsonAdapter = _ADAPTER

    async def run(self, program: dspy.Module, **inputs: object) -> dspy.Prediction:
        """Return the program's prediction. Each request is recorded in the current scope.

        Raises:
            ReplyError: neither the reply nor its correction could be read.
            LaneError: no reply came.
            OSError: a reply could not be stored.
        """
        with dspy.context(lm=self.lm, adapter=self.adapter, disable_history=True, warn_on_type_mismatch=False):
            return await program.acall(**inputs)

    async def yes_probability(self, program: dspy.Module, **inputs: object) -> YesNo:
        """Return the probability of a yes, by the log-probabilities of the reply's first token.

        The program must ask for plain text that begins with yes or no.

        Raises:
            ReplyError: no log-probabilities came, or the reply begins with neither.
            LaneError: no reply came, or the lane has no log-probabilities.
        """
        with capture_logprobs() as capture:
            await self.run(program, **inputs)
        return yes_no(capture)
