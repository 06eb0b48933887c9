"""A stand-in of the Hub on loopback: making a data set and committing files to it, over its HTTP interface."""

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

TOKEN = "hf_of_a_test"


class HubServer(ThreadingHTTPServer):
    """Holds data sets by name: whether each is private, and its files."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.private: dict[str, bool] = {}
        self.files: dict[str, dict[str, bytes]] = {}
        self.large: dict[str, bytes] = {}
        self.commits = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: HubServer

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""

    def _answer(self, content: object, status: int = 200) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"] or 0))

    def do_GET(self) -> None:
        name = self.path.removeprefix("/api/datasets/").partition("?")[0]
        if name not in self.server.private:
            return self._answer({"error": "Repository not found"}, 404)
        return self._answer(
            {"id": name, "private": self.server.private[name], "sha": "0" * 40, "tags": [], "siblings": []}
        )

    def do_PUT(self) -> None:
        body = self._body()
        self.server.large[hashlib.sha256(body).hexdigest()] = body
        self._answer({})

    def do_POST(self) -> None:
        body = self._body()
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self._answer({"error": "Invalid username or password."}, 401)
        path = self.path
        if path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}"
            known = name in self.server.private
            self.server.private.setdefault(name, asked["visibility"] == "private")
            self.server.files.setdefault(name, {})
            return self._answer({"url": f"{self.server.url}/datasets/{name}"}, 409 if known else 200)
        if path == "/api/validate-yaml":
            return self._answer({"errors": [], "warnings": []})
        if "/preupload/" in path:
            large = {f["path"]: f["path"].endswith(".parquet") for f in json.loads(body)["files"]}
            modes = [
                {"path": p, "uploadMode": "lfs" if big else "regular", "shouldIgnore": False}
                for p, big in large.items()
            ]
            return self._answer({"files": modes})
        if path.endswith("/info/lfs/objects/batch"):
            wanted = [(one["oid"], one["size"]) for one in json.loads(body)["objects"]]
            objects = [
                {"oid": oid, "size": size, "actions": {"upload": {"href": f"{self.server.url}/lfs/{oid}"}}}
                for oid, size in wanted
            ]
            return self._answer({"transfer": "basic", "objects": objects})
        return self._commit(path.removeprefix("/api/datasets/").partition("/commit/")[0], body)

    def _commit(self, name: str, body: bytes) -> None:
        for line in map(json.loads, body.decode().splitlines()):
            value = line["value"]
            if line["key"] == "file":
                self.server.files[name][value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                self.server.files[name][value["path"]] = self.server.large[value["oid"]]
        self.server.commits += 1
        self._answer({"commitUrl": f"{self.server.url}/datasets/{name}/commit/1", "commitOid": "1" * 40})


@contextmanager
def running_hub() -> Iterator[HubServer]:
    """Serve until the end of the block."""
    server = HubServer()
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
