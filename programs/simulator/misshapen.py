"""Bodies that a provider's interface does not have, as proxies, faulty servers and careless models make them."""

import json
from typing import Final

from demur.programs.simulator.faults import SimulatorFault
from demur.programs.simulator.wire import Body

TOO_DEEP: Final = '{"error": ' + "[" * 20_000 + "]" * 20_000 + "}"
"""JSON that is nested deeper than parsers go."""
_TOO_MANY_TOKENS: Final = 2**70


def misshapen(body: Body, fault: SimulatorFault | None) -> str:
    """Return a good answer as it goes over the wire, spoilt where such a fault is due."""
    if fault is SimulatorFault.NESTED:
        return TOO_DEEP
    if fault is SimulatorFault.NOT_THE_INTERFACE:
        body = {"choices": "none", "content": 7, "usage": "free"}
    if fault is SimulatorFault.NO_USAGE:
        body = {name: value for name, value in body.items() if name != "usage"}
    if fault is SimulatorFault.HUGE_USAGE:
        body = {**body, "usage": dict.fromkeys(body["usage"], _TOO_MANY_TOKENS)}
    if fault is SimulatorFault.REFUSAL_NO_TEXT and "choices" in body:
        message = {"role": "assistant", "content": None, "refusal": {"reasons": ["it depends"]}}
        body = {**body, "choices": [{**body["choices"][0], "message": message}]}
    elif fault is SimulatorFault.REFUSAL_NO_TEXT:
        body = {**body, "content": [{"type": "text", "text": {"parts": []}}], "stop_reason": "refusal"}
    return json.dumps(body)
