"""Notifications: what `demur notify setup` makes, what its channels send, and the events of gates and moved scores."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

import httpx
import pytest
import yaml

from demur.errors import StageStopped
from demur.exchange.exporting.items import task_row
from demur.flows.evaluation import evaluate
from demur.flows.evaluations.history import write_history
from demur.flows.evaluations.request import EvaluationRequest
from demur.flows.evaluations.session import check_evaluation
from demur.flows.stages.unpack.items import released_items
from demur.lanes.simulator.engine import SimulatorConfig
from demur.lanes.simulator.faults import SimulatedRequest
from demur.lanes.simulator.serving import serve
from demur.levers.vocabulary import Code
from demur.programs.options import Prompts
from demur.warehouse.home import Home
from demur.warehouse.release import release_at
from tests.flows.evaluations.events import emitted
from tests.flows.rounds import demur, demur_here, small
from tests.flows.simulated import GATES, KEY, KEY_VARIABLE

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


@contextmanager
def mailed() -> Iterator[tuple[int, list[str]]]:
    """Serve SMTP on loopback, and yield the port and the messages that came."""
    received: list[str] = []

    class Smtp(StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            for line in self.rfile:
                if line.upper().startswith(b"DATA"):
                    self.wfile.write(b"354 go on\r\n")
                    received.append(b"".join(iter(self.rfile.readline, b".\r\n")).decode())
                self.wfile.write(b"221 bye\r\n" if line.upper().startswith(b"QUIT") else b"250 ok\r\n")

    with ThreadingTCPServer(("127.0.0.1", 0), Smtp) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_address[1], received
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
    from prefect.blocks.core import Block
    from prefect.blocks.notifications import SendgridEmail, SlackWebhook

    monkeypatch.setenv("SENDGRID_API_KEY", "SG.planted-key")
    mail = ("--email", "ada@example.org", "--email", "bo@example.org", "--sender", "demur@example.org")
    for on in (("--on", "cap", "--on", "stopped"), ("--on", "moved")):  # the second time replaces the first
        with mailed() as (port, messages):
            smtp = f"mailto://127.0.0.1:{port}?from=demur@example.org&to=ada@example.org"
            done = demur("notify", "setup", "--slack", SLACK, *mail, "--apprise", smtp, *on, home=tmp_path)
            assert done.returncode == 0, done.stderr
            Block.load("slack-webhook/demur-apprise").notify("moved up by 0.100", subject="demur: weekly-2")
        [message] = messages
        assert "Subject: demur: weekly-2" in message and "To: ada@example.org" in message and "0.100" in message
    made = automations(prefect_api)
    assert set(made) == {"demur-slack-moved", "demur-email-moved", "demur-apprise-moved"}
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
        (("--apprise", "smtp.example.org"), "apprise could not be set up (Apprise knows no address of this form)"),
        (("--email", "ada@example.org", "--sender", "demur@example.org"), "SENDGRID_API_KEY"),
    ],
)
def test_channel_that_cannot_be_set_up_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], complaint: str
) -> None:
    monkeypatch.delenv("SENDGRID_API_KEY", raising=False)
    done = demur_here("notify", "setup", *arguments, home=tmp_path)
    assert done.returncode == 2 and complaint in " ".join(done.stderr.split())


def test_gate_that_stops_a_round_emits_its_event(tmp_path: Path, demur_home: Path) -> None:
    from demur.flows.round import FLOWS

    gates = GATES | {"screening": 1.0, "stop_on_sample": True}
    config = small(tmp_path, gates=gates)
    settings = yaml.safe_load(config.read_text(encoding="utf-8"))
    settings["models"].append({"name": "refuses", "provider": "rules", "model": "respondent/always-refuses"})
    settings["roles"]["screeners"] = ["refuses"]
    config.write_text(yaml.safe_dump(settings), encoding="utf-8")
    with emitted() as events, pytest.raises(StageStopped, match="screening is 0 of"):
        FLOWS["ingest"](config=str(config), probe=False)
    [(event, round_id, message)] = events
    assert (event, round_id) == ("demur.round.stopped", "embedded") and "gates.screening" in message


def right_answers(release: str) -> Callable[[SimulatedRequest], str]:
    """What says the right thing to each message that respondents are sent."""
    right = {}
    for item in released_items(release_at(Home(Path(release)), release)):
        answerable = item.expected_rag_behavior is Code.ANSWER_CORRECTLY
        says = item.original_answers[0] if answerable else item.expected_rag_behavior.value
        right[task_row(item, Prompts.PUBLISHED, "")["input"][-1]["content"]] = says

    def reply(asked: SimulatedRequest) -> str:
        messages: Any = asked.body["messages"]
        return right[messages[-1]["content"]]

    return reply


def test_score_that_moves_emits_its_event(released: Path, demur_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    release = str(released / "releases" / "embedded" / "1")
    done = []
    with emitted() as events:
        for week, reply in (("1", right_answers(release)), ("2", lambda asked: "REFUSE_OTHER")):
            with serve(config=SimulatorConfig(reply=reply)) as simulator:
                model = f"far=openai:respondent/lexical-overlap,base_url={simulator.openai_url},max_tokens=2000"
                model += f",api_key_env={KEY_VARIABLE}"
                asked = EvaluationRequest(release, (model,), occasion=week, probe=False)
                done.append(evaluate(asked))
        context = check_evaluation(asked)
        assert context.release is not None
        write_history(context, context.release, None)
    ended = [("demur.round.ended", round_id, "Evaluated far") for round_id in done]
    assert events[:-1] == ended
    event, round_id, message = events[-1]
    assert (event, round_id) == ("demur.round.moved", done[1])
    assert message.startswith("far moved down by ") and message.endswith(f" from {done[0]} to {done[1]}")
