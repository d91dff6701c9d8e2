"""What keys open and what they do not, and what hostile requests come to."""

import csv
import hashlib
import io

import pytest

from labelbandit.server import keys
from labelbandit.server.access import REQUESTER, WORKER
from labelbandit.server.guarding import CONTENT_POLICY
from labelbandit.server.limits import Buckets
from tests.servers import API, anonymous, make_campaign, make_server

PROOF = {"x-labelbandit": "page"}


@pytest.fixture
def server():
    return make_server()


@pytest.fixture
def birds(server):
    return make_campaign(server)


def routes(app, *, under, without=()):
    """Every (method, path) of the API under a prefix, with names filled in."""
    found = []
    for path, verbs in app.openapi()["paths"].items():
        if path.startswith(under) and not path.startswith(tuple(without)):
            found += [(verb.upper(), path) for verb in verbs]
    return found


def test_a_key_is_long_random_and_kept_only_as_a_digest(server):
    first, second = keys.issue(server.store, "local"), keys.issue(server.store, "local")
    assert first != second
    assert len(first.removeprefix("lbr_")) >= 22  # 128 bits in base64
    kept = server.store.keys("local")
    assert hashlib.sha256(first.encode()).digest() in {key.digest for key in kept}
    assert all(first.encode() not in repr(key).encode() for key in kept)


def test_without_a_key_nothing_but_health_and_shells_is_answered(server, birds):
    open_to_all = {(verb, f"{API}/session") for verb in ("GET", "POST", "DELETE")}
    tried = [route for route in routes(server.app, under="/api") if route not in open_to_all]
    assert len(tried) > 35
    id_ = birds.path.rpartition("/")[2]
    for method, path in tried:
        answer = server.stranger.request(method, path.replace("{campaign}", id_).replace("{webhook}", "x"), json={})
        assert answer.status_code == 401, (method, path, answer.text)
    assert server.stranger.get("/metrics").status_code == 401


def test_a_worker_key_opens_nothing_of_the_requester(server, birds):
    ann, id_ = birds.workers["ann"], birds.path.rpartition("/")[2]
    tried = routes(server.app, under=f"{API}/campaigns") + routes(server.app, under=f"{API}/uploads")
    for method, path in [*tried, ("GET", "/metrics")]:
        answer = ann.request(method, path.replace("{campaign}", id_).replace("{webhook}", "x"), json={})
        assert answer.status_code == 403, (method, path)


def test_a_requester_key_is_no_worker_key(server):
    assert server.client.get(f"{API}/work").status_code == 403


def test_a_worker_reaches_nobody_elses_assignment(birds):
    theirs = birds.workers["bob"].post(f"{API}/work/ask").json()["work"][0]["assignment"]
    for verb, body in (("tell", {"answer": "owl"}), ("decline", {}), ("correct", {"answer": "owl"}), ("renew", {})):
        refused = birds.workers["ann"].post(f"{API}/work/{verb}", json={"assignment": theirs, **body})
        assert (refused.status_code, refused.json()["error"]) == (404, "unknown_name"), verb


def test_a_worker_of_one_campaign_reaches_nothing_of_another(server, birds):
    fish = make_campaign(server, name="fish", tasks=20)
    for path in (birds.path, fish.path):
        assert birds.workers["ann"].get(path).status_code == 403
    theirs = [fish.workers[name].post(f"{API}/work/ask").json()["work"][0]["assignment"] for name in ("ann", "bob")]
    for number in theirs:
        refused = birds.workers["bob"].post(f"{API}/work/tell", json={"assignment": number, "answer": "owl"})
        assert refused.status_code == 404
    assert server.client.get(f"{fish.path}/labels").json() == []


def test_a_spreadsheet_runs_nothing_of_an_export(server):
    formula = "=HYPERLINK(1)"
    birds = make_campaign(server, tasks=1, classes=["+1", "@x"], workers=("-ann",))
    server.client.post(f"{birds.path}/tasks", json={"tasks": [{"id": formula, "payload": {"text": formula}}]})
    label = {"task": formula, "worker": "-ann", "answer": "+1"}
    assert server.client.post(f"{birds.path}/attach", json={"labels": [label]}).status_code == 201
    for what in ("labels", "estimates"):
        content = server.client.get(f"{birds.path}/export", params={"what": what, "format": "csv"}).text
        cells = [cell for row in csv.reader(io.StringIO(content)) for cell in row]
        assert formula[1:] in content
        assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []


def test_a_worker_never_sees_gold_contexts_propensities_ids_or_the_budget(server):
    birds = make_campaign(server, tasks=1, max_labels=5, budget=4242424242)  # found in no time or id by chance
    gold = {"tasks": [{"id": "known", "context": "secret context", "payload": {"text": "x"}, "gold": "jay"}]}
    server.client.post(f"{birds.path}/tasks", json=gold)
    ann = birds.workers["ann"]
    said = ann.get(f"{API}/work").text
    desk = ann.post(f"{API}/work/ask")
    while desk.json()["work"]:
        said += desk.text
        desk = ann.post(f"{API}/work/tell", json={"assignment": desk.json()["work"][0]["assignment"], "answer": "owl"})
    said += desk.text
    for hidden in ("known", "secret context", "propensity", "gold", 'budget":', "bob", "4242424242"):
        assert hidden not in said


def test_an_owners_campaigns_do_not_exist_for_another(server, birds):
    other = anonymous(server.app, keys.issue(server.store, "somebody else"))
    assert other.get(birds.path).status_code == 404
    assert other.get(f"{API}/campaigns").json() == []
    assert "labelbandit_budget_limit{" not in other.get("/metrics").text


def test_a_key_for_one_campaign_opens_no_other(server, birds):
    token = server.client.post(f"{birds.path}/keys").json()["token"]
    limited = anonymous(server.app, token)
    second = server.client.post(f"{API}/campaigns", json={"name": "fish", "classes": ["a", "b"], "budget": 1}).json()
    assert limited.get(birds.path).status_code == 200
    assert limited.get(f"{API}/campaigns/{second['id']}").status_code == 403
    assert [one["name"] for one in limited.get(f"{API}/campaigns").json()] == ["birds"]
    assert limited.post(f"{API}/campaigns", json={"name": "x", "classes": ["a", "b"], "budget": 1}).status_code == 403


def test_a_link_is_exchanged_for_a_strict_cookie_that_scripts_cannot_read(server, birds):
    answer = server.stranger.post(f"{API}/session", json={"token": birds.links[0]["token"]})
    assert answer.json() == {"kind": "worker"}
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{WORKER}=")
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    assert server.stranger.get(f"{API}/work").json()["worker"] == "ann"


def test_a_page_learns_which_cookies_open_something_without_an_error(server, birds):
    assert server.stranger.get(f"{API}/session").json() == {"requester": False, "worker": False}
    server.stranger.cookies.set(REQUESTER, "lbr_wrong")
    server.stranger.cookies.set(WORKER, birds.links[0]["token"])
    assert server.stranger.get(f"{API}/session").json() == {"requester": False, "worker": True}


def test_a_change_by_cookie_needs_the_header_that_other_sites_cannot_send(server, birds):
    server.stranger.cookies.set(REQUESTER, server.token)
    assert server.stranger.post(f"{birds.path}/close").status_code == 403
    assert server.stranger.get(birds.path).json()["progress"]["phase"] == "open"
    assert server.stranger.post(f"{birds.path}/pause", headers=PROOF).status_code == 200


def test_a_page_for_one_worker_takes_no_answer_as_another(server, birds):
    server.stranger.cookies.set(WORKER, birds.links[1]["token"])
    seat = birds.workers["ann"].get(f"{API}/work").json()["seat"]
    refused = server.stranger.post(f"{API}/work/ask", headers=PROOF | {"x-labelbandit-seat": seat})
    assert refused.status_code == 403
    assert "another worker's link" in refused.json()["detail"]


@pytest.mark.parametrize("path", ["/", "/w", "/api/v1/campaigns", "/nowhere", "/static/work.js"])
def test_every_answer_has_the_strict_headers(server, path):
    headers = server.stranger.get(path).headers
    assert headers["content-security-policy"] == CONTENT_POLICY
    assert "unsafe" not in CONTENT_POLICY
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


def test_scripts_never_make_markup_of_data():
    from labelbandit.server.pages import FOLDER

    for script in (FOLDER / "static").glob("*.js"):
        text = script.read_text("utf-8")
        for risky in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert risky not in text, (script.name, risky)
    for page in (FOLDER / "templates").glob("*.html"):
        text = page.read_text("utf-8")
        assert " style=" not in text
        assert "<script>" not in text
        assert "http" not in text.replace("http-equiv", "")


def test_a_body_that_is_too_large_is_refused():
    server = make_server(most_bytes=1000)
    refused = server.client.post(f"{API}/campaigns", content=b"x" * 2000, headers={"content-type": "application/json"})
    assert (refused.status_code, refused.json()["error"]) == (413, "too_large")
    parts = (b"x" * 600 for _ in range(4))  # without a length announced
    assert server.client.post(f"{API}/campaigns", content=parts).status_code == 413


def test_too_many_requests_with_one_key_are_refused():
    server = make_server(rate=1.0, burst=3.0)
    statuses = [server.client.get(f"{API}/campaigns").status_code for _ in range(6)]
    assert statuses == [200] * 3 + [429] * 3


def test_requests_over_the_limit_do_no_harm():
    server = make_server(rate=1e9, burst=1e9)
    birds = make_campaign(server)
    ann = birds.workers["ann"]
    work = ann.post(f"{API}/work/ask").json()["work"][0]["assignment"]
    server.app.state.buckets = Buckets(1000.0, 1.0)
    answer = {"assignment": work, "answer": "owl"}
    statuses = [ann.post(f"{API}/work/tell", json=answer).status_code for _ in range(40)]
    while statuses[-1] != 200:
        statuses.append(ann.post(f"{API}/work/tell", json=answer).status_code)
    assert set(statuses) <= {200, 429}
    server.app.state.buckets = Buckets(1e9, 1e9)
    progress = server.client.get(f"{birds.path}/progress").json()
    assert (progress["labels"], progress["spent"]) == (1, 1)


def test_too_many_tries_to_sign_in_are_refused():
    server = make_server(sign_ins=0.1)
    statuses = {server.stranger.post(f"{API}/session", json={"token": "guess"}).status_code for _ in range(3)}
    assert statuses == {403, 429}


@pytest.mark.parametrize(
    "body",
    [
        {"name": "x", "classes": ["a", "b"], "budget": "100"},
        {"name": "x", "classes": ["a", "b"], "budget": 1.0e30},
        {"name": "x", "classes": ["a", "b"], "budget": True},
        {"name": "x", "classes": ["a", "b"], "budget": 10**30},
        {"name": "x", "classes": ["a", "a"], "budget": 5},
        {"name": "x", "classes": ["a"], "budget": 5},
        {"name": "", "classes": ["a", "b"], "budget": 5},
        {"name": "x\x00y", "classes": ["a", "b"], "budget": 5},
        {"name": "x", "classes": ["a", "b"], "budget": 5, "surprise": 1},
        {"name": "x", "classes": ["a", "b"], "budget": 5, "policy": "magic"},
        {"name": "x", "classes": ["a", "b"], "budget": 5, "lease": -1},
        {"name": "x", "classes": ["a", "b"], "budget": 5, "currency": "12"},
        [],
        None,
    ],
)
def test_what_will_not_do_is_refused_in_the_one_shape_and_changes_nothing(server, body):
    refused = server.client.post(f"{API}/campaigns", json=body)
    assert refused.status_code == 422, refused.text
    assert set(refused.json()) == {"error", "detail"}
    assert server.client.get(f"{API}/campaigns").json() == []


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[" * 100_000, b'{"name": NaN}', b'"' + b"\\ud800" + b'"'])
def test_bodies_that_are_no_json_are_refused(server, content):
    refused = server.client.post(f"{API}/campaigns", content=content, headers={"content-type": "application/json"})
    assert refused.status_code in {400, 422}
    assert set(refused.json()) == {"error", "detail"}


def test_lone_surrogates_in_a_payload_are_refused(server, birds):
    content = b'{"tasks": [{"id": "s", "payload": {"text": "\\ud800"}}]}'
    refused = server.client.post(f"{birds.path}/tasks", content=content, headers={"content-type": "application/json"})
    assert refused.status_code == 422


def test_a_fault_of_ours_is_told_without_its_trace(server, birds, monkeypatch):
    monkeypatch.setattr("labelbandit.server.api_campaigns.detail", lambda one: 1 / 0)
    answer = server.client.get(birds.path)
    assert (answer.status_code, answer.json()["error"]) == (500, "internal_error")
    assert "division" not in answer.text


def test_files_outside_the_static_folder_are_not_served(server):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2f..%2fmodel/errors.py"):
        assert server.stranger.get(path).status_code == 404
