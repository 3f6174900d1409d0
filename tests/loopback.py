"""Servers on the loopback address, for tests of what is fetched."""
import http.server
import threading


class Server(http.server.ThreadingHTTPServer):
    """Answers by a function from a path to (status, headers, pieces of the body)."""
    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.asked = answer, []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05},
                         daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

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


def whole(body):
    return 200, {"Content-Length": str(len(body))}, [body]


def missing(_path):
    return 404, {"Content-Length": "9"}, [b"no such\n\n"]
