"""The errors of flows and engine, and the list of all errors of demur."""

from typing import Final

from demur.levers.explain import LeverError
from demur.plugins import PluginError
from demur.programs.errors import ProgramError
from demur.scoring import ScoringError
from demur.scoring.standalone.demur_reward import RewardError
from demur.warehouse.errors import WarehouseError


class FlowError(Exception):
    """A round, stage, setting or input that cannot be used.

    The message names the place, the actual value, the allowed values and the remedy. The command line prints it without
    a traceback.
    """


class CorpusError(FlowError):
    """A corpus file, or one row of it, that cannot be used."""


class ConfigError(FlowError):
    """A round configuration or setting that cannot be used."""


class StageStopped(FlowError):
    """A stage stopped: too many failures, an integrity gate, or no accepted item. The next run resumes it.

    `plain` is the message without texts of others, such as a provider's error; by default the message itself.
    `is_scored` is true if the results so far were scored before the evaluation stopped.
    """

    is_scored = False

    def __init__(self, message: str, plain: str | None = None) -> None:
        super().__init__(message)
        self.plain = message if plain is None else plain


class CapReachedError(StageStopped):
    """A stage stopped because a cap leaves no money. The next run with a higher cap resumes it.

    `lacking_usd` is the possible cost of one more request.
    """

    def __init__(self, message: str, lacking_usd: float) -> None:
        super().__init__(message)
        self.lacking_usd = lacking_usd


class ModelsDoNotAnswerError(FlowError):
    """Models do not answer the preflight of a round. Nothing was begun."""


class RoundBusyError(FlowError):
    """Another process works on the same round."""


OURS: Final = (FlowError, LeverError, PluginError, ProgramError, RewardError, ScoringError, WarehouseError)
"""All errors of demur. Their messages are shown to users without a traceback."""
