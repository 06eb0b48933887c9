"""Anthropic's models on other people's platforms: Amazon Bedrock and Google Vertex AI, through the anthropic SDK.

Credentials come from the platform's own chain (environment, profile, metadata server), or from `api_key_env`.
"""

from enum import StrEnum
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from demur.programs.errors import ErrorKind, LaneError, ProgramError

if TYPE_CHECKING:
    from demur.programs.lanes.spec import ModelSpec


class Via(StrEnum):
    """The platforms."""

    BEDROCK = "bedrock"
    VERTEX = "vertex"


_NEEDS: Final = {Via.BEDROCK: "boto3", Via.VERTEX: "google.auth"}
_CREDENTIALS: Final = ("botocore.", "boto3.", "google.auth.", "google.oauth2.")
_UNRESOLVED: Final = ("Could not resolve AWS credentials", "Could not resolve API token", "Could not resolve project")
HELP: Final = {
    Via.BEDROCK: "Are there AWS credentials (AWS_PROFILE, AWS_ACCESS_KEY_ID and so on, or a role), still valid?",
    Via.VERTEX: "Are there Google credentials (GOOGLE_APPLICATION_CREDENTIALS, or gcloud auth), still valid?",
}


def open_platform(anthropic: ModuleType, spec: "ModelSpec", api_key: str | None, options: dict[str, Any]) -> Any:
    """Return the SDK's client for the platform that a spec names.

    Raises:
        ProgramError: the platform's package is not installed.
    """
    assert spec.via is not None
    missing = missing_package(spec.via)
    if missing is not None:
        raise ProgramError(
            f"model '{spec.name}' is asked via {spec.via}, which needs {missing}: pip install 'demur[{spec.via}]'"
        )
    if spec.via is Via.BEDROCK:
        return anthropic.AsyncAnthropicBedrock(aws_region=spec.region, api_key=api_key, **options)
    return anthropic.AsyncAnthropicVertex(region=spec.region, project_id=spec.project, access_token=api_key, **options)


def credentials_error(error: Exception) -> LaneError | None:
    """Return the LaneError for a platform's credentials that are missing or refused, None for any other error."""
    cause: BaseException | None = error
    while cause is not None:
        said = str(cause)
        if type(cause).__module__.startswith(_CREDENTIALS) or said.startswith(_UNRESOLVED):
            return LaneError(f"{type(cause).__name__}: {said}", kind=ErrorKind.AUTHENTICATION)
        cause = cause.__cause__
    return None


def missing_package(via: Via) -> str | None:
    """Return the package that a platform needs where it is not installed, None where it is."""
    package = _NEEDS[via]
    try:
        installed = find_spec(package) is not None
    except ModuleNotFoundError:
        installed = False
    return None if installed else package.replace(".", "-")
