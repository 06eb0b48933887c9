"""Opens the batch lane of a model, and a provider's batch endpoints alone."""

from collections.abc import Callable, Mapping

from demur.programs.errors import ProgramError
from demur.programs.lanes.batch.book import BatchRecord
from demur.programs.lanes.batch.gateway import BatchState, Gateway
from demur.programs.lanes.batch.transport import BatchTransport
from demur.programs.lanes.masking import Mask
from demur.programs.lanes.spec import BLOCK_PREFIX, ModelSpec, Provider
from demur.programs.lanes.transport import Transport


def open_batches(spec: ModelSpec, api_key: str | None, live: Callable[[], Transport]) -> BatchTransport:
    """Return the batch lane of a model; `live` opens what is asked where nothing can be gathered."""
    return BatchTransport(spec, lambda: open_gateway(spec, api_key), live, Mask(api_key))


def open_gateway(spec: ModelSpec, api_key: str | None) -> Gateway:
    """Return the batch endpoints of a model's provider; its SDK is imported here."""
    if spec.provider is Provider.OPENAI:
        from demur.programs.lanes.batch.openai import OpenAIGateway

        return OpenAIGateway(spec, api_key)
    from demur.programs.lanes.batch.anthropic import AnthropicGateway

    return AnthropicGateway(spec, api_key)


def spec_of(record: BatchRecord) -> ModelSpec:
    """Return as much of the spec of a batch's model as reaching its provider takes."""
    source = record.key_source or ""
    block = source.removeprefix(BLOCK_PREFIX) if source.startswith(BLOCK_PREFIX) else None
    return ModelSpec(
        name=record.model,
        provider=Provider(record.provider),
        model=record.provider_model,
        base_url=record.base_url,
        api_key_env=None if block else record.key_source,
        api_key_block=block,
        parameters={"max_tokens": 1},
    )


async def cancel_batch(record: BatchRecord, spec: ModelSpec, keys: Mapping[str, str]) -> BatchState:
    """Ask a provider to stop a batch; what is done by then is still collected, and paid.

    `spec` is `spec_of` the batch, `keys` as for `open_models`.

    Raises:
        ProgramError: the batch is not at the provider, or has ended.
        LaneError: the provider does not do as asked.
    """
    if record.provider_batch_id is None or not record.status.is_open:
        raise ProgramError(f"batch {record.batch_id} is {record.status}: there is nothing to cancel")
    gateway = open_gateway(spec, keys.get(spec.key_source or ""))
    try:
        return await gateway.cancel(record.provider_batch_id)
    finally:
        await gateway.aclose()
