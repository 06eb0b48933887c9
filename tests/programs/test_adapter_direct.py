"""The short way from a program to a model's engine, and when the long one through dspy.LM is taken instead."""

import dspy
import pytest
from dspy.lm15 import Message, Request, Response, Usage
from dspy.utils.callback import BaseCallback

from demur.programs.adapter.json_adapter import Direct, JsonAdapter
from demur.programs.errors import ErrorKind, LaneError


class Question(dspy.Signature):  # type: ignore[misc]
    """Answer the question."""

    question: str = dspy.InputField(desc="what is asked")
    answer: str = dspy.OutputField(desc="the answer")


class Engine:
    """Answers, or raises what it was given."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    async def complete(self, request: Request) -> Response:
        """Return an answer."""
        if self.error:
            raise self.error
        usage = Usage(input_tokens=1, output_tokens=1)
        return Response(id=None, model="m", message=Message.assistant("42"), finish_reason="stop", usage=usage)


class Sync:
    """The other engine that dspy.LM wants."""

    def complete(self, request: Request) -> Response:
        """Never called."""
        raise NotImplementedError


class Heard(BaseCallback):  # type: ignore[misc]
    """Counts calls of language models."""

    calls = 0

    def on_lm_start(self, call_id: str, instance: object, inputs: dict[str, object]) -> None:
        """Count one."""
        self.calls += 1


async def answer(engine: Engine, *, history: bool = False, callbacks: tuple[BaseCallback, ...] = ()) -> dspy.LM:
    lm = dspy.LM("demur/m", engine=Sync(), async_engine=engine, cache=False, num_retries=0)
    adapter = JsonAdapter(Direct(lm, engine))
    with dspy.context(lm=lm, adapter=adapter, disable_history=not history, callbacks=list(callbacks)):
        prediction = await dspy.Predict(Question).acall(question="What is six times seven?")
    assert prediction.answer == "42"
    return lm


async def test_direct_unobserved_request_goes_to_the_engine() -> None:
    assert (await answer(Engine())).history == []


async def test_direct_history_that_is_wanted_is_kept() -> None:
    assert len((await answer(Engine(), history=True)).history) == 1


async def test_direct_callbacks_hear_of_the_model() -> None:
    heard = Heard()
    await answer(Engine(), callbacks=(heard,))
    assert heard.calls == 1


@pytest.mark.parametrize("error", [LaneError("away", kind=ErrorKind.SERVER), OSError(28, "disk full")])
async def test_direct_known_error_is_passed_on(error: Exception) -> None:
    with pytest.raises(type(error)) as raised:
        await answer(Engine(error))
    assert raised.value is error


async def test_direct_fault_of_a_library_ends_the_unit_only() -> None:
    with pytest.raises(LaneError, match="KeyError") as raised:
        await answer(Engine(KeyError("choices")))
    assert raised.value.kind is ErrorKind.UNEXPECTED
