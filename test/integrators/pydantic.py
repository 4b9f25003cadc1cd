import os

import httpx
from lectern_models import CreatedRoom, CreateTokenBody, NewLink, NewRoom, NewSpace, Problem, RoomWithRole, Tokens

client = httpx.Client(base_url=os.environ["URL"])


def post(path, body):
    answer = client.post(path, json=body.model_dump(mode="json", exclude_none=True))
    assert answer.status_code == 200, answer.text
    return answer.json()


sign_in = CreateTokenBody(grant_type="password", username="operator", password=os.environ["PASSWORD"])
tokens = Tokens.model_validate(post("/v1/auth/token", sign_in))
client.headers["authorization"] = f"Bearer {tokens.access_token}"
space = f"/v1/spaces/{post('/v1/spaces', NewSpace(name='School'))['id']}"
room = f"{space}/rooms/{CreatedRoom.model_validate(post(f'{space}/rooms', NewRoom(name='Algebra'))).id}"
assert RoomWithRole.model_validate(client.get(room).json()).name == "Algebra"
assert Problem.model_validate(client.get("/v1/spaces/none").json()).code == "not_found"
print(post(f"{room}/generate-access", NewLink(role="user", username="Alan"))["url"])
