"""Platforms with Anthropic's models, through the anthropic SDK: Amazon Bedrock and Google Vertex AI.

Credentials come from `api_key_env`, or from where the platform's SDK looks for credentials (environment, profile,
metadata server).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from typing import Final
from urllib.parse import urlsplit

from demur.programs.errors import ErrorKind, LaneError


class Via(StrEnum):
    """The platforms."""

    BEDROCK = "bedrock"
    VERTEX = "vertex"


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform: its Python package, its addresses, its models' names in prices, and whether it needs a project."""

    package: str
    remedy: str
    host: str
    """The ending of the platform's own hosts. The environment's credentials go to no other host."""
    address: Callable[[str], str]
    """Returns the address in a region, as the SDK makes it, which would prefer an address in the environment."""
    price_names: tuple[str, ...]
    needs_project: bool = False


def _vertex_address(region: str) -> str:
    several = {"global": "aiplatform.googleapis.com"} | {
        name: f"aiplatform.{name}.rep.googleapis.com" for name in ("us", "eu")
    }
    return f"https://{several.get(region, f'{region}-aiplatform.googleapis.com')}/v1"


PLATFORMS: Final[Mapping[Via, Platform]] = {
    Via.BEDROCK: Platform(
        package="boto3",
        remedy="Are there AWS credentials (AWS_PROFILE, AWS_ACCESS_KEY_ID and so on, or a role), still valid?",
        host=".amazonaws.com",
        address=lambda region: f"https://bedrock-runtime.{region}.amazonaws.com",
        price_names=("bedrock/{region}/{model}", "{model}"),
    ),
    Via.VERTEX: Platform(
        package="google.auth",
        remedy="Are there Google credentials (GOOGLE_APPLICATION_CREDENTIALS, or gcloud auth), still valid?",
        host=".googleapis.com",
        address=_vertex_address,
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


def foreign_address(via: Via, base_url: str | None) -> str | None:
    """Return the host of an address that is not the platform's own; None for the platform's."""
    host = urlsplit(base_url).hostname if base_url else None
    return host if host and not f".{host}".endswith(PLATFORMS[via].host) else None


def missing_package(via: Via) -> str | None:
    """Return the name of a platform's package if it is not installed, else None."""
    package = PLATFORMS[via].package
    try:
        installed = find_spec(package) is not None
    except ModuleNotFoundError:
        installed = False
    return None if installed else package.replace(".", "-")
