"""The lanes, one entry each.

The entries are used by the validation of specs, the opening of models, `demur doctor` and the list in docs/models.md.
An entry names the class of the transport as `module:class`. The class is imported when a model is opened, since SDKs
take seconds to import. Other packages add lanes as entry points in `demur.lanes`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Final, cast

from demur.lanes.platforms import PLATFORMS, Via
from demur.lanes.spec_checks import CHAT, LANE_SENDS, READ, SENT, check_fields, check_thinking
from demur.plugins import PluginKind, names, plugin, required
from demur.programs.code_version import rules_version
from demur.programs.installation import missing_packages_named

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
        transport="demur.lanes.openai:OpenAITransport",
        description="the official SDK's chat completions: OpenAI, and with `base_url` every server with this interface",
        key_variable="OPENAI_API_KEY",
        arguments=CHAT_ARGUMENTS,
        forces_tools=True,
        headers=True,
        log_probabilities=True,
        batches="demur.lanes.batch.openai:OpenAIEndpoint",
    ),
    "anthropic": Lane(
        transport="demur.lanes.anthropic:AnthropicTransport",
        description="the official SDK's messages; `via: bedrock` or `via: vertex` selects these platforms",
        key_variable="ANTHROPIC_API_KEY",
        token_limits=("max_tokens",),
        arguments="anthropic.types.message_create_params:MessageCreateParamsBase",
        parameters=frozenset({"temperature", "top_p", "top_k"}),
        check_parameters=check_thinking,
        forces_tools=True,
        headers=True,
        batches="demur.lanes.batch.anthropic:AnthropicEndpoint",
        platforms=tuple(PLATFORMS),
        address_ends_in_v1=False,
        cache_write_share=1.25,
    ),
    "litellm": Lane(
        transport="demur.lanes.litellm:LiteLLMTransport",
        description="any other provider, by its name in litellm",
        arguments=CHAT_ARGUMENTS,
        parameters=frozenset({"thinking"}),
        headers=True,
        log_probabilities=True,
    ),
    "rules": Lane(
        transport="demur.lanes.rules:RulesTransport",
        description="embedded models that reply by fixed rules, without a network; every row names them as rules",
        embedded=True,
        by_rule=True,
        models=(*(f"{part}/{name}" for part, names in RULES_MODELS.items() for name in names), TRAINED_GRADER),
        files={TRAINED_GRADER: "demur rbr train-grader GOLD --out FILE"},
        code_version=lambda _: rules_version(),
    ),
    RECORDED: Lane(
        transport="demur.lanes.recorded:RecordedTransport",
        description="replies of an earlier round, read from a file, without a network and keys",
        embedded=True,
        log_probabilities=True,
        files={ALL_MODELS: "demur record ROUND --out FILE"},
    ),
    "respondent": Lane(
        transport="demur.lanes.respondent:RespondentTransport",
        description="a system that is a function: `package.module:function`, or an entry point in `demur.respondents`",
        embedded=True,
        system=True,
        code_version=lambda model: None if ":" in model else required(PluginKind.RESPONDENT, model).package,
        roles=("respondent",),
    ),
    "service": Lane(
        transport="demur.lanes.service:ServiceTransport",
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
