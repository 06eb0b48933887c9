"""The errors that this room raises, and all that are ours."""

from typing import Final

from demur.levers.errors import LeverError
from demur.plugins import PluginError
from demur.programs.errors import ProgramError
from demur.scoring.errors import ScoringError
from demur.warehouse.errors import WarehouseError


class FlowError(Exception):
    """A round, stage, setting or input that cannot be used.

    The message names the place, the actual value, what is allowed and the remedy, so that the command line can print
    it without a traceback.
    """


class CorpusError(FlowError):
    """A corpus file, or one row of it, that cannot be used."""


class ConfigError(FlowError):
    """A round configuration or setting that cannot be used."""


class StageStopped(FlowError):
    """A stage ended before the round may go on: too many failures, or an integrity gate; running again resumes it."""


class CapReachedError(StageStopped):
    """A stage ended because a cap leaves no money; running again with a higher one goes on.

    `lacking_usd` is what one more request could cost.
    """

    def __init__(self, message: str, lacking_usd: float) -> None:
        super().__init__(message)
        self.lacking_usd = lacking_usd


class ModelsDoNotAnswerError(FlowError):
    """Models of a round do not answer, as asking each of them for one token showed; nothing was begun."""


class RoundBusyError(FlowError):
    """Another process is working on the same round."""


OURS: Final = (FlowError, LeverError, PluginError, ProgramError, ScoringError, WarehouseError)
"""The rooms' own errors: the message is all that a user needs."""
