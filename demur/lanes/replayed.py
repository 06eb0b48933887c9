"""Models of a round that answer from a recording of the round."""

from pathlib import Path

from demur.lanes.registry import RECORDED
from demur.lanes.spec import Mode, ModelSpec


class Replayed(ModelSpec):
    """A model in whose place a recording of it answers; its results are those of the model itself."""

    read_from: Path

    @classmethod
    def by(cls, spec: ModelSpec, recording: Path) -> "Replayed":
        """Return a model of a round that answers from a recording."""
        given = {name: getattr(spec, name) for name in ModelSpec.model_fields}
        return cls.model_construct(**(given | {"mode": Mode.LIVE, "read_from": recording}))

    @property
    def lane_name(self) -> str:
        """Not its provider's."""
        return RECORDED

    @property
    def recording(self) -> tuple[Path, str]:
        """The recording, in which the model keeps its name in the round."""
        return self.read_from, self.name

    @property
    def key_variable(self) -> None:
        """No key is needed."""

    @property
    def variables(self) -> tuple[str, ...]:
        """No key is needed."""
        return ()

    @property
    def key_source(self) -> None:
        """No key is needed."""
