"""The lanes, one entry each, and the platforms with Anthropic's models."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import Final, cast
from urllib.parse import urlsplit

from demur.lanes.spec_checks import CHAT, LANE_SENDS, READ, SENT, check_fields, check_thinking
from demur.plugins import PluginKind, names, plugin, required
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.installation import missing_packages_named, rules_version

# Platforms with Anthropic's models, through the anthropic SDK: Amazon Bedrock and Google Vertex AI.
#
# Credentials come from `api_key_env`, or from where the platform's SDK looks for credentials (environment, profile,
# metadata server).


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


# The lanes, one entry each.
#
# The entries are used by the validation of specs, the opening of models, `demur doctor` and the list in
# docs/models.md. An entry names the class of the transport as `module:class`. The class is imported when a model is
# opened, since SDKs take seconds to import. Other packages add lanes as entry points in `demur.lanes`.


RULES_MODELS: Final[dict[str, tuple[str, ...]]] = {
    "recipes": ("terse", "elaborate"),
    "verifier": ("editor",),
    "respondent": ("always-answers", "always-refuses", "lexical-overlap", "defect-spotter"),
    "judge": ("patterns",),
    "writer": ("phrases",),
    "grader": ("patterns",),
    "rater": ("patterns",),
}
"""The embedded models, `<part>/<rules>`.

They are listed here so that a configuration is checked without loading them.
"""

TRAINED_GRADER: Final = "grader/trained"
"""The rules model that is read from a file. Requests that it was not trained for go to `grader/patterns`."""
ALL_MODELS: Final = "*"
RECORDED: Final = "recorded"
"""The lane that answers from a recording."""
CHAT_ARGUMENTS: Final = "openai.types.chat.completion_create_params:CompletionCreateParamsBase"
"""The arguments of chat completions in OpenAI's SDK."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A way to ask models, with the fields that specs may have, the sources of keys and prices, and the transport.

    `transport` names a class that is called with the spec and an `Access`. `batches` names a `BatchEndpoint`, which is
    called with the spec and the key; None if the lane has no batches. `description` is the lane's line in the docs. An
    `embedded` lane runs on this machine: it takes no address, key, prices or parameters, and costs nothing. A `local`
    lane starts a server of a model on this machine: it takes parameters, but no address, key or prices, and costs
    nothing. A lane with `by_rule` reads no prompt; its models find the levers in the catalogue. A `system` is a product
    around models, with instructions of its own; a system reads no prompt.
    """

    transport: str
    description: str
    embedded: bool = False
    local: bool = False
    by_rule: bool = False
    system: bool = False
    key_variable: str | None = None
    token_limits: tuple[str, ...] = ("max_tokens", "max_completion_tokens")
    """Parameters that bound the output; a spec must set one of them."""
    arguments: str | None = None
    """The SDK's type of a request's arguments, as `module:class`; its fields are allowed parameters."""
    parameters: frozenset[str] = frozenset()
    """Further allowed parameters."""
    pace_parameters: frozenset[str] = frozenset()
    """Parameters that decide how fast a model answers, not what: they are no part of a model's fingerprint."""
    check_parameters: Callable[..., None] | None = None
    """A function of the parameters and `with_tool`, which raises ValueError if they contradict each other."""
    forces_tools: bool = False
    """Whether a model can be forced to use a tool (`structured_output: "tool"`)."""
    log_probabilities: bool = False
    batches: str | None = None
    platforms: tuple[Via, ...] = ()
    address_ends_in_v1: bool = True
    price_names: tuple[str, ...] = ("{model}", "{provider}/{model}")
    """Names under which litellm's price table may list a model; the first listed name counts."""
    headers: bool = False
    """Whether a spec can name headers."""
    cache_write_share: float | None = None
    """The price of tokens written to the provider's cache as a multiple of the input price; None if equal."""
    models: tuple[str, ...] = ()
    """The names of its models; empty if any name is allowed and serves every role."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The command that writes a model's file, by model or `ALL_MODELS`."""
    code_version: Callable[[str], str | None] | None = None
    """Returns the version of a model's code, if the lane's models are code; None if unknown."""
    defaults: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Values of `parameters` and `limits` that specs without them get."""
    roles: tuple[str, ...] = ()
    """The roles of its models. If empty, the names in `models` say the roles; if `models` is empty too, all roles."""

    @property
    def reads_prompts(self) -> bool:
        """True if prompts decide the answers of the lane's models."""
        return not self.by_rule and not self.system

    @property
    def free(self) -> bool:
        """True if demur pays nothing for the lane's models. The owner of a system pays its costs."""
        return self.embedded or self.local or self.system

    @property
    def limited(self) -> bool:
        """True if the spec's `limits` (concurrency, rates, failures) apply to the lane's models."""
        return self.system or not self.embedded

    def known_parameters(self) -> frozenset[str]:
        """Import the lane's SDK, and return all parameters that a spec may set.

        Raises:
            MissingPackageError: the SDK is not installed.
        """
        if self.arguments is None:
            return self.parameters
        with missing_packages_named():
            known = frozenset[str](resolve_name(self.arguments).__annotations__)
        return self.parameters | (known - LANE_SENDS)

    def file_of(self, model: str) -> str | None:
        """Return the command that writes the `file` of a model; None if the model needs no file."""
        return self.files.get(model, self.files.get(ALL_MODELS))


LANES: Final[Mapping[str, Lane]] = {
    "openai": Lane(
        transport="demur.lanes.providers.openai:OpenAITransport",
        description="the official SDK's chat completions: OpenAI, and with `base_url` every server with this interface",
        key_variable="OPENAI_API_KEY",
        arguments=CHAT_ARGUMENTS,
        forces_tools=True,
        headers=True,
        log_probabilities=True,
        batches="demur.lanes.batch.provider_endpoints:OpenAIEndpoint",
    ),
    "anthropic": Lane(
        transport="demur.lanes.providers.anthropic:AnthropicTransport",
        description="the official SDK's messages; `via: bedrock` or `via: vertex` selects these platforms",
        key_variable="ANTHROPIC_API_KEY",
        token_limits=("max_tokens",),
        arguments="anthropic.types.message_create_params:MessageCreateParamsBase",
        parameters=frozenset({"temperature", "top_p", "top_k"}),
        check_parameters=check_thinking,
        forces_tools=True,
        headers=True,
        batches="demur.lanes.batch.provider_endpoints:AnthropicEndpoint",
        platforms=tuple(PLATFORMS),
        address_ends_in_v1=False,
        cache_write_share=1.25,
    ),
    "litellm": Lane(
        transport="demur.lanes.providers.litellm:LiteLLMTransport",
        description="any other provider, by its name in litellm",
        arguments=CHAT_ARGUMENTS,
        parameters=frozenset({"thinking"}),
        headers=True,
        log_probabilities=True,
    ),
    "rules": Lane(
        transport="demur.lanes.offline:RulesTransport",
        description="embedded models that reply by fixed rules, without a network; every row names them as rules",
        embedded=True,
        by_rule=True,
        models=(*(f"{part}/{name}" for part, names in RULES_MODELS.items() for name in names), TRAINED_GRADER),
        files={TRAINED_GRADER: "demur rbr train-grader GOLD --out FILE"},
        code_version=lambda _: rules_version(),
    ),
    RECORDED: Lane(
        transport="demur.lanes.offline:RecordedTransport",
        description="replies of an earlier round, read from a file, without a network and keys",
        embedded=True,
        log_probabilities=True,
        files={ALL_MODELS: "demur record ROUND --out FILE"},
    ),
    "respondent": Lane(
        transport="demur.lanes.system_functions:RespondentTransport",
        description="a system that is a function: `package.module:function`, or an entry point in `demur.respondents`",
        embedded=True,
        system=True,
        code_version=lambda model: None if ":" in model else required(PluginKind.RESPONDENT, model).package,
        roles=("respondent",),
    ),
    "service": Lane(
        transport="demur.lanes.system_services:ServiceTransport",
        description="a system that is a service: its name is the address, and questions are posted there as JSON",
        system=True,
        headers=True,
        token_limits=(),
        parameters=frozenset({*SENT, *READ, CHAT}),
        check_parameters=check_fields,
        roles=("respondent",),
    ),
}


def lane_names() -> tuple[str, ...]:
    """Return the names of all lanes; the lanes of other packages are last."""
    return names(PluginKind.LANE, LANES)


def lane_of(name: str) -> Lane:
    """Return the lane with a name, from demur or from another package.

    Raises:
        ValueError: there is no such lane.
        PluginError: the package's lane cannot be used.
    """
    found = plugin(PluginKind.LANE, name, LANES)
    if found is not None:
        return cast("Lane", found.load(lambda one: isinstance(one, Lane), "a demur.lanes.registry.Lane"))
    if name not in LANES:
        raise ValueError(f"'{name}' is not one of {', '.join(lane_names())}")
    return LANES[name]


def checked_lane(name: str) -> str:
    """Return the name of a lane.

    Raises:
        ValueError: there is no such lane.
        PluginError: the package's lane cannot be used.
    """
    lane_of(name)
    return name


def lanes_with(property_name: str) -> tuple[str, ...]:
    """Return the names of demur's own lanes in which a property is true."""
    return tuple(name for name, lane in LANES.items() if getattr(lane, property_name))
