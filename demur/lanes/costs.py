"""The cost of a request: the highest possible cost before sending, and afterwards the cost that counts as spent."""

import json
import threading
from dataclasses import dataclass, field
from typing import Any, Final

from dspy.lm15 import Request

from demur.lanes.prices import FREE, cost_usd
from demur.lanes.spec import ModelSpec, Prices
from demur.programs.adapter.json_adapter import system_text
from demur.programs.call_scope import Reply
from demur.programs.errors import ErrorKind, LaneError

REQUEST_TOKENS: Final = 64
TURN_TOKENS: Final = 16
SHAPE_TOKENS: Final = 1_024
"""Upper bounds of the tokens that providers add around a request, a turn and a JSON Schema."""
CHARACTERS_PER_TOKEN: Final = 4
"""The estimate for limits of tokens a minute, before the provider reports token counts."""
KNOWN_ENOUGH: Final = 20
"""The fewest known costs from which unknown costs are estimated."""
MARGIN: Final = 1.25
"""The factor on estimated costs, so that the bill stays below the cap."""
_LIKE_ANY: Final = frozenset({ErrorKind.CONNECTION, ErrorKind.PROTOCOL})
_LIKE_THE_LONGEST: Final = frozenset({ErrorKind.TIMEOUT, ErrorKind.SERVER})


@dataclass(frozen=True, slots=True)
class Charge:
    """The worst-case cost and the actual cost of one request in US dollars; each is None if unknown.

    If the actual cost is unknown, `unsure_usd` counts as spent.
    """

    reserved_usd: float | None
    cost_usd: float | None
    unsure_usd: float = 0.0

    @property
    def counted_usd(self) -> float:
        """Dollars that count as spent."""
        return self.unsure_usd if self.cost_usd is None else self.cost_usd

    @property
    def kept_usd(self) -> float | None:
        """The dollars that `calls` shows as spent; None if prices are unknown."""
        return None if self.cost_usd is None and self.reserved_usd is None else self.counted_usd


NO_CHARGE: Final = Charge(None, None)


class CostShares:
    """Shares of one model in one role; a share is the actual cost of a request, divided by the worst-case cost.

    The shares estimate the cost of requests whose answers were lost or came without token counts. Long replies are lost
    more often than short replies. The estimate is therefore a mean in which each share is weighted with itself. The
    more costs are unknown, the closer the estimate is to the highest share. For a timeout, the estimate is the highest
    share.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known = self._unknown = 0
        self._sum = self._sum_of_squares = self._dearest = 0.0

    def learn(self, share: float) -> None:
        """Add the share of a request with a known cost."""
        with self._lock:
            self._known += 1
            self._sum += share
            self._sum_of_squares += share * share
            self._dearest = max(self._dearest, share)

    def count(self, outcome: Reply | LaneError) -> float:
        """Return the estimated share of a request with unknown cost; 1 if fewer than KNOWN_ENOUGH costs are known."""
        with self._lock:
            self._unknown += 1
            if self._known < KNOWN_ENOUGH or self._sum <= 0:
                return 1.0
            if isinstance(outcome, Reply) or outcome.reply is not None or outcome.kind in _LIKE_ANY:
                usual = self._sum_of_squares / self._sum
                unknown = self._unknown / (self._known + self._unknown)
                return min(1.0, MARGIN * ((1 - unknown) * usual + unknown * self._dearest))
            return min(1.0, MARGIN * self._dearest) if outcome.kind in _LIKE_THE_LONGEST else 1.0


_shares: Final[dict[tuple[str, str], CostShares]] = {}


def cost_shares(spec: ModelSpec, role: str) -> CostShares:
    """Return this process's cost shares of a model in a role."""
    return _shares.setdefault((spec.fingerprint, role), CostShares())


@dataclass(slots=True)
class Meter:
    """Computes the cost of one model's requests.

    The worst case has as many input tokens as the input has bytes, since no tokenizer makes more tokens than bytes. The
    worst case has `max_tokens` output tokens, which include reasoning. In the worst case, each input token is written
    to the provider's cache, which may cost more than other input.
    """

    spec: ModelSpec
    prices: Prices | None
    shares: CostShares = field(default_factory=CostShares)
    _input_price: float = field(init=False, default=0.0)
    _output_usd: float = field(init=False, default=0.0)
    _shapes: dict[int, tuple[object, int]] = field(init=False, default_factory=dict)
    columns: dict[str, Any] = field(init=False)
    """Columns of `calls` about the model: its fingerprint and the prices of its requests."""

    def __post_init__(self) -> None:
        prices = self.prices.model_dump() if self.prices is not None else {}
        self.columns = {**prices, "fingerprint": self.spec.fingerprint}
        if self.prices is not None:
            written = self.prices.cache_write_usd_per_million or 0.0
            self._input_price = max(self.prices.input_usd_per_million, written) / 1e6
            self._output_usd = longest_reply(self.spec) * self.prices.output_usd_per_million / 1e6

    def worst_case_usd(self, request: Request) -> float | None:
        """Return the highest possible cost of a request; None if prices are unknown."""
        if self.prices is FREE:
            return 0.0
        if self.prices is None:
            return None
        tokens = REQUEST_TOKENS + _bytes(system_text(request)) + self._shape(request.config.response_format)
        for message in request.messages:
            tokens += TURN_TOKENS + _bytes(message.text or "")
        return tokens * self._input_price + self._output_usd

    def charge(self, reserved_usd: float | None, outcome: Reply | LaneError) -> Charge:
        """Return the cost of a request from its outcome."""
        reply = outcome if isinstance(outcome, Reply) else outcome.reply
        if reply is not None:
            cost = cost_usd(self.prices, reply)
        else:
            free = self.prices is not None and isinstance(outcome, LaneError) and not outcome.may_be_billed
            cost = 0.0 if free or self.prices is FREE else None
        if cost is None:
            return Charge(reserved_usd, None, (reserved_usd or 0.0) * self.shares.count(outcome))
        if reply is not None and reserved_usd:
            self.shares.learn(cost / reserved_usd)
        return Charge(reserved_usd, cost)

    def _shape(self, shape: Any) -> int:
        """Return the largest number of input tokens that a response format can add.

        The results are cached by the identity of `shape`, since programs reuse these objects.
        """
        if shape is None:
            return 0
        known = self._shapes.get(id(shape))
        if known is None:
            known = self._shapes[id(shape)] = (shape, SHAPE_TOKENS + _bytes(json.dumps(shape, ensure_ascii=False)))
        return known[1]


def longest_reply(spec: ModelSpec) -> int:
    """Return the highest number of output tokens that the spec's parameters allow."""
    given = [spec.parameters.get(name) for name in ("max_tokens", "max_completion_tokens")]
    return max((tokens for tokens in given if isinstance(tokens, int)), default=0)


def most_tokens(spec: ModelSpec, request: Request) -> int:
    """Return the most tokens that a request can use: its input and its longest reply."""
    characters = len(system_text(request)) + sum(len(message.text or "") for message in request.messages)
    return characters // CHARACTERS_PER_TOKEN + longest_reply(spec)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
