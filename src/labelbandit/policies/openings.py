"""Who may take which task right now: the workers present, the pairs used up, the pairs that exist."""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import inner
from labelbandit.model.arrays import Bools, Ints, Longs
from labelbandit.policies.sheet import Sheet


class Pairs(NamedTuple):
    """Recorded data as a sparse index: the workers whose label of a task exists. No rows: every pair exists."""

    start: Longs
    worker: Ints


class Openings(NamedTuple):
    """What a policy may choose from; never a matrix of tasks by workers."""

    present: Bools
    away: Longs
    """One number: how many workers are not present."""
    sheet: Sheet
    pairs: Pairs
    price: Longs
    """What a label of each worker costs."""


EVERY_PAIR = Pairs(start=np.zeros(0, np.int64), worker=np.zeros(0, np.int32))


def all_present(workers: int, sheet: Sheet, pairs: Pairs = EVERY_PAIR) -> Openings:
    """Everyone is there, at the same price."""
    return Openings(np.ones(workers, np.bool_), np.zeros(1, np.int64), sheet, pairs, np.ones(workers, np.int64))


@inner
def takers_ever(openings: Openings, task: int) -> int:
    """How many workers could label the task at all."""
    if openings.pairs.start.size == 0:
        return openings.present.size
    return int(openings.pairs.start[task + 1] - openings.pairs.start[task])


@inner
def used_up(openings: Openings, task: int, repeats: bool) -> bool:
    """Whether the task is closed or nobody is left who could ever take it."""
    sheet = openings.sheet
    taken = sheet.heard[task] if repeats else sheet.size[task]
    return bool(sheet.closed[task] or taken >= takers_ever(openings, task))


@inner
def takers(openings: Openings, task: int, repeats: bool, most: int, out: Longs) -> int:
    """List the first `most` workers who may take the task now, ascending; with repeats, labelled pairs may be drawn again."""
    sheet, pairs = openings.sheet, openings.pairs
    row, row_end = sheet.start[task], sheet.start[task] + sheet.size[task]
    count = 0
    for rank in range(takers_ever(openings, task)):
        worker = rank if pairs.start.size == 0 else pairs.worker[pairs.start[task] + rank]
        while row < row_end and sheet.worker[row] < worker:
            row += 1
        used = row < row_end and sheet.worker[row] == worker and not (repeats and sheet.answer[row] >= 0)
        if used or not openings.present[worker]:
            continue
        out[count] = worker
        count += 1
        if count == most:
            break
    return count


@inner
def takeable(openings: Openings, task: int, repeats: bool, scratch: Longs) -> bool:
    """Whether anyone present may take the task."""
    if used_up(openings, task, repeats):
        return False
    if openings.away[0] == 0 and not repeats:
        return True
    return takers(openings, task, repeats, 1, scratch) > 0
