"""Sleeping bandits: workers who could not be asked are charged what the policy lost, so that being spared is no merit.

The core of SB-EXP3 (Nguyen and Mehta 2024, arXiv 2403.01315): only those awake are compared with each other. Losses matter by
their differences alone, so charging those asleep is the same as sparing those awake.
"""

from labelbandit.compiled import inner
from labelbandit.model.arrays import Floats
from labelbandit.policies.openings import Openings
from labelbandit.policies.sheet import has_entry


@inner
def charge_the_asleep(openings: Openings, task: int, worker: int, repeats: bool, loss: Floats) -> None:
    """One loss to each who could not have been asked in the worker's place: used up for the task, or without a record of it.

    Who happens to be away is not looked at: answers come late, and what is learned must not hang on who is there then.
    """
    sheet, pairs = openings.sheet, openings.pairs
    start = sheet.start[task]
    for at in range(start, start + sheet.size[task]):
        if sheet.worker[at] != worker and not (repeats and sheet.answer[at] >= 0):
            loss[sheet.worker[at]] += 1.0
    if pairs.start.size == 0:
        return
    at, end = pairs.start[task], pairs.start[task + 1]
    for other in range(loss.size):
        recorded = at < end and pairs.worker[at] == other
        at += recorded
        if not recorded and not has_entry(sheet, task, other):
            loss[other] += 1.0
