import hashlib, hmac, json, os
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WEBHOOK_SECRET"]


def verify(raw):
    """Returns the body of a genuine request, or None: then reject it."""
    callback = json.loads(raw)
    text = json.dumps(callback["body"], ensure_ascii=False, separators=(",", ":"))
    expected = hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).hexdigest()
    genuine = hmac.compare_digest(expected.encode(), callback["signature"].encode())
    return callback["body"] if genuine else None


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            body = verify(self.rfile.read(int(self.headers["Content-Length"])))
        except (AttributeError, KeyError, TypeError, ValueError):
            body = None
        self.send_response(204 if body else 401)
        self.end_headers()


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver)
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
