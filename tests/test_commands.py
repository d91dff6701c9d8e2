"""The commands of campaigns: from nothing to exported labels, by exit codes, data and messages."""

import json
import os
import subprocess
import sys
import time

import pytest

import labelbandit as lb
from labelbandit.cli import main, storage
from labelbandit.cli.showing import printable, table

TASKS = "task,context,gold,text\nb1,night,owl,hoo-hoo\nb2,night,,silent\nb3,day,,blue\n"
WORKERS = "worker,price,cap,expert\nann,2,,\nbob,1,10,no\neve,5,,yes\n"


@pytest.fixture
def run(capfdbinary, tmp_path, monkeypatch):
    """Run a command in an empty folder and return its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LABELBANDIT_STORAGE", raising=False)

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


@pytest.fixture
def birds(run, tmp_path):
    """The same, with a campaign."""
    (tmp_path / "tasks.csv").write_text(TASKS)
    (tmp_path / "workers.csv").write_text(WORKERS)
    assert run("init", "birds", "--classes=owl,jay", "--budget=30", "--seed=1")[0] == 0
    assert run("import", "tasks", "birds", "tasks.csv")[0] == 0
    assert run("import", "workers", "birds", "workers.csv")[0] == 0
    return run


def document(answer):
    code, out, err = answer
    assert (code, err) == (0, "")
    return json.loads(out)


def test_from_nothing_to_exported_labels(birds, tmp_path):
    code, out, err = birds("ask", "birds", "ann")
    assert (code, err) == (0, "")
    assert out.startswith("assignment 0: ann labels b1 (night) by ")
    assert '{"text": "hoo-hoo"}' in out
    assert birds("tell", "birds", 0, "owl") == (0, "ann says owl of b1, for 2\n", "")
    code, out, err = birds("export", "birds", "--as=crowdkit")
    assert (code, out, err) == (0, "task,worker,label\nb1,ann,owl\n", "")
    code, out, err = birds("export", "birds", "--what=estimates", "--out=estimates.csv")
    assert (code, out) == (0, "")
    assert err == "labelbandit: the estimates of 'birds' are in estimates.csv\n"
    assert (tmp_path / "estimates.csv").read_text().splitlines()[1].startswith("b1,owl,")


def test_messages_go_to_stderr_and_data_to_stdout(run):
    code, out, err = run("init", "birds", "--classes=owl,jay", "--budget=30")
    assert (code, out) == (0, "")
    assert "campaign 'birds' is open" in err
    code, out, err = run("init", "more", "--classes=owl,jay", "--budget=30", "--format=json")
    assert (code, err) == (0, "")
    assert set(json.loads(out)) == {"name", "id", "classes", "budget", "policy"}


def test_every_term_can_be_given(run):
    terms = "--policy=random --currency=eur --lease=60 --presence=30 --hold=2 --min-labels=2 --max-labels=5 --settle=0.9"
    assert run("init", "birds", "--classes=owl,jay", "--budget=30", *terms.split())[0] == 0
    kept = lb.open_campaign(storage.DEFAULT, "birds")
    assert (kept.terms.currency, kept.terms.lease, kept.terms.presence) == ("EUR", 60_000_000, 30_000_000)
    assert (kept.terms.hold, kept.terms.least, kept.terms.most, kept.terms.settle) == (2, 2, 5, 0.9)
    kept.store.close()


def test_an_assignment_is_a_document_with_its_payload(birds):
    asked = document(birds("ask", "birds", "ann", "--format=json"))["assignment"]
    assert set(asked) == {"number", "task", "worker", "context", "price", "propensity", "due_at", "payload"}
    assert (asked["number"], asked["task"], asked["payload"]) == (0, "b1", {"text": "hoo-hoo"})
    told = document(birds("tell", "birds", 0, "owl", "--lead-time=2.5", "--price=1", "--source=person", "--format=json"))
    assert told == {"label": {"task": "b1", "worker": "ann", "answer": "owl", "price": 1, "number": 0}}


def test_nothing_to_do_is_no_failure_and_says_why(birds):
    assert birds("pause", "birds")[0] == 0
    code, out, err = birds("ask", "birds", "ann")
    assert (code, out) == (0, "")
    assert err == "labelbandit: nothing to do (paused): the campaign is paused; ask again in 5 seconds\n"
    asked = document(birds("ask", "birds", "--format=json"))
    assert asked == {"assignment": None, "reason": "paused", "retry_after": 5.0, "detail": "the campaign is paused"}


def test_status_has_stable_fields(birds):
    status = document(birds("status", "birds", "--format=json"))
    assert status == {
        "name": "birds",
        "phase": "open",
        "policy": "crosscheck:explore=1.5,frequencies=yes,errors=by-class,share=yes",
        "tasks": 3,
        "labelled": 0,
        "closed": 0,
        "workers": 3,
        "labels": 0,
        "open": 0,
        "budget": 30,
        "spent": 0,
        "reserved": 0,
        "currency": None,
        "warnings": [],
        "expected_accuracy": pytest.approx(0.5, abs=0.001),
        "accuracy_low": pytest.approx(0.0, abs=0.2),
        "accuracy_high": pytest.approx(1.0, abs=0.2),
        "target": None,
        "saved": None,
        "remaining": 30,
    }
    assert "30: 0 spent, 0 reserved, 30 left" in birds("status", "birds")[1]


def test_estimates_have_stable_fields(birds):
    birds("ask", "birds", "ann")
    birds("tell", "birds", 0, "owl")
    first, second, _ = document(birds("estimates", "birds", "--format=json"))["estimates"]
    fields = {"task", "answer", "probability", "probabilities", "margin", "votes", "closed", "contested"}
    assert set(first) == fields
    assert (first["answer"], first["votes"], second["probability"]) == ("owl", {"owl": 1, "jay": 0}, None)
    assert birds("estimates", "birds")[1].splitlines()[0].split() == ["task", "answer", "probability", "votes", "closed"]


def test_explain_gives_reasons(birds):
    birds("ask", "birds", "ann")
    reasons = document(birds("explain", "birds", 0, "--format=json"))
    assert {"assignment", "state", "phase", "score", "propensity", "door", "present", "policy", "sentences"} == set(reasons)
    assert "'ann' came alone" in birds("explain", "birds", 0)[1]


def test_an_assignment_can_be_declined_renewed_and_its_label_corrected(birds):
    birds("ask", "birds", "ann")
    assert "is due at" in birds("renew", "birds", 0)[2]
    assert birds("decline", "birds", 0)[0] == 0
    birds("ask", "birds", "bob")
    birds("tell", "birds", 1, "jay")
    assert birds("correct", "birds", "b1", "bob", "owl")[0] == 0
    assert birds("withdraw", "birds", "b2")[0] == 0
    kinds = [json.loads(line)["kind"] for line in birds("log", "show", "birds", "--format=json")[1].splitlines()]
    assert kinds[4:6] + kinds[8:] == ["assignment renewed", "assignment declined", "answer corrected", "task withdrawn"]


def test_workers_are_listed_added_barred_exported_and_erased(birds):
    assert birds("workers", "add", "birds", "zoe", "--price=3", "--cap=4", "--expert")[0] == 0
    assert birds("workers", "bar", "birds", "bob", "--leave-out")[0] == 0
    listed = document(birds("workers", "list", "birds", "--format=json"))["workers"]
    assert set(listed[0]) == {"worker", "price", "cap", "expert", "barred", "labels", "open", "details"}
    assert [one["worker"] for one in listed if one["barred"]] == ["bob"]
    assert [one["worker"] for one in listed if one["expert"]] == ["eve", "zoe"]
    birds("ask", "birds", "ann")
    birds("tell", "birds", 0, "owl")
    kept = document(birds("workers", "export", "birds", "ann"))
    assert (kept["worker"], kept["price"], kept["given"][0]["label"], kept["assignments"]) == ("ann", 2, "owl", [])
    assert birds("workers", "erase", "birds", "ann")[0] == 0
    assert "erased-0" in birds("workers", "list", "birds")[1]
    assert birds("ask", "birds", "ann")[0] == 2


def test_terms_can_be_amended(birds):
    assert birds("amend", "birds", "--budget=50", "--max-labels=4", "--settle=0.9", "--price=ann=7", "--cap=bob=none")[0] == 0
    kept = lb.open_campaign(storage.DEFAULT, "birds")
    assert (kept.terms.budget, kept.terms.most, kept.terms.settle) == (50, 4, 0.9)
    assert (kept.board.crew["price"].tolist(), kept.board.crew["cap"].tolist()) == ([7, 1, 5], [-1, -1, -1])
    kept.store.close()
    assert birds("amend", "birds", "--max-labels=none", "--settle=none")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "there is nothing to amend"),
        (["--price=ann"], "'ann' is no price: give WORKER=PRICE"),
        (["--price=ann=x"], "'x' is not a whole number"),
        (["--price=zoe=1"], "there is no worker 'zoe'"),
        (["--max-labels=few"], "'few' is not a whole number"),
        (["--settle=0.1"], "settle=0.1"),
        (["--budget=0"], "a budget of 0"),
        (["--policy=luck"], "'luck'"),
    ],
)
def test_a_bad_amendment_is_refused_and_changes_nothing(birds, arguments, named):
    before = birds("log", "show", "birds")
    code, out, err = birds("amend", "birds", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert named in err
    assert birds("log", "show", "birds") == before


def test_pausing_resuming_and_closing(birds):
    for verb, phase in (("pause", "paused"), ("resume", "open"), ("close", "closed")):
        assert birds(verb, "birds")[0] == 0
        assert document(birds("status", "birds", "--format=json"))["phase"] == phase
    code, _, err = birds("resume", "birds")
    assert code == 2
    assert "'birds' is closed" in err


def test_gold_and_labels_can_be_imported(birds, tmp_path):
    (tmp_path / "gold.jsonl").write_text('{"task": "g1", "gold": "jay", "text": "blue"}\n')
    assert birds("import", "gold", "birds", "gold.jsonl") == (0, "", "labelbandit: 1 tasks were added to 'birds'\n")
    (tmp_path / "labels.csv").write_text("task,worker,label\nb1,ann,owl\ng1,bob,jay\n")
    assert birds("import", "labels", "birds", "labels.csv")[0] == 0
    assert (
        birds("import", "labels", "birds", "labels.csv", "--new-only")[2] == "labelbandit: 0 labels were attached to 'birds'\n"
    )
    assert document(birds("status", "birds", "--format=json"))["labels"] == 2


def test_the_log_is_shown_verified_and_copied(birds):
    birds("ask", "birds")
    code, out, _ = birds("log", "show", "birds", "--after=2")
    assert (code, out.count("\n")) == (0, 1)
    assert "task assigned" in out
    assert birds("log", "verify", "birds")[1] == "4 events and 1 decisions are as they should be\n"
    verified = document(birds("log", "verify", "birds", "--format=json"))
    assert verified == {"entries": 4, "decisions": 1, "differences": [], "agrees": True}
    assert birds("log", "copy", "birds", "--to=sqlite:///copy.db")[0] == 0
    (copied,) = document(birds("campaigns", "--storage=sqlite:///copy.db", "--format=json"))["campaigns"]
    assert (set(copied), copied["name"]) == ({"name", "id", "owner", "created_at"}, "birds")
    code, _, err = birds("log", "copy", "birds", "--to=sqlite:///copy.db")
    assert code == 2
    assert "'birds' already" in err


def test_a_log_that_was_tampered_with_fails(birds, tmp_path):
    import sqlite3

    birds("ask", "birds")
    with sqlite3.connect(tmp_path / "labelbandit.db") as database:
        database.execute(
            """UPDATE entries SET body = replace(body, '"propensity":1.0', '"propensity":0.5') WHERE position = 3"""
        )
    database.close()
    code, out, err = birds("log", "verify", "birds")
    assert code == 1
    assert out == "at position 3 the propensity of assignment 0 is 0.5, and should be 1.0\n"
    assert err == "labelbandit: the log of 'birds' differs in 1 places\n"


def test_the_storage_comes_from_the_environment(run, monkeypatch, tmp_path):
    monkeypatch.setenv("LABELBANDIT_STORAGE", "sqlite:///elsewhere.db")
    assert run("init", "birds", "--classes=owl,jay", "--budget=30")[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["elsewhere.db"]
    assert "birds" in run("campaigns")[1]
    assert run("upgrade") == (0, "", "labelbandit: the store is up to date (version 1)\n")


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (["status", "birds"], 1, "labelbandit.db"),
        (["status", "birds", "--storage=mysql://x"], 2, "mysql"),
        (["init", "birds", "--classes=owl", "--budget=3"], 2, "1 classes"),
        (["init", "birds", "--classes=owl,owl", "--budget=3"], 2, "'owl' is given 2 times"),
        (["init", "birds", "--classes=owl,jay", "--budget=none"], 2, "'none' is not a whole number"),
        (["init", "birds", "--classes=owl,jay"], 2, "--budget"),
        (["init", "birds", "--classes=owl,jay", "--budget=3", "--currency=euro"], 2, "'euro'"),
        (["export", "birds", "--what=log", "--as=cleanlab"], 2, "cleanlab has no place for log"),
        (["export", "birds", "--as=xml"], 2, "xml"),
        (["import"], 2, "command"),
        (["tell", "birds", "first", "owl"], 2, "'first' is not a whole number"),
    ],
)
def test_bad_input_is_told_in_one_sentence_and_leaves_nothing(run, tmp_path, arguments, code, named):
    done = run(*arguments)
    assert (done[0], done[1]) == (code, "")
    assert done[2].startswith("labelbandit: ")
    assert done[2].count("\n") == 1
    assert named in done[2]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["init", "birds", "--classes=owl,jay", "--budget=3"], "'birds' already"),
        (["ask", "robins"], "it has 'birds'"),
        (["ask", "birds", "zoe"], "there is no worker 'zoe'"),
        (["tell", "birds", "9", "owl"], "there is no assignment 9"),
        (["tell", "birds", "0", "wren"], "'wren' is not a class"),
        (["log", "show", "robins"], "there is no campaign 'robins'"),
        (["workers", "export", "birds", "zoe"], "there is no worker 'zoe'"),
        (["import", "tasks", "birds", "tasks.csv"], "tasks.csv, line 2: the campaign has a task 'b1' already"),
        (["export", "birds", "--out=missing/x.csv"], "missing"),
    ],
)
def test_what_a_campaign_cannot_do_is_refused_in_one_sentence(birds, arguments, named):
    code, out, err = birds(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert named in err


@pytest.mark.parametrize("command", [["status", "robins"], ["log", "show", "robins"]])
def test_a_password_is_never_shown(run, postgres_url, command):
    url = f"{postgres_url}{'&' if '?' in postgres_url else '?'}password=hush"
    assert run("init", "birds", "--classes=owl,jay", "--budget=3", "--storage", url)[0] == 0
    code, out, err = run(*command, "--storage", url)
    assert (code, out) == (2, "")
    assert "robins" in err
    assert "hush" not in err


def test_parquet_is_not_printed_on_a_terminal(birds, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    code, out, err = birds("export", "birds", "--as=parquet")
    assert (code, out) == (2, "")
    assert "--out" in err


def test_names_of_strangers_cannot_command_a_terminal():
    assert printable("a\x1b[2Jb\n") == "a\\x1b[2Jb\\n"
    assert list(table(("name", "price"), [("\x07owl", 1), (None, 10)])) == [
        "name     price",
        "\\x07owl      1",
        "-           10",
    ]


def test_help_answers_at_once():
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "labelbandit", "--help"]
    spent = []
    for _ in range(3):
        before, start = os.times(), time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        after = os.times()
        busy = after.children_user + after.children_system - before.children_user - before.children_system
        spent.append(min(busy, time.perf_counter() - start))  # others may have the machine
    assert min(spent) < 0.3
