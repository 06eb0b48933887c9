"""The engine that runs the shards of a round: threads of its process, or a cluster."""

from enum import StrEnum
from typing import Self

from pydantic import Field

from demur.errors import ConfigError
from demur.levers.models import Strict


class EngineKind(StrEnum):
    """Prefect's task runners."""

    THREADS = "threads"
    DASK = "dask"
    RAY = "ray"


class EngineChoice(Strict):
    """The engine of a round; without an address a cluster is started on this machine, and ended with the round."""

    kind: EngineKind = EngineKind.THREADS
    address: str | None = Field(default=None, description="of a running cluster's scheduler", min_length=1)

    @classmethod
    def from_text(cls, text: str, place: str) -> Self:
        """Return the engine that a text such as `dask` or `dask:tcp://scheduler:8786` names.

        Raises:
            ConfigError: it names none; `place` says where the text stands.
        """
        kind, _, address = text.partition(":")
        if kind not in set(EngineKind) or (address and kind == EngineKind.THREADS):
            raise ConfigError(
                f"{place} '{text}' is not one of threads, dask, dask:ADDRESS, ray, ray:ADDRESS, such as "
                "dask:tcp://scheduler:8786"
            )
        return cls(kind=EngineKind(kind), address=address or None)
