"""A server for tests: the app on a store in memory, a requester, workers, and a campaign."""

import warnings
from types import SimpleNamespace

from labelbandit.server import keys
from labelbandit.server.app import make_app
from labelbandit.server.settings import Settings
from labelbandit.stores import open_store

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it would rather have another HTTP library than the one we lock
    from fastapi.testclient import TestClient

API = "/api/v1"


def make_server(url="memory:", **settings):
    """An app and a requester's client for it."""
    store = open_store(url)
    app = make_app(Settings(url, **settings), store)
    token = keys.first_key(store) or keys.issue(store, "local")
    client = TestClient(app, raise_server_exceptions=False, headers={"Authorization": f"Bearer {token}"})
    return SimpleNamespace(app=app, store=store, token=token, client=client, stranger=anonymous(app))


def anonymous(app, token=None):
    """A client with another key, or with none."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return TestClient(app, raise_server_exceptions=False, headers=headers)


def make_campaign(server, *, tasks=4, workers=("ann", "bob"), **terms):
    """A campaign with tasks and workers; returns its path and the workers' clients."""
    given = {"name": "birds", "classes": ["owl", "jay"], "budget": 100, "seed": 1} | terms
    made = server.client.post(f"{API}/campaigns", json=given)
    assert made.status_code == 201, made.text
    path = f"{API}/campaigns/{made.json()['id']}"
    shown = [{"id": f"t{at}", "context": "garden", "payload": {"text": f"bird {at}"}} for at in range(tasks)]
    assert server.client.post(f"{path}/tasks", json={"tasks": shown}).status_code == 201
    links = server.client.post(f"{path}/workers", json={"workers": [{"id": worker} for worker in workers]}).json()
    crew = {link["worker"]: anonymous(server.app, link["token"]) for link in links}
    return SimpleNamespace(path=path, workers=crew, links=links)
