"""What a request can cost at most, and what it counts for."""

import pytest
from dspy.lm15 import Config, Message, Request
from hypothesis import given
from hypothesis import strategies as st

from demur.lanes.costs import Meter
from demur.lanes.prices import cost_usd, prices_of
from demur.lanes.spec import ModelSpec, Prices
from demur.programs.call_scope import Reply
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.prompt_sizes import token_encoding

PRICES = {"input_usd_per_million": 2.0, "output_usd_per_million": 10.0}
ENCODING = token_encoding()


def spec(**changes: object) -> ModelSpec:
    return ModelSpec.model_validate(
        {"name": "m", "provider": "openai", "model": "m", "parameters": {"max_tokens": 100}, **changes}
    )


def request(text: str) -> Request:
    return Request(model="m", system="Answer.", messages=(Message.user(text),), config=Config())


@given(st.text(max_size=300))
def test_worst_case_covers_every_answer_within_max_tokens(text: str) -> None:
    meter = Meter(spec(prices=PRICES), Prices(**PRICES))
    worst = meter.worst_case_usd(request(text))
    assert worst is not None and ENCODING is not None
    tokens = sum(len(ENCODING.encode_ordinary(part)) for part in (text, "Answer."))
    actual = cost_usd(meter.prices, Reply("a", input_tokens=tokens, output_tokens=100))
    assert actual is not None and actual <= worst


def test_cache_writes_cost_their_own_price_and_raise_the_worst_case() -> None:
    plain = Prices(**PRICES)
    writing = Prices(**PRICES, cached_usd_per_million=0.2, cache_write_usd_per_million=2.5)
    reply = Reply("a", input_tokens=1_000_000, output_tokens=0, cached_tokens=200_000, cache_write_tokens=300_000)
    assert cost_usd(writing, reply) == pytest.approx(0.5 * 2.0 + 0.2 * 0.2 + 0.3 * 2.5)
    asked = request("x" * 1000)
    worst = [
        Meter(spec(prices=prices.model_dump()), prices).worst_case_usd(asked) or 0.0 for prices in (plain, writing)
    ]
    assert worst[0] < worst[1]


def test_prices_of_batches_are_the_lists_or_half() -> None:
    listed = spec(model="gpt-4o", prices=None)
    live, batch = prices_of(listed), prices_of(listed, batch=True)
    assert live is not None and batch is not None
    assert batch.output_usd_per_million == pytest.approx(live.output_usd_per_million / 2)
    own = prices_of(spec(prices={**PRICES, "cached_usd_per_million": 1.0}), batch=True)
    assert own == Prices(input_usd_per_million=1.0, output_usd_per_million=5.0, cached_usd_per_million=0.5)


def test_prices_of_anthropic_given_without_cache_writes_count_a_quarter_more() -> None:
    own = prices_of(spec(provider="anthropic", prices=PRICES))
    assert own is not None and own.cache_write_usd_per_million == 2.5


def test_charge_of_errors_is_nothing_where_the_provider_answered_and_the_worst_case_where_nobody_knows() -> None:
    meter = Meter(spec(prices=PRICES), Prices(**PRICES))
    for kind in ErrorKind:
        charge = meter.charge(1.5, LaneError("no", kind=kind))
        lost = kind in ("timeout", "connection", "protocol", "lost", "unanswered", "unexpected")
        assert charge.counted_usd == (1.5 if lost else 0.0)
        assert charge.cost_usd == (None if lost else 0.0)
    assert meter.charge(1.5, Reply("without usage")).counted_usd == 1.5
    refused = LaneError("no", kind=ErrorKind.REFUSAL, reply=Reply("no", input_tokens=1000, output_tokens=0))
    assert meter.charge(1.5, refused).counted_usd == pytest.approx(0.002)


def known(tokens: int) -> Reply:
    """A reply that cost so many hundred-thousandths of a dollar."""
    return Reply("a", input_tokens=0, output_tokens=tokens)


def test_charge_without_a_known_cost_is_what_such_requests_have_cost_and_never_more_than_the_worst_case() -> None:
    meter = Meter(spec(prices=PRICES), Prices(**PRICES))
    lost, slow = LaneError("gone", kind="connection"), LaneError("late", kind="timeout")
    assert meter.charge(0.001, lost).counted_usd == 0.001  # too few are known
    for tokens in (10, 30) * 95:
        meter.charge(0.001, known(tokens))
    usual, unknown = (10**2 + 30**2) / (10 + 30) * 1e-5, 2 / 192
    usual = 1.25 * ((1 - unknown) * usual + unknown * 30e-5)
    assert meter.charge(0.001, lost).counted_usd == pytest.approx(usual)
    assert meter.charge(0.004, Reply("without usage")).counted_usd == pytest.approx(4 * usual, rel=0.02)
    assert meter.charge(0.001, slow).counted_usd == pytest.approx(1.25 * 30e-5)
    assert meter.charge(0.001, LaneError("no result", kind="lost")).counted_usd == 0.001
    meter.charge(0.001, known(500))
    assert meter.charge(0.001, slow).counted_usd == 0.001
    assert meter.charge(0.001, slow).kept_usd == 0.001 and meter.charge(0.001, known(1)).kept_usd == 1e-5
