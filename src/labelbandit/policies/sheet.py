"""The sheet: per task, which workers are used up and what they said, in ascending order of worker.

Rows lie in one arena and double when full, so that a million tasks with a handful of labels each stay compact,
and a vote reads its row front to back.
"""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner
from labelbandit.model.arrays import Bools, Ints, Longs, Shorts, Singles

PENDING = -1
"""In place of an answer: the task is lent to the worker, who has not answered yet."""
DECLINED = -2
"""In place of an answer: the worker would rather not."""

NO_MESSAGE = -1.0
"""In place of a message: the policy has made nothing of the label yet."""

_SMALLEST_ROW = 4
_FEW = 8


class Sheet(NamedTuple):
    """Rows of (worker, answer) per task, with their counts."""

    start: Longs
    size: Ints
    room: Ints
    heard: Ints
    """Labels of the task."""
    waiting: Ints
    """Open assignments of the task."""
    worker: Ints
    answer: Shorts
    message: Singles
    """What a policy made of the label: one number beside each, for policies that weigh labels against each other."""
    context: Longs
    """Of each task."""
    latest: Ints
    """Contexts by workers: the worker's latest entry there in the diary, or -1."""
    diary_task: Ints
    diary_before: Ints
    """The diary: every task of a context that a worker was ever lent, linked from their latest back to their first."""
    ends: Longs
    """Two numbers: how much of the arena and of the diary is taken."""
    closed: Bools
    """Tasks nobody is to be asked about any more, for a reason of the campaign's: settled, withdrawn, labelled enough."""


def blank_sheet(context: Longs, workers: int, labels: int) -> Sheet:
    """An empty sheet for tasks of these contexts, with room for that many labels."""
    tasks, arena = context.size, _arena_for(labels)
    return Sheet(
        start=np.zeros(tasks, np.int64),
        size=np.zeros(tasks, np.int32),
        room=np.zeros(tasks, np.int32),
        heard=np.zeros(tasks, np.int32),
        waiting=np.zeros(tasks, np.int32),
        worker=np.zeros(arena, np.int32),
        answer=np.zeros(arena, np.int16),
        message=np.full(arena, NO_MESSAGE, np.float32),
        context=context,
        latest=np.full((_count_contexts(context), workers), -1, np.int32),
        diary_task=np.zeros(labels + 1, np.int32),
        diary_before=np.zeros(labels + 1, np.int32),
        ends=np.zeros(2, np.int64),
        closed=np.zeros(tasks, np.bool_),
    )


def _arena_for(labels: int) -> int:
    # A row of n labels occupies at most 4n cells, counting the smaller rows it grew out of.
    return _SMALLEST_ROW * (labels + 1)


def _count_contexts(context: Longs) -> int:
    return int(context.max(initial=-1)) + 1


def with_newcomers(sheet: Sheet, context: Longs, workers: int) -> Sheet:
    """The same sheet with room for tasks and workers that join; the contexts are those of all tasks."""
    more = context.size - sheet.size.size
    latest = np.full((_count_contexts(context), workers), -1, np.int32)
    latest[: sheet.latest.shape[0], : sheet.latest.shape[1]] = sheet.latest
    return sheet._replace(
        start=np.append(sheet.start, np.zeros(more, np.int64)),
        size=np.append(sheet.size, np.zeros(more, np.int32)),
        room=np.append(sheet.room, np.zeros(more, np.int32)),
        heard=np.append(sheet.heard, np.zeros(more, np.int32)),
        waiting=np.append(sheet.waiting, np.zeros(more, np.int32)),
        context=context,
        latest=latest,
        closed=np.append(sheet.closed, np.zeros(more, np.bool_)),
    )


def with_room_for(sheet: Sheet, tasks: Ints) -> Sheet:
    """The same sheet, enlarged where one more entry for each of these tasks might not fit."""
    if len(tasks) <= _FEW:  # as nearly always: no row grows to more than twice the workers
        cells = len(tasks) * max(_SMALLEST_ROW, 2 * sheet.latest.shape[1])
    else:
        task, entries = np.unique(tasks, return_counts=True)
        cells = int(_SMALLEST_ROW * (sheet.size[task].astype(np.int64) + entries + 1).sum())
    return _enlarged(sheet, int(sheet.ends[0]) + cells, int(sheet.ends[1]) + len(tasks))


def compacted(sheet: Sheet) -> Sheet:
    """The same sheet without room to spare at its ends."""
    arena, diary = (int(end) for end in sheet.ends)
    return sheet._replace(
        worker=sheet.worker[: max(arena, 1)],
        answer=sheet.answer[: max(arena, 1)],
        message=sheet.message[: max(arena, 1)],
        diary_task=sheet.diary_task[: max(diary, 1)],
        diary_before=sheet.diary_before[: max(diary, 1)],
    )


def _enlarged(sheet: Sheet, arena: int, diary: int) -> Sheet:
    if arena > sheet.worker.size:
        more = max(arena, 2 * sheet.worker.size) - sheet.worker.size
        sheet = sheet._replace(
            worker=np.append(sheet.worker, np.zeros(more, np.int32)),
            answer=np.append(sheet.answer, np.zeros(more, np.int16)),
            message=np.append(sheet.message, np.full(more, NO_MESSAGE, np.float32)),
        )
    if diary > sheet.diary_task.size:
        empty = np.zeros(max(diary, 2 * sheet.diary_task.size) - sheet.diary_task.size, np.int32)
        sheet = sheet._replace(diary_task=np.append(sheet.diary_task, empty), diary_before=np.append(sheet.diary_before, empty))
    return sheet


@inner
def position(sheet: Sheet, task: int, worker: int) -> int:
    """Where the worker stands, or would stand, in the task's row."""
    low = sheet.start[task]
    high = low + sheet.size[task]
    while low < high:
        middle = (low + high) >> 1
        if sheet.worker[middle] < worker:
            low = middle + 1
        else:
            high = middle
    return int(low)


@compiled
def has_entry(sheet: Sheet, task: int, worker: int) -> bool:
    """Whether the worker is used up for the task."""
    at = position(sheet, task, worker)
    return bool(at < sheet.start[task] + sheet.size[task] and sheet.worker[at] == worker)


@compiled
def first_entry(sheet: Sheet, task: Longs, worker: Longs) -> int:
    """The first of these pairs whose worker is used up for the task, or -1."""
    for index in range(task.size):
        if has_entry(sheet, task[index], worker[index]):
            return index
    return -1


@inner
def _count(sheet: Sheet, task: int, answer: int, by: int) -> None:
    if answer >= 0:
        sheet.heard[task] += by
    elif answer == PENDING:
        sheet.waiting[task] += by


@inner
def _make_room(sheet: Sheet, task: int) -> None:
    size, old = sheet.size[task], sheet.start[task]
    if size < sheet.room[task]:
        return
    new = sheet.ends[0]
    for offset in range(size):
        sheet.worker[new + offset] = sheet.worker[old + offset]
        sheet.answer[new + offset] = sheet.answer[old + offset]
        sheet.message[new + offset] = sheet.message[old + offset]
    sheet.start[task] = new
    sheet.room[task] = max(_SMALLEST_ROW, 2 * sheet.room[task])
    sheet.ends[0] = new + sheet.room[task]


@inner
def _note_in_diary(sheet: Sheet, task: int, worker: int) -> None:
    entry, context = sheet.ends[1], sheet.context[task]
    sheet.diary_task[entry] = task
    sheet.diary_before[entry] = sheet.latest[context, worker]
    sheet.latest[context, worker] = entry
    sheet.ends[1] = entry + 1


@compiled
def write(sheet: Sheet, task: int, worker: int, answer: int) -> None:
    """Enter the worker's answer, `PENDING` or `DECLINED`, in place of what stood there for them."""
    if has_entry(sheet, task, worker):
        at = position(sheet, task, worker)
        _count(sheet, task, sheet.answer[at], -1)
        sheet.answer[at] = answer
    else:
        _make_room(sheet, task)
        at = position(sheet, task, worker)
        last = sheet.start[task] + sheet.size[task]
        while last > at:
            sheet.worker[last] = sheet.worker[last - 1]
            sheet.answer[last] = sheet.answer[last - 1]
            sheet.message[last] = sheet.message[last - 1]
            last -= 1
        sheet.worker[at] = worker
        sheet.answer[at] = answer
        sheet.message[at] = NO_MESSAGE
        sheet.size[task] += 1
        _note_in_diary(sheet, task, worker)
    _count(sheet, task, answer, 1)


@compiled
def erase(sheet: Sheet, task: int, worker: int) -> None:
    """Free the pair again, as when an assignment lapses."""
    if not has_entry(sheet, task, worker):
        return
    at = position(sheet, task, worker)
    _count(sheet, task, sheet.answer[at], -1)
    last = sheet.start[task] + sheet.size[task] - 1
    while at < last:
        sheet.worker[at] = sheet.worker[at + 1]
        sheet.answer[at] = sheet.answer[at + 1]
        sheet.message[at] = sheet.message[at + 1]
        at += 1
    sheet.size[task] -= 1
