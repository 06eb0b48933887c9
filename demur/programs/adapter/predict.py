"""dspy.Predict without its checks of every field where requests go to the model's engine directly."""

from functools import lru_cache
from typing import Any

import dspy

from demur.programs.adapter.json_adapter import JsonAdapter


class Predict(dspy.Predict):  # type: ignore[misc]
    """dspy.Predict, for optimisers and for saving too; just faster where it is asked for all its inputs and no more.

    DSPy goes through every field of a signature many times for each request: to warn of missing and further inputs,
    and to see whether adapters for other kinds of output are needed. Our adapter refuses what does not fit.
    """

    async def aforward(self, **inputs: Any) -> dspy.Prediction:
        """Return the output fields."""
        adapter = dspy.settings.adapter
        lm = self.lm or dspy.settings.lm
        short = isinstance(adapter, JsonAdapter) and adapter.is_direct(lm)
        if not short or self.config or inputs.keys() != _inputs(self.signature):
            return await super().aforward(**inputs)
        completions = await adapter.acall(lm, {}, self.signature, self.demos, inputs)
        return self._forward_postprocess(completions, self.signature, **inputs)


class SingleCall(dspy.Module):  # type: ignore[misc]
    """A program of one question; compiled programs are kept by the question's name."""

    def __init__(self, name: str, signature: type[dspy.Signature]) -> None:
        super().__init__()
        self._name = name
        setattr(self, name, Predict(signature))

    async def aforward(self, **inputs: object) -> dspy.Prediction:
        """Return the signature's output fields."""
        return await getattr(self, self._name).acall(**inputs)

    def forward(self, **inputs: object) -> dspy.Prediction:
        """Return the same for DSPy's synchronous callers."""
        return getattr(self, self._name)(**inputs)


@lru_cache(maxsize=256)
def _inputs(signature: type[dspy.Signature]) -> frozenset[str]:
    return frozenset(signature.input_fields)
