"""An object store on loopback: moto's server of S3."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from urllib.request import Request, urlopen

import pytest

BUCKET = "shelf"
SECRET = "store-secret-7f3a9c"
needs_store = pytest.mark.skipif(
    not (find_spec("moto") and find_spec("flask")),
    reason="moto with flask is not installed: pip install 'demur[dev]'",
)


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
