"""The process that reads documents, and the client of this process.

Each document may take a limited time of the processor and a limited amount of memory.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from textwrap import shorten
from typing import Any, BinaryIO, Final

import orjson

from demur.corpora.documents.blocks import LeftOut
from demur.errors import CorpusError

_START_SECONDS: Final = 120.0
_WALL: Final = 10
"""Seconds on the clock for each second of CPU time that a document may take, since a machine may be busy."""
_LENGTH: Final = 8
_OUT_OF_TIME: Final = f"signal {signal.SIGPROF}" if hasattr(signal, "SIGPROF") else None
_READY: Final = {"ready": True}


class DocumentReader:
    """Reads documents one by one in another process. The process restarts after a document that takes too long.

    A document may take so many seconds of CPU time. A process that waits is ended after a multiple of these seconds.
    """

    def __init__(self, seconds: float, memory_megabytes: int) -> None:
        self._seconds = seconds
        self._memory = memory_megabytes
        self._process: asyncio.subprocess.Process | None = None

    async def read(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of `reading.read_document` for a document.

        Args:
            request: the arguments of `answer`, by name.

        Raises:
            LeftOut: the document cannot be used, took too long, or ended the process.
            CorpusError: no process can be started.
        """
        if self._process is None:
            await self._start()
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(orjson.dumps(request) + b"\n")
            async with asyncio.timeout(_WALL * self._seconds):
                await self._process.stdin.drain()
                reply = await self._reply()
        except TimeoutError:
            await self.close()
            raise self._too_slow() from None
        except (asyncio.IncompleteReadError, ConnectionError):
            code = await self._ended()
            if code == _OUT_OF_TIME:
                raise self._too_slow() from None
            raise LeftOut("reader_ended", f"ends the process that reads it ({code}). Save it anew") from None
        if "reason" in reply:
            if reply.get("ends"):
                await self.close()
            raise LeftOut(reply["reason"], reply["detail"])
        return reply

    def _too_slow(self) -> LeftOut:
        return LeftOut(
            "too_slow", f"is not read after {self._seconds:g} s of CPU time (corpus.limits.seconds). Split or repair it"
        )

    async def close(self) -> None:
        """End the process."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._ended()

    async def _start(self) -> None:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        arguments = (sys.executable, "-P", "-m", __name__, str(self._seconds), str(self._memory))
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        self._process = await asyncio.create_subprocess_exec(
            *arguments, stdin=pipe, stdout=pipe, stderr=nothing, env=environment
        )
        try:
            async with asyncio.timeout(_START_SECONDS):
                await self._reply()
        except (TimeoutError, asyncio.IncompleteReadError) as exc:
            await self.close()
            raise CorpusError(
                "the process that reads documents does not start; remedy: pip install 'demur[documents]', or raise "
                f"corpus.limits.memory_megabytes ({self._memory})"
            ) from exc

    async def _reply(self) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None
        length = int.from_bytes(await self._process.stdout.readexactly(_LENGTH), "big")
        return dict(orjson.loads(await self._process.stdout.readexactly(length)))

    async def _ended(self) -> str:
        assert self._process is not None
        code = await self._process.wait()
        self._process = None
        return f"signal {-code}" if code < 0 else f"exit {code}"


@asynccontextmanager
async def document_reader(seconds: float, memory_megabytes: int) -> AsyncIterator[DocumentReader]:
    """Yield a reader, and end its process after the block."""
    reader = DocumentReader(seconds, memory_megabytes)
    try:
        yield reader
    finally:
        await reader.close()


def answer(
    address: str,
    path: str,
    digest: str,
    offset: int,
    length: int | None,
    characters: int,
    repeated: Sequence[str] | None = (),
) -> dict[str, Any]:
    """Return the result of `read_document` for a document, or the `reason` and `detail` why the document is left out.

    Args:
        address: the place to open.
        path: the document's name; its ending chooses the reader.
        digest: the expected SHA-256 of the document's bytes; a changed document is left out.
        offset: the first byte of the document's row; 0 for a file.
        length: the number of bytes of the row; None for a file.
        characters: the most characters of a text; a longer document is left out.
        repeated: the names of repeated blocks, which are left out; None to get only the `names` of the blocks.
    """
    import hashlib

    from demur.corpora.documents.found import open_bytes
    from demur.corpora.documents.reading import block_names, read_blocks, read_document

    try:
        with open_bytes(address) as file:
            file.seek(offset)
            data = file.read(-1 if length is None else length)
        data = data if length is None else data.strip()
        if hashlib.sha256(data).hexdigest() != digest:
            return {"reason": "changed", "detail": f"{path} has changed since it was found"}
        if repeated is None:
            return {"names": block_names(read_blocks(path, data).blocks)}
        return read_document(path, data, characters, is_row=length is not None, repeated=repeated)
    except LeftOut as exc:
        return {"reason": exc.reason, "detail": str(exc)}
    except MemoryError:
        return {"reason": "too_large", "detail": "needs more memory than corpus.limits.memory_megabytes", "ends": True}
    except Exception as exc:  # of whichever library: a document that it cannot read stops nothing
        said = shorten(f"{type(exc).__name__}: {exc}", 160, placeholder=" ...")
        return {"reason": "damaged", "detail": f"cannot be read ({said}). Save it anew"}


def main(seconds: float, memory_megabytes: int) -> None:
    """Answer requests until the input ends. A document that takes too long ends the process."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no reply
    _limit_memory(memory_megabytes)
    from demur.text.language_detection import detect

    detect("A first text, so that loading counts for no document.")
    _send(replies, _READY)
    for line in sys.stdin.buffer:
        _alarm(seconds)
        _send(replies, answer(**orjson.loads(line)))
        _alarm(0)


def _send(replies: BinaryIO, reply: Mapping[str, Any]) -> None:
    data = orjson.dumps(reply)
    replies.write(len(data).to_bytes(_LENGTH, "big") + data)
    replies.flush()


def _limit_memory(megabytes: int) -> None:
    """Limit the memory of this process, if the operating system can do this."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000, megabytes * 1_000_000))


def _alarm(seconds: float) -> None:
    """End this process after so much CPU time, if the operating system can do this; 0 cancels an earlier call."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
