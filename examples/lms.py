"""A school's backend in one file: a room, a link for each student, and the attendance when the lesson is over.

    pip install openapi-python-client
    openapi-python-client generate --url $LECTERN_URL/openapi.json --meta none --output-path lectern_client
    LECTERN_URL=http://localhost:8080 LECTERN_TOKEN=lectern_pat_… python lms.py

The token is a personal access token with the scopes spaces:write, rooms:write, links:write, webhook:write and calls:read.
Lectern must be able to reach CALLBACK_URL: on the same machine, start it with LECTERN_ALLOW_PRIVATE_WEBHOOKS=1.
"""

import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from lectern_client import AuthenticatedClient
from lectern_client.api.guest_links import generate_access
from lectern_client.api.past_calls import get_attendance
from lectern_client.api.rooms import create_rooms
from lectern_client.api.spaces import create_spaces
from lectern_client.api.webhook import create_webhook
from lectern_client.models import CreateWebhookBody, NewLink, NewLinkRole, NewRoom, NewSpace

PORT = int(os.environ.get("PORT", "8000"))
CALLBACK_URL = os.environ.get("CALLBACK_URL", f"http://localhost:{PORT}/lectern")
STUDENTS = {"student1": "Ada Lovelace", "student2": "Alan Turing"}

lectern = AuthenticatedClient(
    os.environ["LECTERN_URL"], token=os.environ["LECTERN_TOKEN"], raise_on_unexpected_status=True
)


def verify(raw, secret):
    """Returns the body of a genuine request, or None: then reject it."""
    callback = json.loads(raw)
    text = json.dumps(callback["body"], ensure_ascii=False, separators=(",", ":"))
    expected = hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
    genuine = hmac.compare_digest(expected.encode(), callback["signature"].encode())
    return callback["body"] if genuine else None


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = verify(self.rfile.read(int(self.headers["content-length"])), self.server.secret)
        self.send_response(204 if body else 401)
        self.end_headers()
        if body:
            self.server.event = body

    def log_message(self, *_):
        pass


space_id = create_spaces.sync(client=lectern, body=NewSpace(name="Evening school")).id
room_id = create_rooms.sync(space_id, client=lectern, body=NewRoom(name="Algebra")).id
receiver = HTTPServer(("", PORT), Receiver)
receiver.secret = create_webhook.sync(space_id, client=lectern, body=CreateWebhookBody(url=CALLBACK_URL)).secret


def invite(name, **who):
    link = generate_access.sync(space_id, room_id, client=lectern, body=NewLink(username=name, **who))
    print(f"Link for {name}: {link.url}", flush=True)


for student, name in STUDENTS.items():
    invite(name, role=NewLinkRole.USER, external_user_id=student)
invite("Teacher", role=NewLinkRole.MODERATOR)

event = {}
while event.get("eventName") != "call_finished":
    receiver.event = {}
    receiver.handle_request()
    event = receiver.event
    if event:
        print(f"Event: {event['eventName']}", flush=True)

attendance = get_attendance.sync(space_id, room_id, event["callId"], client=lectern)
seconds = {person.external_user_id: person.seconds for person in attendance.people}
for student, name in STUDENTS.items():
    print(f"{name}: {f'{seconds[student]} s' if student in seconds else 'absent'}")
