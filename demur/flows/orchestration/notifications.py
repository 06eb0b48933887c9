"""Notifications by Prefect's own automations: events that rounds emit, and automations that send them on."""

import asyncio
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from demur.errors import ConfigError


class RoundEvent(StrEnum):
    """Events of rounds and evaluations that somebody may want to hear of."""

    ENDED = "ended"
    STOPPED = "stopped"
    CAP = "cap"
    MOVED = "moved"

    @property
    def event(self) -> str:
        """Its name among Prefect's events."""
        return f"demur.round.{self.value}"


SUBJECTS: Final = {
    RoundEvent.ENDED: "ended",
    RoundEvent.STOPPED: "stopped: a gate failed, or models gave out",
    RoundEvent.CAP: "stopped at its cap",
    RoundEvent.MOVED: "found a score that moved",
}
PREFIX: Final = "demur-"


def emit(event: RoundEvent, round_id: str, message: str) -> None:
    """Send an event of a round to the Prefect API that the user has named; a temporary one has no automations."""
    from prefect.events import emit_event
    from prefect.settings import PREFECT_API_URL

    if PREFECT_API_URL.value() is not None:
        resource = {"prefect.resource.id": f"demur.round.{round_id}", "prefect.resource.name": round_id}
        emit_event(event.event, resource=resource, payload={"message": message})


def setup_notifications(channel: str, fields: Mapping[str, Any], events: Sequence[RoundEvent]) -> list[str]:
    """Provision a notification block and an automation for each event; what is there of this channel is replaced.

    Args:
        channel: `webhook`, `slack`, `email` or `apprise`.
        fields: of the block: `url`, or `api_key`, `sender_email` and `to_emails`.
        events: to be told of.

    Returns:
        The names of the automations.

    Raises:
        ConfigError: no Prefect API was named, it does not answer, or the block refuses its fields.
    """
    from prefect.settings import PREFECT_API_URL

    if PREFECT_API_URL.value() is None:
        raise ConfigError(
            "notifications need a Prefect server: start one (prefect server start) and set PREFECT_API_URL, as in "
            "export PREFECT_API_URL=http://127.0.0.1:4200/api"
        )
    try:
        return asyncio.run(_setup(channel, fields, events))
    except Exception as exc:
        why = str(exc).strip().split("\n")[0] or type(exc).__name__
        raise ConfigError(
            f"{PREFECT_API_URL.value()}: {channel} could not be set up ({why}). Look whether the server runs, and "
            "whether the address or key is right"
        ) from exc


async def _setup(channel: str, fields: Mapping[str, Any], events: Sequence[RoundEvent]) -> list[str]:
    from prefect.automations import Automation, EventTrigger, SendNotification
    from prefect.client.orchestration import get_client

    document = await _block(channel, fields).save(f"{PREFIX}{channel}", overwrite=True)
    async with get_client() as client:
        for event in RoundEvent:
            for old in await client.read_automations_by_name(_name(channel, event)):
                await client.delete_automation(old.id)
    for event in events:
        automation = Automation(
            name=_name(channel, event),
            description="Made by `demur notify setup`",
            trigger=EventTrigger(expect={event.event}),
            actions=[
                SendNotification(
                    block_document_id=document,
                    subject=f"demur: {{{{ event.resource.name }}}} {SUBJECTS[event]}",
                    body="{{ event.payload.message }}",
                )
            ],
        )
        await automation.acreate()
    return [_name(channel, event) for event in events]


def _name(channel: str, event: RoundEvent) -> str:
    return f"{PREFIX}{channel}-{event.value}"


def _block(channel: str, fields: Mapping[str, Any]) -> Any:
    """Return the block of a channel; addresses and keys are its secrets."""
    from apprise import Apprise
    from prefect.blocks import notifications as blocks

    if channel == "email":
        return blocks.SendgridEmail(**fields)
    if channel == "apprise" and Apprise.instantiate(fields["url"]) is None:
        raise ValueError("Apprise knows no address of this form")
    if channel in ("slack", "apprise"):  # the block hands addresses that are not Slack's to Apprise as they are
        return blocks.SlackWebhook(**fields)
    return blocks.CustomWebhookNotificationBlock(
        name="demur",
        url="{{address}}",
        json_data={"subject": "{{subject}}", "body": "{{body}}"},
        secrets={"address": fields["url"]},
    )
