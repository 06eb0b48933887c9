"""An object store on loopback: moto's server of S3."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from urllib.request import Request, urlopen

import pytest

BUCKET = "shelf"
SECRET = "store-secret-7f3a9c"
needs_store = pytest.mark.skipif(
    not (find_spec("moto") and find_spec("flask") and find_spec("obstore")),
    reason="moto with flask, or obstore, is not installed: pip install 'demur[dev]'",
)
_REQUEST = re.compile(r"(GET|PUT|POST|DELETE|HEAD) (/\S*) HTTP")


@contextmanager
def running_store(patch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve a bucket until the end of the block, as the S3 of the environment, and yield its address."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        patch.setenv("AWS_ACCESS_KEY_ID", "AKIATESTONLY")
        patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        with urlopen(Request(f"http://{host}:{port}/{BUCKET}", method="PUT")):
            pass
        yield f"s3://{BUCKET}"
    finally:
        server.stop()


class Requests(logging.Handler):
    """The requests that stores of this process were sent, as (method, path), in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        if found := _REQUEST.search(record.getMessage()):
            self.seen.append((found[1], found[2]))


@contextmanager
def seen_requests() -> Iterator[Requests]:
    """Note the requests that stores of this process are sent inside the block."""
    log, requests = logging.getLogger("werkzeug"), Requests()
    level = log.level
    log.addHandler(requests)
    log.setLevel(logging.INFO)
    try:
        yield requests
    finally:
        log.removeHandler(requests)
        log.setLevel(level)
