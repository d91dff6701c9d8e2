"""The API end to end, on a store in memory."""

import io
import json

import pytest

from tests.servers import API, anonymous, make_campaign, make_server

pytest.importorskip("fastapi", reason="not run: fastapi is not installed")


def said(*labels):
    return [dict(zip(("task", "worker", "answer"), label, strict=True)) for label in labels]


@pytest.fixture
def server():
    return make_server()


@pytest.fixture
def birds(server):
    return make_campaign(server)


def test_a_worker_asks_tells_and_gets_the_next_task(birds):
    ann = birds.workers["ann"]
    desk = ann.post(f"{API}/work/ask").json()
    assert [set(one) for one in desk["work"]] == [{"assignment", "payload", "price", "due_at"}]
    told = ann.post(f"{API}/work/tell", json={"assignment": desk["work"][0]["assignment"], "answer": "owl"}).json()
    assert told["labels"] == 1
    assert told["work"][0]["assignment"] != desk["work"][0]["assignment"]


def test_a_page_may_hold_two_and_is_filled_up(server):
    birds = make_campaign(server, hold=2)
    desk = birds.workers["ann"].post(f"{API}/work/ask").json()
    assert len(desk["work"]) == 2
    first = desk["work"][0]["assignment"]
    told = birds.workers["ann"].post(f"{API}/work/tell", json={"assignment": first, "answer": "owl"}).json()
    assert len(told["work"]) == 2
    assert told["work"][0] == desk["work"][1]


def test_when_all_is_labelled_a_worker_is_told_so(server):
    birds = make_campaign(server, tasks=1, max_labels=1)
    ann = birds.workers["ann"]
    number = ann.post(f"{API}/work/ask").json()["work"][0]["assignment"]
    told = ann.post(f"{API}/work/tell", json={"assignment": number, "answer": "owl"}).json()
    assert (told["work"], told["nothing"]["reason"]) == ([], "all_settled")


def test_a_repeated_answer_with_one_key_is_one_label(server, birds):
    ann = birds.workers["ann"]
    number = ann.post(f"{API}/work/ask").json()["work"][0]["assignment"]
    body, headers = {"assignment": number, "answer": "owl"}, {"Idempotency-Key": "k1"}
    answers = [ann.post(f"{API}/work/tell", json=body, headers=headers) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200] * 3
    assert server.client.get(f"{birds.path}/progress").json()["labels"] == 1


def test_one_worker_cannot_recall_what_another_was_told(birds):
    ann, bob = birds.workers["ann"], birds.workers["bob"]
    mine = ann.post(f"{API}/work/ask", headers={"Idempotency-Key": "same"}).json()
    theirs = bob.post(f"{API}/work/ask", headers={"Idempotency-Key": "same"}).json()
    assert mine["work"][0]["assignment"] != theirs["work"][0]["assignment"]


def test_another_answer_is_refused_in_the_one_shape(birds):
    ann = birds.workers["ann"]
    number = ann.post(f"{API}/work/ask").json()["work"][0]["assignment"]
    ann.post(f"{API}/work/tell", json={"assignment": number, "answer": "owl"})
    refused = ann.post(f"{API}/work/tell", json={"assignment": number, "answer": "jay"})
    assert refused.status_code == 409
    assert refused.json()["error"] == "already_answered"
    assert set(refused.json()) == {"error", "detail"}


def test_a_worker_corrects_their_own_answer(server, birds):
    ann = birds.workers["ann"]
    number = ann.post(f"{API}/work/ask").json()["work"][0]["assignment"]
    ann.post(f"{API}/work/tell", json={"assignment": number, "answer": "owl"})
    assert ann.post(f"{API}/work/correct", json={"assignment": number, "answer": "jay"}).status_code == 200
    assert [label["answer"] for label in server.client.get(f"{birds.path}/labels").json()] == ["jay"]


def test_a_skipped_task_does_not_come_back(birds):
    ann = birds.workers["ann"]
    seen = set()
    desk = ann.post(f"{API}/work/ask").json()
    while desk["work"]:
        seen.add(desk["work"][0]["payload"]["text"])
        desk = ann.post(f"{API}/work/decline", json={"assignment": desk["work"][0]["assignment"]}).json()
    assert len(seen) == 4


def test_a_worker_renews_the_lease(birds):
    ann = birds.workers["ann"]
    work = ann.post(f"{API}/work/ask").json()["work"][0]
    renewed = ann.post(f"{API}/work/renew", json={"assignment": work["assignment"]}).json()
    assert renewed["due_at"] >= work["due_at"]


def test_the_requester_asks_tells_and_explains(server, birds):
    lent = server.client.post(f"{birds.path}/ask", json={"present": ["ann", "bob"]}).json()
    assert lent["payload"]["text"].startswith("bird")
    number = lent["assignment"]["number"]
    told = server.client.post(f"{birds.path}/tell-and-ask", json={"assignment": number, "answer": "owl"}).json()
    assert told["label"]["answer"] == "owl"
    assert server.client.get(f"{birds.path}/explain", params={"assignment": number}).json()["sentences"]
    detail = server.client.get(f"{birds.path}/task", params={"task": lent["assignment"]["task"]}).json()
    assert [vote["answer"] for vote in detail["votes"]] == ["owl"]
    assert detail["votes"][0]["reasons"]


def test_terms_are_amended_and_a_budget_below_what_is_used_is_refused(server, birds):
    server.client.post(f"{birds.path}/attach", json={"labels": said(["t0", "ann", "owl"]), "price": 60})
    refused = server.client.patch(birds.path, json={"budget": 59})
    assert (refused.status_code, refused.json()["error"]) == (409, "budget_too_small")
    amended = server.client.patch(birds.path, json={"budget": 70, "settle": 0.9, "display": {"instructions": "Look."}}).json()
    assert (amended["progress"]["budget"], amended["settle"], amended["display"]["instructions"]) == (70, 0.9, "Look.")


def test_pausing_resuming_and_closing(server, birds):
    ann = birds.workers["ann"]
    server.client.post(f"{birds.path}/pause")
    assert ann.post(f"{API}/work/ask").json()["nothing"]["reason"] == "paused"
    server.client.post(f"{birds.path}/resume")
    assert ann.post(f"{API}/work/ask").json()["work"]
    server.client.post(f"{birds.path}/close")
    assert server.client.get(birds.path).json()["progress"]["phase"] == "closed"
    assert server.client.post(f"{birds.path}/tasks", json={"tasks": [{"id": "late"}]}).json()["error"] == "campaign_over"


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "labelstudio"])
def test_labels_go_out_in_every_format(server, birds, form):
    server.client.post(f"{birds.path}/attach", json={"labels": said(["t0", "ann", "owl"], ["t0", "bob", "jay"])})
    out = server.client.get(f"{birds.path}/export", params={"format": form})
    assert out.status_code == 200
    if form == "parquet":
        from pyarrow import parquet

        assert parquet.read_table(io.BytesIO(out.content)).column("label").to_pylist() == ["owl", "jay"]
    elif form == "labelstudio":
        assert out.json()[0]["data"]["text"] == "bird 0"
    else:
        assert len([line for line in out.text.splitlines() if "t0" in line]) == 2


def test_what_a_layout_has_no_place_for_is_refused(server, birds):
    refused = server.client.get(f"{birds.path}/export", params={"format": "crowdkit", "what": "log"})
    assert (refused.status_code, refused.json()["error"]) == (422, "bad_input")


def test_tasks_come_from_a_file(server, birds):
    file = ("more.csv", "key,question,topic,secret\nq1,Owl or jay?,wood,jay\nq2,And this?,wood,owl\n")
    plan = json.dumps({"id": "key", "text": "question", "context": "topic"})
    added = server.client.post(f"{birds.path}/tasks/upload", files={"file": file}, data={"plan": plan})
    assert added.json() == {"added": 2}
    detail = server.client.get(f"{birds.path}/task", params={"task": "q1"}).json()
    assert (detail["context"], detail["payload"]) == ("wood", {"question": "Owl or jay?"})


def test_a_campaign_is_made_of_a_file_with_groups(server):
    kinds = ("the goalkeeper saved the match", "the minister spoke in parliament")
    rows = [{"id": f"n{at}", "text": f"{kinds[at % 2]} number {at}"} for at in range(30)]
    content = "\n".join(json.dumps(row) for row in rows)
    looked = server.client.post(f"{API}/uploads/preview", files={"file": ("news.jsonl", content)}).json()
    assert (looked["count"], looked["plan"]["text"], looked["plan"]["id"]) == (30, "text", "id")
    campaign = {"name": "news", "classes": ["sport", "politics"], "budget": 50}
    made = server.client.post(
        f"{API}/uploads/campaign",
        files={"file": ("news.jsonl", content)},
        data={"campaign": json.dumps(campaign), "plan": json.dumps({"id": "id", "text": "text", "groups": 2})},
    )
    assert made.status_code == 201, made.text
    page = server.client.get(f"{API}/campaigns/{made.json()['id']}/tasks", params={"limit": 100}).json()
    about = {row["context"]: row["preview"].split()[1] for row in page["tasks"]}
    assert sorted(about.values()) == ["goalkeeper", "minister"]
    assert all(about[row["context"]] in row["preview"] for row in page["tasks"])


def test_a_file_that_will_not_do_makes_no_campaign(server):
    data = {"campaign": json.dumps({"name": "x", "classes": ["a", "b"], "budget": 5}), "plan": '{"id": "id", "text": "text"}'}
    refused = server.client.post(
        f"{API}/uploads/campaign", files={"file": ("x.csv", "id,text\nsame,one\nsame,two\n")}, data=data
    )
    assert (refused.status_code, refused.json()["error"]) == (422, "bad_input")
    assert server.client.get(f"{API}/campaigns").json() == []


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "no rows"),
        ("a.csv", b"a,a\n1,2\n", "name each"),
        ("a.csv", b"a,b\n1\n", "line 2"),
        ("a.jsonl", b"{}\nnot json\n", "line 2"),
        ("a.json", b"{}", "no JSON list"),
        ("a.csv", b"a\n\xff\n", "UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_remedy(server, name, content, said):
    refused = server.client.post(f"{API}/uploads/preview", files={"file": (name, content)})
    assert (refused.status_code, refused.json()["error"]) == (422, "bad_data")
    assert said in refused.json()["detail"]


def test_the_overview_says_where_the_campaign_stands(server, birds):
    labels = [[f"t{at}", worker, "owl"] for at in range(3) for worker in ("ann", "bob")]
    server.client.post(f"{birds.path}/attach", json={"labels": said(*labels)})
    seen = server.client.get(f"{birds.path}/overview").json()
    assert (seen["progress"]["labels"], sum(seen["confidence"]["counts"]), seen["confidence"]["unlabelled"]) == (6, 3, 1)
    assert [(cell["agrees"], cell["counted"]) for cell in seen["reliability"]["cells"]] == [(3, 3), (3, 3)]
    assert 0 < seen["reliability"]["cells"][0]["low"] < 1
    assert seen["agreement"]["fleiss"]["why"]


def test_the_overview_of_an_empty_campaign(server):
    made = server.client.post(f"{API}/campaigns", json={"name": "empty", "classes": ["a", "b"], "budget": 1}).json()
    seen = server.client.get(f"{API}/campaigns/{made['id']}/overview")
    assert seen.status_code == 200
    assert seen.json()["progress"]["tasks"] == 0


def test_metrics_count_labels_and_name_no_worker(server, birds):
    ann = birds.workers["ann"]
    number = ann.post(f"{API}/work/ask").json()["work"][0]["assignment"]
    ann.post(f"{API}/work/tell", json={"assignment": number, "answer": "owl", "lead_time": 3.5})
    text = server.client.get("/metrics").text
    id_ = birds.path.rpartition("/")[2]
    assert f'labelbandit_labels_total{{campaign="{id_}",source="human"}} 1.0' in text
    assert f'labelbandit_lead_time_seconds_bucket{{campaign="{id_}",le="5.0"}} 1.0' in text
    assert "labelbandit_ask_duration_seconds_bucket" in text
    assert "ann" not in text


def test_health_and_readiness_need_no_key(server):
    assert server.stranger.get("/health").json() == {"status": "alive"}
    assert server.stranger.get("/ready").json() == {"status": "ready"}


def test_agreement_of_a_campaign(server, birds):
    labels = [["t0", "ann", "owl"], ["t0", "bob", "owl"], ["t1", "ann", "jay"], ["t1", "bob", "owl"]]
    server.client.post(f"{birds.path}/attach", json={"labels": said(*labels)})
    found = server.client.get(f"{birds.path}/agreement").json()
    assert found["percent"]["value"] == pytest.approx(0.5)
    assert found["pairs"][0]["workers"] == ["ann", "bob"]


def test_a_new_link_makes_the_old_one_invalid(server, birds):
    link = server.client.post(f"{birds.path}/workers/link", json={"worker": "ann"}).json()
    assert birds.workers["ann"].get(f"{API}/work").status_code == 403
    assert anonymous(server.app, link["token"]).get(f"{API}/work").json()["worker"] == "ann"


@pytest.mark.parametrize("page", ["/", "/new", "/w", "/c/anything"])
def test_every_page_is_served_without_a_key_and_without_data(server, page):
    answer = server.stranger.get(page)
    assert answer.status_code == 200
    assert "<script" in answer.text


def test_the_api_works_on_postgresql(postgres_url):
    server = make_server(postgres_url)
    birds = make_campaign(server, hold=2)
    desk = birds.workers["ann"].post(f"{API}/work/ask").json()
    told = birds.workers["ann"].post(
        f"{API}/work/tell",
        json={"assignment": desk["work"][0]["assignment"], "answer": "owl"},
        headers={"Idempotency-Key": "one"},
    )
    assert told.json()["labels"] == 1
    assert server.client.get(f"{birds.path}/overview").json()["progress"]["labels"] == 1
    hook = {"url": "https://example.org/x", "events": ["campaign.closed"]}
    assert server.client.post(f"{birds.path}/webhooks", json=hook).status_code == 201
    server.store.close()
