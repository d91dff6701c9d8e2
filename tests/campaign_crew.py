"""Processes that ask and tell on one campaign: killed at random moments, or racing each other to the end of the budget."""

import multiprocessing
import os
import random
import resource
import signal
import tempfile
import time
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import labelbandit as lb
from labelbandit.model.errors import AlreadyAnswered, LabelbanditError, StoreUnavailable, TooLate
from tests.audits import audit
from tests.campaigns import a_campaign, digest, tell_all
from tests.postgres import Server

PATIENCE = 120
REFUSALS = (lb.BadInput, AlreadyAnswered, TooLate)
MEMBERS = 3


class Outcome(NamedTuple):
    kills: int
    acknowledged: int
    labels: int
    positions: int
    faults: list[str]


def answer_to(task, worker):
    """What a worker says of a task: always the same, so that telling again after a break is harmless."""
    return ["yes", "no"][zlib.crc32(f"{task} {worker}".encode()) % 2]


def warm_up():
    """Load the kernels, once for all processes that are forked from here."""
    campaign = a_campaign(lb.open_store("memory:"), tasks=3, policy="bbta")
    campaign.ask("w0")
    tell_all(campaign)


def work(url, workers, notes, seed):
    """Ask and tell for ever; note each label once it is acknowledged."""
    chance = random.Random(seed)  # noqa: S311 - any order will do
    campaign = lb.open_campaign(url, "birds")
    with Path(notes).open("w", buffering=1) as acknowledged:
        while True:
            try:
                _one_turn(campaign, chance, workers, acknowledged)
            except StoreUnavailable:
                time.sleep(0.05)
            except REFUSALS:  # whoever shares the worker was first
                continue


def _one_turn(campaign, chance, workers, acknowledged):
    alone = chance.random() < 0.5
    lent = campaign.ask(chance.choice(workers)) if alone else campaign.ask(*workers, *workers[:1])
    if not lent:
        if lent.reason == lb.Reason.BUDGET_SPENT and lent.retry_after is None:
            time.sleep(0.05)
        return
    if chance.random() < 0.02:
        campaign.decline(lent)
    elif chance.random() > 0.02:  # now and then an answer never comes
        label = campaign.tell(lent, answer_to(lent.task, lent.worker), request=f"{os.getpid()}-{lent.number}")
        print(label.number, label.task, label.worker, label.answer, file=acknowledged)


def race(url, workers, seed):
    """Ask and tell until the budget is spent."""
    chance = random.Random(seed)  # noqa: S311 - any order will do
    campaign = lb.open_campaign(url, "birds")
    while True:
        lent = campaign.ask(chance.choice(workers)) if chance.random() < 0.7 else campaign.ask(*workers, *workers[:1])
        if lent:
            campaign.tell(lent, answer_to(lent.task, lent.worker))
        elif lent.reason == lb.Reason.BUDGET_SPENT:
            if lent.retry_after is None:
                break
            time.sleep(0.02)
    campaign.store.close()


def nursery():
    """Where processes come from: forked from one that has everything loaded."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.campaign_crew_warm"])
    return context


class Member:
    """A process that works, and what it was told is kept."""

    def __init__(self, url, workers, seed):
        with tempfile.NamedTemporaryFile("w", delete=False) as notes:
            self._notes = Path(notes.name)
        self._process = nursery().Process(target=work, args=(url, workers, notes.name, seed))
        self._process.start()
        self.acknowledged = []

    def go_on(self, labels):
        """Wait until so many more labels are acknowledged."""
        patience, before = time.monotonic() + PATIENCE, self._count()
        while self._count() < before + labels:
            assert self._process.is_alive(), "the process ended by itself"
            assert time.monotonic() < patience, "the process hangs"
            time.sleep(0.005)

    def _count(self):
        return self._notes.read_text().count("\n")

    def kill(self):
        """End the process, and learn what it noted; a line cut short was not printed in full."""
        if self._notes.exists():
            self._process.kill()
            self._process.join()
            self.acknowledged = [line.split() for line in self._notes.read_text().split("\n")[:-1]]
            self._notes.unlink()


@contextmanager
def crew(url):
    """A few members at the beginning; all that were added are ended in the end."""
    members = []
    try:
        members.extend(Member(url, hands(at), at) for at in range(MEMBERS))
        yield members
    finally:
        for member in members:
            member.kill()


def hands(at):
    """The workers that the member at this place answers for; neighbours share one."""
    return [f"w{(2 * at + more) % (2 * MEMBERS)}" for more in range(3)]


def open_birds(url, labels):
    """A campaign with room for so many labels, whose assignments lapse soon."""
    tasks = 2 + labels // MEMBERS
    return a_campaign(lb.open_store(url), tasks=tasks, workers=2 * MEMBERS, budget=labels, policy="bbta", lease=0.5, contexts=2)


def faults(campaign, acknowledged):
    """What is wrong with the log, in sentences: the audit's, labels that are lost, and a replay that differs."""
    found = audit(campaign)
    labels = {label.number: label for label in campaign.labels()}
    lost = [
        f"acknowledged label {number} is lost"
        for number, task, worker, answer in acknowledged
        if (label := labels.get(int(number))) is None or (label.task, label.worker, label.answer) != (task, worker, answer)
    ]
    differs = (
        [] if digest(campaign.board) == digest(lb.open_campaign(campaign.store, "birds").board) else ["the replay differs"]
    )
    return found, found.faults + lost + differs


def outcome(campaign, kills, members):
    acknowledged = {tuple(noted) for member in members for noted in member.acknowledged}  # two may tell the same
    found, wrong = faults(campaign, acknowledged)
    campaign.store.close()
    return Outcome(kills, len(acknowledged), len(found.labels), found.length, wrong)


def kill_members(url, kills, seed=0):
    """Three at a time; one of them is killed at a random moment, and another takes its place."""
    chance = random.Random(seed)  # noqa: S311 - any moment will do
    campaign = open_birds(url, 200 * kills)
    with crew(url) as members:
        for at in range(kills):
            members[-MEMBERS].go_on(chance.randrange(1, 4))
            time.sleep(chance.random() * 0.03)
            members[-MEMBERS].kill()
            members.append(Member(url, hands(at % MEMBERS), MEMBERS + at))
    return outcome(campaign, kills, members)


def kill_server(kills, seed=0):
    """The PostgreSQL server itself is killed under three members and started again; they go on by themselves."""
    chance, server = random.Random(seed), Server(fsync=True)  # noqa: S311 - any moment will do
    try:
        url = server.fresh_url()
        campaign = open_birds(url, 1000 * kills)
        with crew(url) as members:
            for _ in range(kills):
                for member in members:
                    member.go_on(chance.randrange(1, 4))
                time.sleep(chance.random() * 0.03)
                server.kill()
                server.start()
            for member in members:
                member.go_on(1)
        return outcome(campaign, kills, members)
    finally:
        server.stop()


def run_race(url, processes, labels):
    """So many processes spend a budget of so many labels together."""
    workers = [f"w{at}" for at in range(2 * processes)]
    campaign = a_campaign(
        lb.open_store(url), tasks=labels // processes, workers=len(workers), budget=labels, policy="bbta", contexts=2
    )
    racing = [
        nursery().Process(target=race, args=(url, [workers[(2 * at + more) % len(workers)] for more in range(3)], at))
        for at in range(processes)
    ]
    for process in racing:
        process.start()
    for process in racing:
        process.join()
    found, wrong = faults(campaign, [])
    wrong += [f"a process ended with {process.exitcode}" for process in racing if process.exitcode]
    if (found.spent, found.reserved) != (labels, 0):
        wrong.append(f"{found.spent} spent and {found.reserved} reserved of {labels}")
    campaign.store.close()
    return Outcome(0, len(found.labels), len(found.labels), found.length, wrong)


def fill_up(url, notes, room):
    """Label until the disk is full: here, until a file would grow beyond so many bytes."""
    campaign = lb.open_campaign(url, "birds")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    with Path(notes).open("w", buffering=1) as acknowledged:
        try:
            while lent := campaign.ask():
                label = campaign.tell(lent, answer_to(lent.task, lent.worker))
                print(label.number, label.task, label.worker, label.answer, file=acknowledged)
        except LabelbanditError as error:
            print(type(error).__name__, file=acknowledged)
