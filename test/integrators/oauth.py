"""Signs in through two libraries as an API client; each renews an expired token by itself, and revokes it in the end."""

import os

from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from oauthlib.oauth2 import LegacyApplicationClient
from requests_oauthlib import OAuth2Session

url, client_id, client_secret = (os.environ[name] for name in ("URL", "CLIENT_ID", "CLIENT_SECRET"))
person = {"username": os.environ["NAME"], "password": os.environ["PASSWORD"]}
token_url, me = f"{url}/v1/auth/token", f"{url}/v1/users/me"


def expired(token):
    return {**token, "access_token": "expired", "expires_in": -1, "expires_at": 1}


def with_requests_oauthlib():
    kept = []
    client = LegacyApplicationClient(client_id=client_id)
    token = OAuth2Session(client=client).fetch_token(token_url, client_secret=client_secret, **person)
    session = OAuth2Session(
        client_id,
        token=expired(token),
        auto_refresh_url=token_url,
        auto_refresh_kwargs={"client_id": client_id, "client_secret": client_secret},
        token_updater=kept.append,
    )
    assert session.get(me).json()["username"] == person["username"]
    assert [new["refresh_token"] != token["refresh_token"] for new in kept] == [True]


def with_authlib(method):
    kept = []
    session = AuthlibSession(
        client_id,
        client_secret,
        token_endpoint=token_url,
        token_endpoint_auth_method=method,
        update_token=lambda token, **_: kept.append(token),
    )
    token = session.fetch_token(token_url, **person)
    session.token = expired(token)
    assert session.get(me).json()["username"] == person["username"]
    assert [new["refresh_token"] != token["refresh_token"] for new in kept] == [True]
    assert session.revoke_token(f"{url}/v1/auth/revoke", token=kept[0]["refresh_token"]).status_code == 200
    assert session.get(me).status_code == 401


with_requests_oauthlib()
with_authlib("client_secret_basic")
with_authlib("client_secret_post")

machine = AuthlibSession(client_id, client_secret, token_endpoint_auth_method="client_secret_basic")
machine.fetch_token(token_url, grant_type="client_credentials")
assert machine.get(me).json()["username"] == person["username"]
print("done")
