"""A server at 127.0.0.1 that gives every request what a test wants to be answered."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

Answer = tuple[int, Mapping[str, str], bytes]
"""Status, headers and body."""


@contextmanager
def answering(answer: Callable[[str, dict[str, str], bytes], Answer]) -> Iterator[str]:
    """Yield the address of a server that answers a path, headers and a body so."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            asked = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, headers, body = answer(
                self.path, {name.title(): value for name, value in self.headers.items()}, asked
            )
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = _answer

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def redirecting(target: str, status: int) -> AbstractContextManager[str]:
    """Send whoever asks to the same path at `target`, as a captive portal, a moved gateway or a thief would."""
    return answering(lambda path, headers, body: (status, {"Location": f"{target}{path}"}, b""))
