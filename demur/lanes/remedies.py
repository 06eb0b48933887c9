"""Remedies for models that do not answer."""

from demur.lanes.providers.provider_errors import spoken_wait
from demur.lanes.registry import PLATFORMS
from demur.lanes.spec import ModelSpec
from demur.programs.errors import ErrorKind, LaneError, ModelUnavailable


def unavailable(spec: ModelSpec, error: LaneError) -> ModelUnavailable:
    """Return the error for a model that does not answer, with cause and remedy."""
    return ModelUnavailable(
        f"model '{spec.name}' ({spec.provider} {spec.model}) does not answer: {error}. {remedy(spec, error)}",
        kind=error.kind,
    )


def remedy(spec: ModelSpec, error: LaneError) -> str:
    """Return the remedy for a model's error, as a sentence."""
    where = spec.base_url or f"the provider ({spec.provider})"
    if error.retry_after_seconds is not None and error.retry_after_seconds > spec.limits.retry_seconds:
        return f"It allows no more requests now: run again in {spoken_wait(error.retry_after_seconds)}"
    if error.remedy is not None:
        return error.remedy
    if spec.lane.system:
        return _of_system(spec, error)
    match error.kind:
        case ErrorKind.AUTHENTICATION if spec.via is not None and spec.key_source is None:
            return PLATFORMS[spec.via].remedy
        case ErrorKind.AUTHENTICATION:
            return f"Is the key in {spec.key_source or 'its environment'} right, and still valid?"
        case ErrorKind.PERMISSION:
            return f"May the key use '{spec.model}'?"
        case ErrorKind.NOT_FOUND:
            return f"Is '{spec.model}' a model of {where}?{_address_hint(spec)}"
        case ErrorKind.REDIRECT:
            return "Is base_url right? If the model has moved, write its new address there"
        case ErrorKind.QUOTA:
            return "The account has nothing left: top it up"
        case ErrorKind.RATE_LIMIT:
            return "Lower limits.concurrency, or set limits.requests_per_minute and tokens_per_minute to what it allows"
        case ErrorKind.CONNECTION | ErrorKind.TIMEOUT:
            return f"Is {where} up, and can it be reached from here?"
        case ErrorKind.REQUEST:
            return "Are its parameters those that the model takes? Without structured outputs: structured_output: false"
        case ErrorKind.CONTEXT_LENGTH:
            return "Use a model that takes longer prompts, or start its server with a longer context"
        case ErrorKind.PROTOCOL:
            return f"Does {where} speak the interface of provider {spec.provider}?{_address_hint(spec)}"
        case ErrorKind.UNEXPECTED:
            return "This is a fault of demur or of a library: the log has more"
        case ErrorKind.REFUSAL | ErrorKind.CONTENT_FILTER:
            return "Ask another model: this one, or a filter before it, declines the text"
        case _ if error.retryable:
            return "Try again later"
        case _:
            return "Ask its provider"


def _of_system(spec: ModelSpec, error: LaneError) -> str:
    match error.kind:
        case ErrorKind.AUTHENTICATION | ErrorKind.PERMISSION:
            named = ", ".join(f"{header} from {variable}" for header, variable in spec.headers.items())
            return f"Are its headers right ({named or 'none are sent'})? Name them: headers={{Authorization: VARIABLE}}"
        case ErrorKind.NOT_FOUND | ErrorKind.REDIRECT:
            return "Is its address right, path included?"
        case ErrorKind.CONNECTION | ErrorKind.TIMEOUT:
            return "Is it up, and can it be reached from here?"
        case ErrorKind.PROTOCOL | ErrorKind.REQUEST:
            return (
                "Do its fields have other names? Say which, as in question=query,passages=contexts,answer=output.text"
            )
        case _:
            return "Look into its log"


def _address_hint(spec: ModelSpec) -> str:
    has_version = (spec.base_url or "").rstrip("/").endswith("/v1")
    if spec.base_url is None or has_version is spec.lane.address_ends_in_v1:
        return ""
    usual = "mostly ends in /v1" if spec.lane.address_ends_in_v1 else "has no /v1 at its end"
    return f" And base_url: for provider {spec.provider} it {usual}"
