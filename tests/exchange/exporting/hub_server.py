"""A stand-in of the Hub on loopback, over its HTTP interface: data sets are made, committed to, listed and read."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote

import pytest

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
        path = unquote(self.path.partition("?")[0])
        if found := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/main/(.+)", path):
            return self._send(*found.groups())
        name, _, rest = path.removeprefix("/api/datasets/").partition("/tree/main")
        name = name.removesuffix("/revision/main")
        if name not in self.server.private or (self.server.private[name] and not self._known()):
            return self._answer({"error": "Repository not found"}, 404)
        if "/tree/main" in path:
            folder = rest.strip("/")
            files = {at: one for at, one in self.server.files[name].items() if at.rpartition("/")[0] == folder}
            listed = [{"type": "file", "path": at, "size": len(one), "oid": "0" * 40} for at, one in files.items()]
            return self._answer(listed)
        return self._answer(
            {"id": name, "private": self.server.private[name], "sha": "0" * 40, "tags": [], "siblings": []}
        )

    def _known(self) -> bool:
        return self.headers["Authorization"] == f"Bearer {TOKEN}"

    def _send(self, name: str, path: str) -> None:
        """Send the part of a file that was asked for."""
        content = self.server.files.get(name, {}).get(path)
        if content is None or (self.server.private[name] and not self._known()):
            return self._answer({"error": "Entry not found"}, 404)
        first, _, last = str(self.headers.get("range", "bytes=0-")).removeprefix("bytes=").partition("-")
        part = content[int(first) : int(last) + 1 if last else None]
        self.send_response(206)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}")
        self.end_headers()
        self.wfile.write(part)

    def do_PUT(self) -> None:
        body = self._body()
        self.server.large[hashlib.sha256(body).hexdigest()] = body
        self._answer({})

    def do_POST(self) -> None:
        body = self._body()
        if not self._known():
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
def running_hub(patch: pytest.MonkeyPatch, folder: Path) -> Iterator[HubServer]:
    """Serve until the end of the block, as the Hub that its library asks with a token that may write."""
    constants = pytest.importorskip("huggingface_hub.constants")
    server = HubServer()
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    patch.setattr(constants, "ENDPOINT", server.url)
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE
    patch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template.replace("https://huggingface.co", server.url))
    patch.setattr(constants, "HF_HUB_DISABLE_XET", True)  # a protocol of its own, which has another server
    patch.setattr(constants, "HF_TOKEN_PATH", str(folder / "token"))
    patch.setenv("HF_TOKEN", TOKEN)
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
