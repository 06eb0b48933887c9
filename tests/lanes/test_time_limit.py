"""How long one attempt may take."""

import asyncio
import time

import pytest

from demur.lanes.chain import time_limit


async def test_time_limit_that_passed_while_the_loop_was_busy_lets_an_answer_be_noticed() -> None:
    reader, writer = await _answering_at_once()
    async with time_limit(0.1):
        writer.write(b"question\n")
        await writer.drain()
        time.sleep(0.3)  # a library is being loaded, in this thread
        assert await reader.readline() == b"question\n"
    with pytest.raises(TimeoutError):
        async with time_limit(0.1):
            time.sleep(0.3)
            await reader.readline()
    writer.close()


async def _answering_at_once() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        await writer.drain()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    return await asyncio.open_connection(*server.sockets[0].getsockname())
