"""`demur notify`: notifications through Prefect's automations."""

from typing import Annotated, Any, Final

import typer

from demur.cli.printing import echo
from demur.flows.orchestration.notifications import RoundEvent

app: Final = typer.Typer(help="Send word of rounds through Prefect's automations.", no_args_is_help=True)

EXAMPLES: Final = """
[bold]Examples[/bold]

demur notify setup --webhook https://example.org/hook

demur notify setup --slack https://hooks.slack.com/services/... --on stopped --on cap

SENDGRID_API_KEY=... demur notify setup --email ada@example.org --sender demur@example.org
"""


@app.command("setup", epilog=EXAMPLES)
def setup(
    webhook: Annotated[
        str | None, typer.Option(help='Address that gets {"subject", "body"} as JSON, by POST.', metavar="URL")
    ] = None,
    slack: Annotated[str | None, typer.Option(help="Incoming webhook of Slack.", metavar="URL")] = None,
    email: Annotated[
        list[str] | None, typer.Option(help="Who gets mail, through SendGrid (SENDGRID_API_KEY).", metavar="ADDRESS")
    ] = None,
    sender: Annotated[str | None, typer.Option(help="Who mail is from.", metavar="ADDRESS")] = None,
    apprise: Annotated[
        str | None,
        typer.Option(help="Any address of Apprise: mailtos:// is mail through your own SMTP server.", metavar="URL"),
    ] = None,
    on: Annotated[
        list[RoundEvent] | None, typer.Option(help="What to send word of; give it once for each. All, without it.")
    ] = None,
) -> None:
    """Provision notifications on the Prefect server that PREFECT_API_URL names.

    A round or evaluation ended; it was stopped by a gate or because models gave out; it reached its cap; a score moved.
    The same command again replaces what it made. Addresses and keys are kept in Prefect's blocks as secrets.
    """
    from demur.flows.orchestration.notifications import setup_notifications

    channels: dict[str, dict[str, Any]] = {}
    if webhook is not None:
        channels["webhook"] = {"url": _address(webhook, "--webhook")}
    if slack is not None:
        channels["slack"] = {"url": _address(slack, "--slack")}
    if email:
        from demur.configuration.settings import sendgrid_key

        if sender is None:
            raise typer.BadParameter("say who mail is from: --sender ADDRESS", param_hint="--email")
        channels["email"] = {"api_key": sendgrid_key(), "sender_email": sender, "to_emails": email}
    if apprise is not None:
        channels["apprise"] = {"url": apprise}
    if not channels:
        raise typer.BadParameter("name where to: --webhook URL, --slack URL, --email ADDRESS or --apprise URL")
    for channel, fields in channels.items():
        for name in setup_notifications(channel, fields, on or list(RoundEvent)):
            echo(f"Automation {name}")


def _address(text: str, option: str) -> str:
    if not text.startswith(("https://", "http://")):
        raise typer.BadParameter("is no address: it begins with https://", param_hint=option)
    return text
