"""The twin as a server on the loopback."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from nonocensus.scrapers.twin.replies import TwinReply, reply_to
from nonocensus.scrapers.twin.twin_puzzles import TwinArchive

HOST = "127.0.0.1"
"""The twin is reachable only from this machine."""

POLL_SECONDS = 0.05
"""Interval of checking for shutdown."""


class TwinHandler(BaseHTTPRequestHandler):
    """A client's connection; the server makes the replies."""

    server: "TwinServer"
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # sends headers and body together, else the body waits for the client's delayed ACK

    def do_GET(self) -> None:
        """Answer a request; fields may be in the query or in a form, as for webpbn's scripts."""
        url = urlsplit(self.path)
        form = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode("latin-1")
        fields = dict(parse_qsl(f"{url.query}&{form}", keep_blank_values=True))
        self.server.answer(self, url.path, fields)

    do_POST = do_GET  # noqa: N815

    def send(self, reply: TwinReply) -> None:
        """Send a reply, or 304 if the client has it, for forms too, though HTTP defines that for GET only."""
        known = [tag.strip().removeprefix("W/") for tag in self.headers.get("If-None-Match", "").split(",")]
        if reply.tag and reply.tag in known:
            self.respond(304, b"", {"ETag": reply.tag})
        else:
            self.respond(
                reply.status, reply.body, {"Content-Type": reply.kind} | ({"ETag": reply.tag} if reply.tag else {})
            )

    def respond(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        """Send a whole response."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Log no requests."""


class TwinServer(ThreadingHTTPServer):
    """Server of an archive. Port 0 is any free one; `crawl_delay` is that of robots.txt, in seconds.

    Raises OSError if the port is not available.
    """

    def __init__(self, archive: TwinArchive, port: int = 0, crawl_delay: float | None = None) -> None:
        super().__init__((HOST, port), TwinHandler)
        self.base = f"http://{HOST}:{self.server_port}"
        self._archive, self._crawl_delay = archive, crawl_delay

    @contextmanager
    def running(self) -> Iterator[str]:
        """Serve in a thread within the block; yield the URL, such as http://127.0.0.1:8000."""
        thread = threading.Thread(target=self.serve_forever, args=(POLL_SECONDS,), name="twin", daemon=True)
        thread.start()
        try:
            yield self.base
        finally:
            self.shutdown()
            self.server_close()
            thread.join()

    def answer(self, handler: TwinHandler, path: str, fields: dict[str, str]) -> None:
        """Answer a request."""
        handler.send(self.reply(path, fields)[1])

    def reply(self, path: str, fields: dict[str, str]) -> tuple[str, TwinReply]:
        """Return the name of a page and the reply to its request."""
        return reply_to(path, fields, self._archive, self.base, self._crawl_delay)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that have disconnected; report anything else."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
