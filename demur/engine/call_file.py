"""The record of calls outside rounds: one JSON object per line, durable before an answer is used."""

import json
import os
import threading
from collections import defaultdict
from pathlib import Path

from demur.engine.journal import known_reply
from demur.errors import FlowError
from demur.programs.journal import CallRecord, KnownReply

_FIELDS = tuple(CallRecord.__slots__)


class CallFile:
    """Calls in a file; what it holds is not asked again, so that work that ended early costs nothing twice."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._known: dict[str, KnownReply] = {}
        self._of_unit: defaultdict[str, list[KnownReply]] = defaultdict(list)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = path.read_bytes().split(b"\n") if path.exists() else []
            if lines and lines[-1]:
                path.write_bytes(b"\n".join([*lines[:-1], b""]))  # a torn last line was never used
        except OSError as exc:
            raise FlowError(f"{path}: cannot be used ({exc.strerror}). Set DEMUR_HOME to a folder of yours") from exc
        for line in lines[:-1]:
            self._remember(CallRecord(**json.loads(line)))

    def known(self, request_digest: str) -> KnownReply | None:
        """Return the recorded answer to a request, named by model and digest."""
        return self._known.get(request_digest)

    def of_unit(self, unit_id: str) -> tuple[KnownReply, ...]:
        """Return the recorded answers that a unit of work got, oldest first."""
        return tuple(self._of_unit.get(unit_id, ()))

    async def record(self, call: CallRecord) -> None:
        """Return once the call is on the disk."""
        line = json.dumps({name: getattr(call, name) for name in _FIELDS}, ensure_ascii=False).encode() + b"\n"
        with self._lock, self.path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
            self._remember(call)

    def _remember(self, call: CallRecord) -> None:
        if call.status != "ok" or call.reply is None:
            return
        known = known_reply(call)
        self._of_unit[call.unit_id].append(known)
        self._known.setdefault(f"{call.model}:{call.request_digest}", known)
