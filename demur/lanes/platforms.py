"""Platforms with Anthropic's models, through the anthropic SDK: Amazon Bedrock and Google Vertex AI.

Credentials come from `api_key_env`, or from where the platform's SDK looks for credentials (environment, profile,
metadata server).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from typing import Final

from demur.programs.errors import ErrorKind, LaneError


class Via(StrEnum):
    """The platforms."""

    BEDROCK = "bedrock"
    VERTEX = "vertex"


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform: its Python package, its models' names in litellm's price table, and whether it needs a project."""

    package: str
    remedy: str
    price_names: tuple[str, ...]
    needs_project: bool = False


PLATFORMS: Final[Mapping[Via, Platform]] = {
    Via.BEDROCK: Platform(
        package="boto3",
        remedy="Are there AWS credentials (AWS_PROFILE, AWS_ACCESS_KEY_ID and so on, or a role), still valid?",
        price_names=("bedrock/{region}/{model}", "{model}"),
    ),
    Via.VERTEX: Platform(
        package="google.auth",
        remedy="Are there Google credentials (GOOGLE_APPLICATION_CREDENTIALS, or gcloud auth), still valid?",
        price_names=("vertex_ai/{model}",),
        needs_project=True,
    ),
}
_CREDENTIALS: Final = ("botocore.", "boto3.", "google.auth.", "google.oauth2.")
_UNRESOLVED: Final = ("Could not resolve AWS credentials", "Could not resolve API token", "Could not resolve project")


def credentials_error(error: Exception) -> LaneError | None:
    """Return the LaneError for missing or refused credentials of a platform; None for another error."""
    cause: BaseException | None = error
    while cause is not None:
        said = str(cause)
        if type(cause).__module__.startswith(_CREDENTIALS) or said.startswith(_UNRESOLVED):
            return LaneError(f"{type(cause).__name__}: {said}", kind=ErrorKind.AUTHENTICATION)
        cause = cause.__cause__
    return None


def missing_package(via: Via) -> str | None:
    """Return the name of a platform's package if it is not installed, else None."""
    package = PLATFORMS[via].package
    try:
        installed = find_spec(package) is not None
    except ModuleNotFoundError:
        installed = False
    return None if installed else package.replace(".", "-")
