"""The part `engine` of a round's configuration: threads of one process, or a cluster."""

from enum import StrEnum
from typing import Self

from pydantic import Field

from demur.errors import ConfigError
from demur.levers.models import Strict


class EngineKind(StrEnum):
    """Kinds of engines: threads of one process, or a Dask or Ray cluster."""

    THREADS = "threads"
    DASK = "dask"
    RAY = "ray"


class EngineChoice(Strict):
    """The engine of a round's shards.

    If the address of a cluster is None, a cluster is started on this machine, and stopped when the round ends.
    """

    kind: EngineKind = EngineKind.THREADS
    address: str | None = Field(default=None, description="address of a running cluster's scheduler", min_length=1)

    @classmethod
    def from_text(cls, text: str, place: str) -> Self:
        """Return the engine in a text such as `dask` or `dask:tcp://scheduler:8786`; `place` names the text in errors.

        Raises:
            ConfigError: the text names no engine.
        """
        kind, _, address = text.partition(":")
        if kind not in set(EngineKind) or (address and kind == EngineKind.THREADS):
            raise ConfigError(
                f"{place} '{text}' is not one of threads, dask, dask:ADDRESS, ray, ray:ADDRESS, such as "
                "dask:tcp://scheduler:8786"
            )
        return cls(kind=EngineKind(kind), address=address or None)
