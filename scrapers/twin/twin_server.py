"""The twin as a server on the loopback."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from scrapers.twin.replies import Ask, Page, ask_for, right_reply
from scrapers.twin.twin_puzzles import Archive

HOST = "127.0.0.1"
"""The only address the twin listens at: it is no site for others."""

POLL_SECONDS = 0.05
"""How long a twin takes at most to notice that it is to stop."""


class TwinHandler(BaseHTTPRequestHandler):
    """A client's connection. The twin decides what its requests are answered with."""

    server: "TwinServer"
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body go out together: apart, the body would wait for the client's delayed ACK

    def do_GET(self) -> None:
        """Answer a request whose fields are in the query or in a form; both scripts of webpbn take them from either."""
        url = urlsplit(self.path)
        form = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode("latin-1")
        fields = dict(parse_qsl(f"{url.query}&{form}", keep_blank_values=True))
        self.server.answer(self, ask_for(url.path, fields))

    do_POST = do_GET  # noqa: N815

    def send(self, page: Page) -> None:
        """Send a page, or 304 if the client has it. So it is for forms too, though HTTP means it for GET only."""
        known = [tag.strip().removeprefix("W/") for tag in self.headers.get("If-None-Match", "").split(",")]
        if page.tag and page.tag in known:
            self.respond(304, b"", {"ETag": page.tag})
        else:
            self.respond(page.status, page.body, {"Content-Type": page.kind} | ({"ETag": page.tag} if page.tag else {}))

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
    """An archive, served as both sites would.

    Port 0 takes a free one. `crawl_delay` (seconds) is what robots.txt asks for. Raises OSError if the port can't be
    had.
    """

    def __init__(self, archive: Archive, port: int = 0, crawl_delay: float | None = None) -> None:
        super().__init__((HOST, port), TwinHandler)
        self.base = f"http://{HOST}:{self.server_port}"
        self._archive, self._crawl_delay = archive, crawl_delay

    @contextmanager
    def running(self) -> Iterator[str]:
        """Serve in a thread while the block lasts; yields the address, such as http://127.0.0.1:8000."""
        thread = threading.Thread(target=self.serve_forever, args=(POLL_SECONDS,), name="twin", daemon=True)
        thread.start()
        try:
            yield self.base
        finally:
            self.shutdown()
            self.server_close()
            thread.join()

    def answer(self, handler: TwinHandler, ask: Ask) -> None:
        """Answer a request."""
        handler.send(self.page(ask))

    def page(self, ask: Ask) -> Page:
        """Return the right reply."""
        return right_reply(ask, self._archive, self.base, self._crawl_delay)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that have disconnected; report anything else."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
