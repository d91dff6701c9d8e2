"""The sheet against a plain dictionary."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from labelbandit.policies.sheet import DECLINED, PENDING, blank_sheet, erase, has_entry, with_newcomers, with_room_for, write

CONTEXT = np.array([0, 1, 0, 1, 0])
entries = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9), st.sampled_from([PENDING, DECLINED, 0, 1, None])))


def rows_of(sheet):
    return [
        [(int(sheet.worker[at]), int(sheet.answer[at])) for at in range(start, start + size)]
        for start, size in zip(sheet.start.tolist(), sheet.size.tolist(), strict=True)
    ]


@given(entries)
def test_the_sheet_keeps_what_a_dictionary_would_in_order_of_worker(entries):
    sheet, plain = blank_sheet(CONTEXT, 10, 1), [{} for _ in range(5)]
    for task, worker, answer in entries:
        sheet = with_room_for(sheet, [task])
        if answer is None:
            erase(sheet, task, worker)
            plain[task].pop(worker, None)
        else:
            write(sheet, task, worker, answer)
            plain[task][worker] = answer
    assert rows_of(sheet) == [sorted(row.items()) for row in plain]
    assert sheet.heard.tolist() == [sum(answer >= 0 for answer in row.values()) for row in plain]
    assert sheet.waiting.tolist() == [sum(answer == PENDING for answer in row.values()) for row in plain]


@given(entries)
def test_the_diary_leads_back_to_every_task_of_a_worker_in_a_context(entries):
    sheet, asked = blank_sheet(CONTEXT, 10, 1), {}
    for task, worker, answer in entries:
        if answer is not None:
            sheet = with_room_for(sheet, [task])
            write(sheet, task, worker, answer)
            asked.setdefault((CONTEXT[task], worker), set()).add(task)
    for context_and_worker, tasks in asked.items():
        found, entry = set(), int(sheet.latest[context_and_worker])
        while entry >= 0:
            found.add(int(sheet.diary_task[entry]))
            entry = int(sheet.diary_before[entry])
        assert found == tasks


def test_tasks_and_workers_that_join_find_empty_rows():
    sheet = blank_sheet(CONTEXT[:1], 1, 4)
    write(sheet, 0, 0, 1)
    grown = with_newcomers(sheet, CONTEXT[:3], 2)
    write(with_room_for(grown, [2]), 2, 1, 0)
    assert has_entry(grown, 0, 0)
    assert not has_entry(grown, 1, 0)
    assert np.array_equal(grown.heard, [1, 0, 1])
