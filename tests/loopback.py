"""Servers on the loopback address, for tests of what is fetched."""
import http.server
import os
import threading


class Server(http.server.ThreadingHTTPServer):
    """Answers by a function from a path to (status, headers, pieces of the body). With `keeps`, who
    asks may ask again over the same connection; `connections` counts them."""
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, answer, keeps=False):
        super().__init__(("127.0.0.1", 0), Keeping if keeps else Handler)
        self.answer, self.asked, self.connections = answer, [], 0
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05},
                         daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def process_request(self, *what):
        self.connections += 1
        super().process_request(*what)

    def handle_error(self, *_):
        pass  # who asked has hung up

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        status, headers, pieces = self.server.answer(self.path)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece)

    def log_message(self, *_):
        pass


class Keeping(Handler):
    protocol_version = "HTTP/1.1"


def whole(body):
    return 200, {"Content-Length": str(len(body))}, [body]


def missing(_path):
    return 404, {"Content-Length": "9"}, [b"no such\n\n"]


def environment(t, **more):
    """Nothing that the tester's own environment says of servers, and a cache of the case's own."""
    keep = {name: value for name, value in os.environ.items()
            if not name.startswith(("DEBUGINFOD", "WICK_SYMBOL", "WICK_DEBUGINFOD", "_NT_"))
            and not name.lower().endswith("_proxy")}
    return keep | {"WICK_CACHE_DIR": str(t.folder / "cache")} | \
        {name: str(value) for name, value in more.items()}


class Endless:
    """Answers that never end, to all but questions for the lists of a symbol store."""

    def __init__(self):
        self.sent, self.lock = 0, threading.Lock()

    def pieces(self):
        while True:
            yield bytes(1 << 16)
            with self.lock:
                self.sent += 1 << 16

    def __call__(self, asked):
        return missing(asked) if "index2" in asked else (200, {}, self.pieces())
