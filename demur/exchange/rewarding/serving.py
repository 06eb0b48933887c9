"""Rewards over HTTP for trainers: one JSON request for a batch of completions.

POST /rewards takes prompts, completions (texts or messages) and behaviour (one for all completions, or one for each),
and optionally facts and base_reward. The response has rewards, classes and probabilities. GET / describes the served
reward. Grading runs in a separate thread, so the server keeps answering. If the response has one of these statuses,
nothing was graded:

    401: the key is missing
    403: the request comes from a web page
    413: the request is too large
    415: the body is no JSON
    429: there are too many requests
"""

import asyncio
import json
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import Field, ValidationError

from demur.configuration.settings import is_loopback, is_same_origin, is_secret, names_this_machine
from demur.errors import FlowError
from demur.exchange.rewarding.trainer import GradingThread, graded_text
from demur.levers.lever_models import Strict
from demur.programs.errors import ProgramError
from demur.programs.signatures.completions import Grounding
from demur.rewards.graded_files import LARGEST
from demur.rewards.graders import GradingModel
from demur.scoring.standalone.demur_reward import FittedReward, RewardError, response_text, text_of

MEBIBYTE: Final = 2**20
MOST_CHARACTERS: Final = 200_000
"""Largest length of a prompt or completion, in characters."""


@dataclass(frozen=True, slots=True)
class Serving:
    """Address, access and size limits of a reward server."""

    host: str
    port: int
    key: str | None
    most_requests: int = 16
    most_mebibytes: int = 8
    behaviour: str | None = None
    most_usd: float | None = None

    def __post_init__(self) -> None:
        """Raise FlowError if other machines can connect and there is no key."""
        if self.key is None and not is_loopback(self.host):
            raise FlowError(
                f"--host {self.host}: others could send requests at your cost. Set a key (--key-env VARIABLE), or "
                "serve on 127.0.0.1"
            )


class _Request(Strict):
    prompts: tuple[str | tuple[dict[str, Any], ...], ...]
    completions: tuple[str | tuple[dict[str, Any], ...], ...]
    behaviour: str | tuple[str, ...] | None = None
    facts: tuple[dict[str, bool] | None, ...] | None = None
    base_reward: tuple[Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST, le=LARGEST)], ...] | None = None
    grounding: tuple[Grounding | None, ...] | None = None


class RefusedRequest(Exception):
    """A refused request, with HTTP status and remedy."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class RewardServer:
    """Answers requests for rewards with one grader, up to a number of concurrent requests."""

    reward: FittedReward
    by: GradingModel
    thread: GradingThread
    serving: Serving
    _under_way: int = field(default=0)

    def app(self) -> web.Application:
        """Return the web application, which limits the size of request bodies."""
        app = web.Application(client_max_size=self.serving.most_mebibytes * MEBIBYTE, middlewares=[self._guarded])
        app.add_routes([web.get("/", self._describe), web.post("/rewards", self._answer)])
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse requests that a foreign web page could have sent, since grading costs money."""
        host = request.headers.get("Host")
        origin = request.headers.get("Origin")
        try:
            if self.serving.key is None and not names_this_machine(host):
                raise RefusedRequest(
                    403, f"{host} is not an address of this machine. Use such an address, or set a key (--key-env)"
                )
            if origin is not None and not is_same_origin(origin, host):
                raise RefusedRequest(403, f"requests of web pages of {origin} are refused")
            if request.method == "POST" and request.content_type != "application/json":
                raise RefusedRequest(
                    415,
                    f"the request has the type {request.content_type}. Send it with `Content-Type: application/json`",
                )
            return await handler(request)
        except RefusedRequest as exc:
            headers = {"Retry-After": "1"} if exc.status == 429 else {}
            return web.json_response({"error": str(exc)}, status=exc.status, headers=headers)

    async def _describe(self, request: web.Request) -> web.Response:
        content = self.reward.content
        served = {"policy": content["policy"], "version": content["version"], "behaviours": self.reward.behaviours}
        return web.json_response({**served, "grader": self.by.spec.name})

    async def _answer(self, request: web.Request) -> web.Response:
        self._check_key(request)
        if self._under_way >= self.serving.most_requests:
            raise RefusedRequest(429, f"{self._under_way} requests are being graded, the most allowed. Try again")
        self._under_way += 1
        try:
            body = await request.read()
            found = await asyncio.wrap_future(self.thread.submit(self._found(body)))
            return web.Response(body=found, content_type="application/json")
        except web.HTTPRequestEntityTooLarge as exc:
            most = self.serving.most_mebibytes
            raise RefusedRequest(413, f"the request is larger than {most} MiB. Send smaller batches") from exc
        finally:
            self._under_way -= 1

    def _check_key(self, request: web.Request) -> None:
        wanted = self.serving.key
        given = request.headers.get("Authorization", "").encode("utf-8", "surrogateescape")  # as aiohttp decodes
        if wanted is not None and not is_secret(given, f"Bearer {wanted}"):
            raise RefusedRequest(401, "the key is missing or wrong. Send it as `Authorization: Bearer KEY`")

    async def _found(self, body: bytes) -> bytes:
        """Return the JSON answer to a request body; runs in the grader's thread."""
        try:
            asked = _Request.model_validate_json(body)
        except ValidationError as exc:
            problem = exc.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, problem["loc"])) or "the request"
            raise RefusedRequest(400, f"{place}: {problem['msg']}") from exc
        return json.dumps(await self._rewards(asked)).encode()

    async def _rewards(self, asked: _Request) -> dict[str, Any]:
        """Return rewards, classes and probabilities, in the order of the completions."""
        count = len(asked.completions)
        behaviours = _each(asked.behaviour or self.serving.behaviour, count)
        grounds = asked.grounding or (None,) * count
        stated_facts = asked.facts or (None,) * count
        base_rewards = asked.base_reward or (0.0,) * count
        columns = (asked.prompts, behaviours, stated_facts, base_rewards, grounds)
        if any(len(column) != count for column in columns):
            raise RefusedRequest(
                400, f"there are {count} completions; give as many prompts, behaviours, facts, base rewards, groundings"
            )
        if unknown := {name for name in behaviours if name not in self.reward.behaviours}:
            known = ", ".join(self.reward.behaviours)
            raise RefusedRequest(400, f"behaviour {sorted(map(str, unknown))} is not one of {known}")
        try:
            prompts = _texts("prompts", asked.prompts, text_of)
            completions = _texts("completions", asked.completions, response_text)
            texts = zip(behaviours, prompts, completions, grounds, strict=True)
            subjects = [graded_text(self.by, str(name), said, text, ground) for name, said, text, ground in texts]
            graded = await self.thread.grader.grades(subjects)
            scored = []
            answered = zip(graded, behaviours, stated_facts, base_rewards, strict=True)
            for at, (found, behaviour, facts, base) in enumerate(answered):
                if isinstance(found, ProgramError):
                    raise RefusedRequest(502, f"completions.{at}: could not be graded: {found}")
                scored.append((self.reward.explain(str(behaviour), found, facts, base), found))
        except RewardError as exc:
            raise RefusedRequest(400, str(exc)) from exc
        except ProgramError as exc:
            raise RefusedRequest(503, str(exc)) from exc
        return {
            "rewards": [one.total for one, _ in scored],
            "classes": [one.classes for one, _ in scored],
            "probabilities": [found for _, found in scored],
        }


def _each(behaviour: str | tuple[str, ...] | None, count: int) -> tuple[str | None, ...]:
    return behaviour if isinstance(behaviour, tuple) else (behaviour,) * count


def _texts(
    name: str,
    given: tuple[str | tuple[dict[str, Any], ...], ...],
    read: Callable[[str | tuple[dict[str, Any], ...]], str],
) -> list[str]:
    """Return prompts or completions as texts; refuse texts above MOST_CHARACTERS."""
    texts = [read(each) for each in given]
    for at, text in enumerate(texts):
        if len(text) > MOST_CHARACTERS:
            raise RefusedRequest(413, f"{name}.{at}: {len(text):,} characters, and {MOST_CHARACTERS:,} are allowed")
    return texts


async def serve_rewards(
    reward: FittedReward,
    by: GradingModel,
    serving: Serving,
    started: Callable[[str], None],
    ended: asyncio.Event | None = None,
) -> None:
    """Serve rewards until SIGINT, SIGTERM or the event `ended`. `started` is a function that gets the address.

    Raises:
        FlowError: the address is taken, or the grader cannot grade the reward's features.
        ProgramError: the grader's key is missing.
    """
    ended = ended or asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(sign, ended.set)
    thread = await asyncio.to_thread(GradingThread, reward, by, serving.most_usd)
    runner = web.AppRunner(RewardServer(reward, by, thread, serving).app(), handler_cancellation=True, access_log=None)
    try:
        await runner.setup()
        await web.TCPSite(runner, serving.host, serving.port).start()
        host, port = runner.addresses[0][:2]
        started(f"http://{host}:{port}")
        await ended.wait()
    except OSError as exc:
        where = f"--host {serving.host} --port {serving.port}"
        raise FlowError(f"{where}: {exc.strerror or exc}. Choose another port") from exc
    finally:
        await runner.cleanup()
        await asyncio.to_thread(thread.close)
