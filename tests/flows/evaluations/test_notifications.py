"""Notifications: what `demur notify setup` makes, and what its channels send."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.flows.rounds import demur, demur_here

pytestmark = [pytest.mark.slow(seconds=30), pytest.mark.usefixtures("prefect_api")]

SLACK = "https://hooks.slack.com/services/T00000001/B00000001/aaaabbbbccccddddeeeeffff"
Posted = list[tuple[str, dict[str, Any]]]


@contextmanager
def posted() -> Iterator[tuple[str, Posted]]:
    """Serve on loopback, and yield the address and what was posted there: path and JSON."""
    received: Posted = []

    class Sink(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, json.loads(body)))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Sink) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", received
        server.shutdown()


def automations(api: str) -> dict[str, Any]:
    """The automations that `demur notify setup` made, by name."""
    found = httpx.post(f"{api}/automations/filter", json={}).json()
    return {one["name"]: one for one in found if one["name"].startswith("demur-")}


def test_slack_and_mail_are_provisioned_and_send_what_the_automation_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefect_api: str
) -> None:
    from apprise.plugins.sendgrid import NotifySendGrid
    from apprise.plugins.slack import NotifySlack
    from prefect.blocks.notifications import SendgridEmail, SlackWebhook

    monkeypatch.setenv("SENDGRID_API_KEY", "SG.planted-key")
    mail = ("--email", "ada@example.org", "--email", "bo@example.org", "--sender", "demur@example.org")
    for on in (("--on", "cap", "--on", "stopped"), ("--on", "moved")):  # the second time replaces the first
        done = demur("notify", "setup", "--slack", SLACK, *mail, *on, home=tmp_path)
        assert done.returncode == 0, done.stderr
    made = automations(prefect_api)
    assert set(made) == {"demur-slack-moved", "demur-email-moved"}
    with posted() as (sink, received):
        monkeypatch.setattr(NotifySlack, "webhook_url", f"{sink}/slack")
        monkeypatch.setattr(NotifySendGrid, "notify_url", f"{sink}/mail")
        for name, block_type in (("slack", SlackWebhook), ("email", SendgridEmail)):
            block = block_type.load(f"demur-{name}")
            automation = made[f"demur-{name}-moved"]
            assert automation["enabled"] and automation["trigger"]["expect"] == ["demur.round.moved"]
            [action] = automation["actions"]
            assert action["block_document_id"] == str(block._block_document_id)
            block.notify("respondent moved up by 0.100", subject="demur: weekly-2 found a score that moved")
    assert [path for path, _ in received] == ["/slack/T00000001/B00000001/aaaabbbbccccddddeeeeffff", "/mail", "/mail"]
    assert all("moved up by 0.100" in json.dumps(sent) and "weekly-2" in json.dumps(sent) for _, sent in received)
    assert {sent["personalizations"][0]["to"][0]["email"] for _, sent in received[1:]} == {
        "ada@example.org", "bo@example.org",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "name where to"),
        (("--slack", "hooks.slack.com"), "is no address"),
        (("--email", "ada@example.org"), "say who mail is from"),
        (("--email", "ada@example.org", "--sender", "demur@example.org"), "SENDGRID_API_KEY"),
    ],
)
def test_channel_that_cannot_be_set_up_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], complaint: str
) -> None:
    monkeypatch.delenv("SENDGRID_API_KEY", raising=False)
    done = demur_here("notify", "setup", *arguments, home=tmp_path)
    assert done.returncode == 2 and complaint in " ".join(done.stderr.split())
