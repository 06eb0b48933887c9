"""A lane whose models say their own name."""

from demur.lanes.registry import Lane
from demur.programs.call_scope import Reply


class EchoTransport:
    """Turns one request into one reply."""

    def __init__(self, spec, access):
        self.spec = spec

    async def ask(self, request):
        """Return the reply to a request, or raise a LaneError."""
        return Reply(text=self.spec.model)

    async def aclose(self):
        """Close open connections."""


LANE = Lane(transport="demur_echo:EchoTransport", description="says its own name", embedded=True)
