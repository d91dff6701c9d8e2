"""A log with an event of every kind, kept for ever: whatever changes, it must be read as it was written.

`python -m tests.golden_log` wrote tests/golden/v1.jsonl and, beside it, what was to be believed of it. It writes a new pair of
files for a new version and never touches one that is there.
"""

import hashlib
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

import labelbandit as lb
from labelbandit.model import events as ev
from labelbandit.stores.contract import Entry, Register
from tests.campaigns import Clock

FOLDER = Path(__file__).parent / "golden"


def live_a_full_life():
    """Ask for everything a campaign can do."""
    clock = Clock()
    store = lb.open_store("memory:", clock=clock)
    campaign = lb.create_campaign(
        store, "golden", classes=["yes", "no"], budget=60, policy="bbta", currency="eur", lease=60, presence=90, seed=42
    )
    campaign.add_tasks(*(lb.Task(f"t{at}", context=f"c{at % 2}", gold="yes" if at == 3 else None) for at in range(12)))
    campaign.withdraw("t5")
    campaign.add_workers(lb.Worker("w0"), lb.Worker("w1", price=2), lb.Worker("w2", price=2, cap=9), lb.Worker("w3"))
    for at in range(14):
        clock.pass_by(7)
        campaign.tell(campaign.ask(), "no" if at % 4 == 0 else "yes", lead_time=at / 4, source="person")
    late = campaign.ask("w0", "w0")
    campaign.decline(campaign.ask("w1", "w1"))
    clock.pass_by(30)
    campaign.renew(campaign.ask("w2", "w2"))
    clock.pass_by(40)
    campaign.ask("w3")
    campaign.tell(late, "no")
    campaign.attach_many([("t5", "w1", "yes"), ("t5", "w3", "no")], price=3)
    campaign.add_classes("maybe")
    told = next(iter(campaign.labels()))
    campaign.correct(told.task, told.worker, "maybe")
    campaign.add_tasks(lb.Task("t12", context="c2"), lb.Task("t13", context="c0", gold="maybe"))
    campaign.add_workers(lb.Worker("w4", price=3, expert=True))
    campaign.amend(budget=80, hold=2, max_labels=4, settle=0.95, prices={"w1": 1}, caps={"w2": None})
    campaign.pause()
    campaign.resume()
    for at in range(8):
        clock.pass_by(5)
        for worker in ("w0", "w1", "w3", "w4"):
            if lent := campaign.ask(worker):
                campaign.tell(lent, ["yes", "no", "maybe"][at % 3], price=min(1, lent.price))
    campaign.bar("w0", keep_labels=False)
    campaign.amend(policy="bbta:explore=0,pick=least-confidence")
    campaign.ask_many(2)
    campaign.close()
    return campaign


def restored(entries):
    """A campaign on a store of its own, from entries; numbers get names such as t0, w0 and c0."""
    store = lb.open_store("memory:", clock=Clock())
    number = store.create("golden", "local", entries[0]).number
    with store.writing(number) as writing:
        writing.append(entries[1:])
        joined = [ev.decode(entry.kind, entry.version, entry.body) for entry in entries]
        tasks = [context for event in joined if isinstance(event, ev.TasksAdded) for context in event.contexts]
        workers = [price for event in joined if isinstance(event, ev.WorkersEnrolled) for price in event.prices]
        for register, letter, count in (
            (Register.TASK, "t", len(tasks)),
            (Register.WORKER, "w", len(workers)),
            (Register.CONTEXT, "c", max(tasks) + 1),
        ):
            writing.enter(register, 0, [(f"{letter}{at}", None) for at in range(count)])
    return lb.open_campaign(store, "golden")


def belief(campaign):
    """What people see of a campaign, and what it would decide next; numbers to twelve digits."""
    board = campaign.board
    everyone, number = np.ones(board.workers, np.bool_), board.assignments.size
    seen = {
        "progress": asdict(replace(campaign.progress(), warnings=())),
        "terms": asdict(campaign.terms),
        "classes": campaign.classes,
        "estimates": [asdict(estimate) for estimate in campaign.estimates().values()],
        "labels": [asdict(label) for label in campaign.labels()],
        "assignments": [asdict(replace(campaign.explain(each), sentences=())) for each in range(number)],
        "next": [board.mind.choose(everyone, number + more) for more in range(5)],
        "served": [board.mind.greet(worker, everyone, board.crew["arrivals"], number) for worker in range(board.workers)],
    }
    return json.loads(json.dumps(seen, default=float), parse_float=lambda text: float(f"{float(text):.12g}"))


def as_far_as(wanted, found):
    """What was found, without what nobody knew of when the log was written."""
    match wanted:
        case dict():
            return {key: as_far_as(value, found[key]) for key, value in wanted.items()}
        case list() if len(wanted) == len(found):
            return [as_far_as(*pair) for pair in zip(wanted, found, strict=True)]
        case _:
            return found


def digest_of(belief):
    """A belief in 64 digits."""
    return hashlib.sha256(json.dumps(belief, sort_keys=True).encode()).hexdigest()


def read(version):
    """The log of that version, and what was believed of it."""
    lines = (FOLDER / f"v{version}.jsonl").read_text().splitlines()
    return [Entry(**json.loads(line)) for line in lines], json.loads((FOLDER / f"v{version}.json").read_text())


def write(version):
    """Write the log of today, once."""
    log, believed = FOLDER / f"v{version}.jsonl", FOLDER / f"v{version}.json"
    if log.exists():
        sys.exit(f"{log} is there and stays as it is: give a new version")
    campaign = live_a_full_life()
    entries = list(campaign.store.read(campaign.row.number))
    log.write_text("".join(json.dumps(entry._asdict()) + "\n" for entry in entries))
    found = belief(restored(entries))
    believed.write_text(json.dumps({"digest": digest_of(found), **found}, indent=1) + "\n")


if __name__ == "__main__":
    write(ev.VERSION)
