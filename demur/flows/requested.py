"""Prefect flows whose parameters are the fields of a request."""

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Protocol, TypeVar, cast

from prefect import Flow
from prefect.runtime import flow_run

from demur.engine.tasks import is_outside_prefect


class Request(Protocol):
    """A dataclass whose fields are the parameters of a flow."""

    def run_name(self, flow_name: str) -> str:
        """Return the name under which Prefect lists a run of the flow `flow_name`."""


R = TypeVar("R", bound=Request)
T = TypeVar("T")


class _RequestedFlow(Flow[..., T]):
    """A flow that is a plain function in a block of `outside_prefect`."""

    def __call__(self, *values: Any, **named: Any) -> Any:
        return self.fn(*values, **named) if is_outside_prefect() else super().__call__(*values, **named)


def requested_flow(request: type[R], name: str | None = None) -> Callable[[Callable[[R], T]], Flow[..., T]]:
    """Return a decorator. It turns a function whose only argument is a request into a Prefect flow.

    The flow has a parameter for each field of the class `request`. Prefect describes the parameters by the section
    "Attributes" of the class's docstring. If `name` is None, the flow has the name of the function.
    """

    def run_name() -> str:
        return request(**flow_run.parameters).run_name(str(flow_run.flow_name))

    def decorated(work: Callable[[R], T]) -> Flow[..., T]:
        def run(*values: object, **named: object) -> T:
            return work(request(*values, **named))

        _, _, attributes = str(inspect.getdoc(request)).partition("Attributes:")
        described = cast("Any", update_wrapper(run, work))
        del described.__wrapped__  # Prefect would read the parameters of `work`
        described.__signature__ = inspect.signature(request)
        described.__doc__ = f"{inspect.getdoc(work)}\n\nArgs:{attributes}"
        return _RequestedFlow(run, name=name, flow_run_name=run_name, persist_result=False)

    return decorated
