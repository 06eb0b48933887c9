"""The simulator as a server that logs every answered request, and the reading of this log.

python benchmarks/noted_provider.py ADDRESS LOG LATENCY
"""

import hashlib
import json
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.faults import scripted
from demur.lanes.simulator.server import Simulator

PORT = 8765
MICRO_USD = {
    "prompt_tokens": 2.0, "cached_tokens": -1.5, "completion_tokens": 8.0,
    "input_tokens": 3.0, "cache_creation_input_tokens": 3.0, "cache_read_input_tokens": 0.3, "output_tokens": 15.0,
}  # fmt: skip
"""What a token costs: the prices of the rehearsal's models, by the names that each provider's usage has."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: times of arrival and answer, host, model, digest, cost."""

    at: float
    answered_at: float
    host: str
    model: str
    digest: str
    usd: float


def provide(address: str, log: Path, latency_seconds: float) -> None:
    """Serve until the process ends; a request whose client has gone is answered, and costs, all the same."""
    simulator = Simulator(scripted(), SimulatorConfig(latency_seconds=latency_seconds, keep_requests=False))
    sink = log.open("a", buffering=1)

    @web.middleware
    async def noted(request: web.Request, handler: Any) -> web.StreamResponse:
        at, raw = time.time(), await request.read()
        response: web.Response = await handler(request)
        usage = json.loads(response.text or "{}").get("usage", {})
        usage = usage | usage.get("prompt_tokens_details", {})
        usd = sum(usage.get(name, 0) * price for name, price in MICRO_USD.items()) / 1e6
        digest = hashlib.sha256(raw).hexdigest()[:16]
        one = [at, time.time(), request.remote, json.loads(raw).get("model"), digest, usd]
        sink.write(json.dumps(one) + "\n")
        return response

    app = simulator.app()
    app.middlewares.append(noted)
    web.run_app(app, host=address, port=PORT, print=None, access_log=None)


class Log:
    """What the provider has written down, read as it grows."""

    def __init__(self, path: Path) -> None:
        self._path, self._offset = path, 0
        self.asked: list[Asked] = []

    def read(self) -> list[Asked]:
        """Return all requests so far, in the order of their answers."""
        if self._path.exists():
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
            whole = data[: data.rfind(b"\n") + 1]
            self._offset += len(whole)
            self.asked += [Asked(*json.loads(line)) for line in whole.splitlines()]
        return self.asked


def most_in_a_minute(requests: Sequence[Asked]) -> dict[str, int]:
    """Return, by model, the most requests that came in any 60 seconds."""
    times: dict[str, list[float]] = defaultdict(list)
    for one in requests:
        times[one.model].append(one.at)
    found = dict.fromkeys(times, 0)
    for model, at in times.items():
        at.sort()
        first = 0
        for last, moment in enumerate(at):
            while moment - at[first] >= 60:
                first += 1
            found[model] = max(found[model], last - first + 1)
    return found


if __name__ == "__main__":
    provide(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
