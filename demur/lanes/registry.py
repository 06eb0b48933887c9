"""The lanes: one entry each, from which validation of specs, factory, doctor and the list in docs/models.md derive.

A lane is its module, its entry here and its tests. Entries name classes as `module:class`, imported when a model is
opened, since SDKs take seconds; a test resolves all of them. Other packages add lanes by entry points of `demur.lanes`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from demur.lanes.field_names import CHAT, READ, SENT, check_fields
from demur.lanes.platforms import PLATFORMS, Via
from demur.lanes.thinking import check_thinking
from demur.plugins import PluginKind, names, plugin, required
from demur.programs.code_version import rules_version

RULES_MODELS: Final[dict[str, tuple[str, ...]]] = {
    "recipes": ("terse", "elaborate"),
    "verifier": ("editor",),
    "respondent": ("always-answers", "always-refuses", "lexical-overlap", "defect-spotter"),
    "judge": ("patterns",),
    "writer": ("phrases",),
    "grader": ("patterns",),
    "rater": ("patterns",),
}
"""The embedded models, `<part>/<which rules>`; here, so that a configuration is checked without loading them."""

TRAINED_GRADER: Final = "grader/trained"
"""The rules model that is read from a file; where it was not trained, patterns grade."""
ALL_MODELS: Final = "*"
RECORDED: Final = "recorded"
"""The lane that answers from a recording, also in the place of others."""
_CHAT_PARAMETERS: Final = frozenset(
    {
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "top_p",
        "seed",
        "stop",
        "logit_bias",
        "frequency_penalty",
        "presence_penalty",
        "reasoning_effort",
        "verbosity",
        "modalities",
        "audio",
        "functions",
        "function_call",
        "parallel_tool_calls",
        "web_search_options",
        "prediction",
        "prompt_cache_options",
        "prompt_cache_retention",
        "service_tier",
        "store",
        "metadata",
        "moderation",
        "safety_identifier",
        "user",
    }
)
_MESSAGES_PARAMETERS: Final = frozenset(
    {
        "max_tokens",
        "temperature",
        "top_p",
        "top_k",
        "stop_sequences",
        "thinking",
        "output_config",
        "speed",
        "service_tier",
        "inference_geo",
        "metadata",
        "container",
        "diagnostics",
        "user_profile_id",
        "workspace_id",
    }
)
"""The interface takes `temperature`, `top_p` and `top_k`, for which newer versions of the SDK have no names."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A way to ask models: allowed fields of specs, source of keys and prices, and transport.

    `transport` is a class called with the spec and an `Access`, `batches` a `BatchEndpoint`; `description` is its line
    in the docs. An `embedded` lane runs on this machine: it takes no address, key, prices or parameters, and costs
    nothing. An embedded lane that answers `by_rule` looks levers up and reads no prompt. A `system` is a shipped
    product around models: it has instructions of its own and reads no prompt either.
    """

    transport: str
    description: str
    embedded: bool = False
    by_rule: bool = False
    system: bool = False
    key_variable: str | None = None
    token_limits: tuple[str, ...] = ("max_tokens", "max_completion_tokens")
    """The parameters of which one must bound the output."""
    parameters: frozenset[str] = frozenset()
    """What its SDK has names for, beside what the lane sends itself."""
    check_parameters: Callable[..., None] | None = None
    """Called with the parameters and `with_tool`; raises ValueError where they do not go together."""
    forces_tools: bool = False
    """Whether a model can be made to use a tool (`structured_output: "tool"`)."""
    log_probabilities: bool = False
    batches: str | None = None
    platforms: tuple[Via, ...] = ()
    address_ends_in_v1: bool = True
    price_names: tuple[str, ...] = ("{model}", "{provider}/{model}")
    """Under which names litellm's price table may have a model; the first that it has counts."""
    cache_write_share: float | None = None
    """What tokens written to the provider's cache cost of the price of input, None for the same."""
    models: tuple[str, ...] = ()
    """The models that there are; empty where every name is taken and serves every role."""
    files: Mapping[str, str] = field(default_factory=dict)
    """By model, or `ALL_MODELS`, the command that writes the file which it answers from."""
    code_version: Callable[[str], str | None] | None = None
    """The version of the code that decides a model's answers, for lanes whose models are code; None where unknown."""
    roles: tuple[str, ...] = ()
    """The roles that its models serve; empty: all, or those that the names of its models say."""

    @property
    def reads_prompts(self) -> bool:
        """True if prompts decide the answers of its models."""
        return not self.by_rule and not self.system

    @property
    def free(self) -> bool:
        """True if its models cost nothing here; a system pays its own costs."""
        return self.embedded or self.system

    @property
    def limited(self) -> bool:
        """True if limits of concurrency, rates and failures in a row apply to its models."""
        return self.system or not self.embedded

    def file_of(self, model: str) -> str | None:
        """Return the command that writes a model's file, None where the model has none."""
        return self.files.get(model, self.files.get(ALL_MODELS))


LANES: Final[Mapping[str, Lane]] = {
    "openai": Lane(
        transport="demur.lanes.openai:OpenAITransport",
        description="the official SDK's chat completions: OpenAI, and with `base_url` every server with this interface",
        key_variable="OPENAI_API_KEY",
        parameters=_CHAT_PARAMETERS,
        forces_tools=True,
        log_probabilities=True,
        batches="demur.lanes.batch.openai:OpenAIEndpoint",
    ),
    "anthropic": Lane(
        transport="demur.lanes.anthropic:AnthropicTransport",
        description="the official SDK's messages; `via: bedrock` or `via: vertex` selects these platforms",
        key_variable="ANTHROPIC_API_KEY",
        token_limits=("max_tokens",),
        parameters=_MESSAGES_PARAMETERS,
        check_parameters=check_thinking,
        forces_tools=True,
        batches="demur.lanes.batch.anthropic:AnthropicEndpoint",
        platforms=tuple(PLATFORMS),
        address_ends_in_v1=False,
        cache_write_share=1.25,
    ),
    "litellm": Lane(
        transport="demur.lanes.litellm:LiteLLMTransport",
        description="any other provider, by its name in litellm",
        parameters=_CHAT_PARAMETERS | {"thinking"},
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
        token_limits=(),
        parameters=frozenset({*SENT, *READ, CHAT}),
        check_parameters=check_fields,
        roles=("respondent",),
    ),
}


def lane_names() -> tuple[str, ...]:
    """Return the names of all lanes, those of other packages last."""
    return names(PluginKind.LANE, LANES)


def lane_of(name: str) -> Lane:
    """Return the lane of that name, one of ours or of another package.

    Raises:
        ValueError: there is none.
        PluginError: the package's lane cannot be used.
    """
    found = plugin(PluginKind.LANE, name, LANES)
    if found is not None:
        return cast("Lane", found.load(lambda one: isinstance(one, Lane), "a demur.lanes.registry.Lane"))
    if name not in LANES:
        raise ValueError(f"'{name}' is not one of {', '.join(lane_names())}")
    return LANES[name]


def lanes_with(property_name: str) -> tuple[str, ...]:
    """Return the names of the lanes with a property, for remedies in messages."""
    return tuple(name for name, lane in LANES.items() if getattr(lane, property_name))
