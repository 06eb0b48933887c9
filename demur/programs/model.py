"""Base classes of programs, and the language model that runs programs. `demur.lanes.engine` creates these models."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import dspy

from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.adapter.reply_fields import YesNo, capture_logprobs, yes_no
from demur.programs.call_scope import note_unreadable
from demur.programs.errors import ErrorKind, LaneError, ReplyError

_ADAPTER: Final = JsonAdapter()


@dataclass(frozen=True, slots=True)
class Model:
    """A language model that runs programs. `name` is the model's name in the round."""

    name: str
    lm: dspy.LM
    adapter: JsonAdapter = _ADAPTER

    async def run(self, program: dspy.Module, **inputs: object) -> dspy.Prediction:
        """Return the program's prediction. Each request is recorded in the scope of the current unit.

        Raises:
            ReplyError: neither the reply nor its correction could be read.
            LaneError: no reply came.
            OSError: a reply could not be stored.
        """
        with dspy.context(lm=self.lm, adapter=self.adapter, disable_history=True, warn_on_type_mismatch=False):
            return await program.acall(**inputs)

    async def run_if_readable(self, program: dspy.Module, **inputs: object) -> dspy.Prediction | None:
        """Return the program's prediction; None if no reply can be read, or if a recording has none.

        For requests that a unit can do without.

        Raises:
            LaneError: no reply came.
            OSError: a reply could not be stored.
        """
        try:
            return await self.run(program, **inputs)
        except ReplyError as exc:
            note_unreadable(exc.problem)
        except LaneError as exc:
            if exc.kind is not ErrorKind.NOT_RECORDED:
                raise
        return None

    async def yes_probability(self, program: dspy.Module, **inputs: object) -> YesNo:
        """Return the probability of a yes, computed from the log-probabilities of the reply's first token.

        The program must ask for plain text that begins with yes or no.

        Raises:
            ReplyError: no log-probabilities came, or the reply begins with neither yes nor no.
            LaneError: no reply came, or the lane has no log-probabilities.
        """
        with capture_logprobs() as capture:
            await self.run(program, **inputs)
        return yes_no(capture)


class Predict(dspy.Predict):  # type: ignore[misc]
    """dspy.Predict with a shorter way for requests with all inputs that go straight to the model's engine.

    For each request, DSPy checks all fields of a signature many times, to warn about inputs and to find fields that
    only other adapters use. These checks are not needed here, since `JsonAdapter` refuses wrong inputs.
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


class Program(dspy.Module):  # type: ignore[misc]
    """A program that answers each call with one of its predictors."""

    def chosen(self, inputs: dict[str, Any]) -> tuple[Predict, dict[str, Any]]:
        """Return the predictor for `inputs`, and the input fields of the predictor's signature."""
        raise NotImplementedError

    async def aforward(self, **inputs: Any) -> dspy.Prediction:
        """Return the output fields of the predictor's signature."""
        predict, fields = self.chosen(inputs)
        return await predict.acall(**fields)

    def forward(self, **inputs: Any) -> dspy.Prediction:
        """Return the output fields. No event loop is needed. DSPy's optimisers call this method."""
        predict, fields = self.chosen(inputs)
        return predict(**fields)


class SingleCall(Program):
    """A program with one predictor. `name` is the predictor's key in saved programs."""

    def __init__(self, name: str, signature: type[dspy.Signature]) -> None:
        super().__init__()
        self._name = name
        setattr(self, name, Predict(signature))

    def chosen(self, inputs: dict[str, Any]) -> tuple[Predict, dict[str, Any]]:
        """Return the only predictor, with the inputs unchanged."""
        return getattr(self, self._name), inputs


@lru_cache(maxsize=256)
def _inputs(signature: type[dspy.Signature]) -> frozenset[str]:
    return frozenset(signature.input_fields)
