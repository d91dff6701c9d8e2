"""Hostile requests through real sockets: each must be refused or be a harmless repetition, and the store stay as it is."""

import hashlib
import json
import socket
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from random import Random
from typing import NamedTuple

import httpx
import uvicorn

from labelbandit.server import keys
from labelbandit.server.app import make_app
from labelbandit.server.settings import Settings
from labelbandit.stores import open_store

API = "/api/v1"
NO_STRING = [None, 5, 1.5, True, [], {}, "", "x" * 501, ["owl"], {"a": "owl"}]
NO_NUMBER = [None, "5", 1.5, True, [], {}, -1, 2**60, 10**400, "０"]
NO_LIST = [None, 5, "owl", {}, [None], [[]], [5], [{"surprise": 1}]]
ODD = [
    "\x00",
    "\ud800",
    "\u202eowl",
    "ow\u0301l",
    "OWL",
    "owl ",
    "<script>alert(1)</script>",
    "=1+1",
    "🦉" * 100,
    "%s%n",
    "'; --",
]
PATHS = [
    "/static/../app.py",
    "/static/%2e%2e/%2e%2e/app.py",
    "/..%2f..%2fetc/passwd",
    "/static/%00",
    "/x" * 3000,
]
NUMBERS = {"assignment", "budget", "price"}
MOST_BYTES = 100_000


class Sent(NamedTuple):
    """A request: who sends what where."""

    method: str
    path: str
    token: str | None
    body: object = None
    repeat: str | None = None


class Attack(NamedTuple):
    """What to send, as bytes or as a request."""

    kind: str
    send: Sent | bytes


class Stage:
    """A server in a thread with two campaigns on a file, and a history of requests that went well."""

    def __init__(self, folder):
        self.path = folder / "store.db"
        url = f"sqlite:///{self.path}"
        self.store = open_store(url)
        self.owner = keys.first_key(self.store)
        app = make_app(Settings(url, most_bytes=MOST_BYTES, rate=1e9, burst=1e9, sign_ins=1e9), self.store)
        self._server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", access_log=False))
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=60)
        self.history = []
        self._play()

    def close(self):
        self.client.close()
        self._server.should_exit = True
        self._thread.join()
        self.store.close()

    def digest(self):
        """Of everything that the store holds."""
        with closing(sqlite3.connect(self.path)) as database:
            return hashlib.sha256("\n".join(database.iterdump()).encode()).hexdigest()

    def call(self, sent):
        headers = {"Authorization": f"Bearer {sent.token}"} if sent.token else {}
        headers |= {"Idempotency-Key": sent.repeat} if sent.repeat else {}
        content = None if sent.body is None else json.dumps(sent.body).encode()
        headers |= {"Content-Type": "application/json"} if content else {}
        return self.client.request(sent.method, sent.path, headers=headers, content=content)

    def do(self, method, path, token, body=None, repeat=None):
        """Something that goes well, kept to be sent again."""
        sent = Sent(method, path, token, body, repeat)
        answer = self.call(sent)
        assert answer.is_success, answer.text
        self.history.append(sent)
        return answer.json()

    def _play(self):
        terms = {"classes": ["owl", "jay"], "budget": 200, "seed": 1, "lease": 366 * 86400.0, "hold": 2}
        self.birds, fish = (
            f"{API}/campaigns/{self.do('POST', f'{API}/campaigns', self.owner, {'name': name, **terms})['id']}"
            for name in ("birds", "fish")
        )
        for path in (self.birds, fish):
            tasks = [{"id": f"t{at}", "context": "garden", "payload": {"text": f"{at}"}} for at in range(40)]
            self.do("POST", f"{path}/tasks", self.owner, {"tasks": tasks})
            links = self.do("POST", f"{path}/workers", self.owner, {"workers": [{"id": "ann"}, {"id": "bob"}]})
            self.ann, self.bob = (link["token"] for link in links)
        self.fish, self.told, self.held = fish, [], {}
        for token in (self.ann, self.bob):
            desk = self.do("POST", f"{API}/work/ask", token, repeat=f"ask-{token}")
            for at in range(10):
                body = {"assignment": desk["work"][0]["assignment"], "answer": "owl"}
                desk = self.do("POST", f"{API}/work/tell", token, body, repeat=f"tell-{at}-{token}")
                self.told.append((token, body["assignment"]))
            self.held[token] = [one["assignment"] for one in desk["work"]]
        lent = self.do("POST", f"{self.birds}/ask", self.owner, {"present": ["ann", "bob"]}, repeat="asked")
        self.do("POST", f"{self.birds}/tell", self.owner, {"assignment": lent["assignment"]["number"], "answer": "jay"}, "told")
        self.do("POST", f"{self.birds}/close", self.owner)


def valid(stage, lots):
    """A request that would go well, were it not spoiled."""
    token = lots.choice([stage.ann, stage.bob])
    held, path, owner = lots.choice(stage.held[token]), stage.fish, stage.owner
    return lots.choice(
        [
            Sent("POST", f"{API}/work/tell", token, {"assignment": held, "answer": "owl"}),
            Sent("POST", f"{API}/work/decline", token, {"assignment": held}),
            Sent("POST", f"{API}/work/renew", token, {"assignment": held}),
            Sent("POST", f"{API}/work/correct", token, {"assignment": stage.told[0][1], "answer": "jay"}),
            Sent("POST", f"{path}/tell", owner, {"assignment": held, "answer": "owl"}),
            Sent("POST", f"{path}/tell-and-ask", owner, {"assignment": held, "answer": "owl"}),
            Sent("POST", f"{path}/correct", owner, {"task": "t0", "worker": "ann", "answer": "owl"}),
            Sent("POST", f"{path}/attach", owner, {"labels": [{"task": "t39", "worker": "ann", "answer": "owl"}], "price": 1}),
            Sent("POST", f"{path}/tasks", owner, {"tasks": [{"id": "new"}]}),
            Sent("POST", f"{path}/workers", owner, {"workers": [{"id": "eve"}]}),
            Sent("POST", f"{path}/workers/bar", owner, {"worker": "ann"}),
            Sent("POST", f"{path}/tasks/withdraw", owner, {"task": "t1"}),
            Sent("POST", f"{API}/campaigns", owner, {"name": "more", "classes": ["a", "b"], "budget": 5}),
            Sent("PATCH", path, owner, {"budget": 500}),
        ]
    )


def wrong_types(stage, lots):
    sent = valid(stage, lots)
    field = lots.choice(sorted(sent.body))
    junk = lots.choice(NO_NUMBER if field in NUMBERS else NO_LIST if isinstance(sent.body[field], list) else NO_STRING)
    if sent.method == "PATCH" and junk is None:
        junk = "5"
    spoiled = sent.body | {field: junk}
    if lots.random() < 0.3:
        spoiled = sent.body | {lots.choice(["surprise", "__proto__", "ANSWER", ""]): 1}
    return sent._replace(body=lots.choice([spoiled, spoiled, [sent.body], "owl", 5]))


def unicode_(stage, lots):
    odd, worker = lots.choice(ODD), lots.choice([stage.ann, stage.bob])
    held = stage.held[worker][0]
    return lots.choice(
        [
            Sent("POST", f"{API}/work/tell", worker, {"assignment": held, "answer": odd}),
            Sent("POST", f"{stage.fish}/tell", stage.owner, {"assignment": held, "answer": odd}),
            Sent("POST", f"{stage.fish}/attach", stage.owner, {"labels": [{"task": odd, "worker": "ann", "answer": "owl"}]}),
            Sent("POST", f"{stage.fish}/ask", stage.owner, {"present": [odd]}),
            Sent("POST", f"{stage.fish}/workers/bar", stage.owner, {"worker": odd}),
            Sent("POST", f"{stage.fish}/tasks/withdraw", stage.owner, {"task": odd}),
            Sent("PATCH", stage.fish, stage.owner, {"prices": {odd: 1}}),
        ]
    )


def wrong_order(stage, lots):
    (token, told), other = lots.choice(stage.told), stage.ann
    theirs = stage.bob if token == stage.ann else stage.ann
    never = lots.choice([10**6, 2**53, 999])
    work, owner = f"{API}/work", stage.owner
    return lots.choice(
        [
            Sent("POST", f"{work}/tell", token, {"assignment": told, "answer": "jay"}),
            Sent("POST", f"{work}/tell", token, {"assignment": never, "answer": "jay"}),
            Sent("POST", f"{work}/renew", token, {"assignment": told}),
            Sent("POST", f"{work}/decline", token, {"assignment": told}),
            *(Sent("POST", f"{work}/{verb}", theirs, {"assignment": told, "answer": "owl"}) for verb in ("tell", "correct")),
            Sent("POST", f"{work}/correct", other, {"assignment": stage.held[other][0], "answer": "owl"}),
            Sent("POST", f"{stage.fish}/tell", owner, {"assignment": told, "answer": "jay"}),
            Sent("POST", f"{stage.fish}/tell", owner, {"assignment": stage.held[other][0], "answer": "owl", "price": 10**9}),
            Sent("PATCH", stage.fish, owner, {"budget": 1}),
            Sent("POST", f"{stage.birds}/tasks", owner, {"tasks": [{"id": "late"}]}),
            Sent("POST", f"{stage.birds}/pause", owner),
        ]
    )


def forged(stage, lots):
    sent = valid(stage, lots)
    worker = sent.path.startswith(f"{API}/work")
    wrong = [None, "lbr_guess", "x" * 5000, stage.owner[:-1], stage.owner if worker else stage.ann]
    other = [Sent("GET", lots.choice(PATHS), None), sent._replace(method=lots.choice(["PUT", "TRACE", "DELETE", "ODD"]))]
    return lots.choice([sent._replace(token=lots.choice(wrong)), sent._replace(token=lots.choice(wrong)), *other])


def raw(stage, lots):
    """A request as bytes, to be cut or bloated."""
    sent = valid(stage, lots)
    content = json.dumps(sent.body).encode()
    head = f"{sent.method} {sent.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {sent.token}\r\nConnection: close\r\n"
    return f"{head}Content-Type: application/json\r\n", content


def truncated(stage, lots):
    head, content = raw(stage, lots)
    cut = content[: lots.randrange(len(content))]
    whole = f"{head}Content-Length: {len(content)}\r\n\r\n".encode()
    chunk = f"{head}Transfer-Encoding: chunked\r\n\r\n{len(content):x}\r\n".encode()
    shorter = f"{head}Content-Length: {len(cut)}\r\n\r\n".encode()
    return lots.choice([whole + cut, whole[: lots.randrange(len(whole))], chunk + cut, shorter + cut])


def huge(stage, lots):
    head, content = raw(stage, lots)
    deep = b"[" * 20_000
    bodies = [
        content[:-1] + b" " * MOST_BYTES + b"}",
        deep,
        b'{"assignment":' + deep,
        b'{"assignment": ' + b"9" * 50_000 + b"}",
    ]
    body = lots.choice([*bodies, b'{"answer": "' + b"x" * 90_000 + b'"}'])
    sent = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
    announced = f"{head}Content-Length: {lots.choice([10**12, 10**30, -5])}\r\n\r\n".encode() + content
    return lots.choice([sent, sent, announced, f"{head}X: {'y' * 200_000}\r\n\r\n".encode()])


KINDS = {"wrong types": wrong_types, "unicode": unicode_, "wrong order": wrong_order, "forged": forged}
RAW = {"truncated": truncated, "huge": huge}


def attack(stage, lots):
    """The next thing to try."""
    kind = lots.choice([*KINDS, *RAW, "replayed"])
    if kind == "replayed":
        return Attack(kind, lots.choice(stage.history))
    return Attack(kind, (KINDS | RAW)[kind](stage, lots))


def send_bytes(stage, content):
    """The status of what comes back; 0 if the server only hangs up."""
    with socket.create_connection(("127.0.0.1", stage.port), timeout=30) as link:
        try:
            link.sendall(content)
            link.shutdown(socket.SHUT_WR)
            answer = link.makefile("rb").readline()
        except OSError:
            return 0
    return int(answer.split()[1]) if answer else 0


def judge(stage, one):
    """What came of an attack, and whether that is as it must be."""
    if isinstance(one.send, bytes):
        status = send_bytes(stage, one.send)
        return status, status == 0 or 400 <= status < 500
    answer = stage.call(one.send)
    return answer.status_code, 400 <= answer.status_code < 500 or (answer.is_success and one.kind == "replayed")


@contextmanager
def staged(folder):
    stage = Stage(folder)
    try:
        yield stage
    finally:
        stage.close()


class Outcome(NamedTuple):
    """What many attacks came to."""

    kinds: Counter
    statuses: Counter
    wrong: list
    unchanged: bool
    serves: bool


def attacked(folder, count, seed=1):
    """Send so many hostile requests to a server and see what became of it."""
    lots = Random(seed)  # noqa: S311 - so that a finding can be had again
    with staged(folder) as stage:
        before, kinds, statuses, wrong = stage.digest(), Counter(), Counter(), []
        for _ in range(count):
            one = attack(stage, lots)
            status, fine = judge(stage, one)
            kinds[one.kind] += 1
            statuses[status] += 1
            wrong += [] if fine else [(status, one)]
        unchanged = stage.digest() == before
        last = Sent("POST", f"{API}/work/tell", stage.ann, {"assignment": stage.held[stage.ann][0], "answer": "owl"})
        return Outcome(kinds, statuses, wrong, unchanged, stage.call(last).is_success)
