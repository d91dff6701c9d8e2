"""Agreement between workers, against figures worked out by hand and published ones."""

import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelbandit.aggregation.agreement import agreement, pair_agreements
from labelbandit.cli import main


def columns(table):
    """A table of tasks by workers, with None where nobody labelled, as columns."""
    rows = [(task, worker, said) for task, row in enumerate(table) for worker, said in enumerate(row) if said is not None]
    return tuple(np.array(column, np.int64) for column in zip(*rows, strict=True))


def test_alpha_of_the_textbook_example():
    """Three observers, fifteen units, missing data: nominal alpha is 0.691."""
    observers = [
        [None, None, None, None, None, 3, 4, 1, 2, 1, 1, 3, 3, None, 3],
        [1, None, 2, 1, 3, 3, 4, 3, None, None, None, None, None, None, None],
        [None, None, 2, 1, 3, 4, 4, None, 2, 1, 1, 3, 3, None, 4],
    ]
    table = [[None if one is None else one - 1 for one in unit] for unit in zip(*observers, strict=True)]
    task, _, answer = columns(table)
    assert agreement(task, answer, 4).alpha.value == pytest.approx(0.691, abs=5e-4)


def test_fleiss_of_the_textbook_example():
    """Fleiss' example of ten subjects and fourteen raters: kappa is 0.210."""
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    task, _, answer = columns([[said for said, count in enumerate(row) for _ in range(count)] for row in counts])
    found = agreement(task, answer, 5)
    assert found.fleiss.value == pytest.approx(0.210, abs=5e-4)
    assert found.percent.value == pytest.approx(0.378, abs=5e-4)


def test_cohen_worked_out_by_hand():
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed 0.7, by chance 0.5, kappa 0.4."""
    task, worker, answer = columns([[0, 0]] * 20 + [[0, 1]] * 5 + [[1, 0]] * 10 + [[1, 1]] * 15)
    (pair,) = pair_agreements(task, worker, answer, 2, np.array([0, 1]))
    assert (pair.percent.value, pair.cohen.value, pair.cohen.tasks) == (pytest.approx(0.7), pytest.approx(0.4), 50)


def test_undefined_measures_say_why():
    task, worker, answer = columns([[0, None], [None, 1]])
    assert agreement(task, answer, 2).alpha.why == "no task has two labels"
    (pair,) = pair_agreements(task, worker, answer, 2, np.array([0, 1]))
    assert pair.cohen.why == "they labelled no task in common"
    task, worker, answer = columns([[0, 0], [0, 0]])
    found = agreement(task, answer, 2)
    assert (found.percent.value, found.fleiss.value, found.alpha.value) == (1.0, None, None)
    assert "one class" in found.fleiss.why


def differing(values):
    return sum(one != two for one, two in permutations(values, 2))


@given(st.lists(st.lists(st.one_of(st.none(), st.integers(0, 2)), min_size=3, max_size=3), min_size=1, max_size=12))
def test_alpha_is_one_minus_observed_over_expected_disagreement_of_pairs(table):
    rows = [[said for said in row if said is not None] for row in table]
    rows = [row for row in rows if len(row) > 1]
    if not rows:
        return
    task, _, answer = columns(table)
    found = agreement(task, answer, 3).alpha.value
    values = [said for row in rows for said in row]
    observed = sum(
        (one != two) / (len(row) - 1) for row in rows for i, one in enumerate(row) for j, two in enumerate(row) if i != j
    )
    expected = sum(one != two for i, one in enumerate(values) for j, two in enumerate(values) if i != j) / (len(values) - 1)
    assert (found is None) == (expected == 0)
    if found is not None:
        assert found == pytest.approx(1 - observed / expected)


def test_the_command_reads_a_file(tmp_path, capsys):
    file = tmp_path / "labels.csv"
    file.write_text("task,worker,label\n1,a,x\n1,b,x\n2,a,y\n2,b,y\n3,a,x\n3,b,y\n")
    assert main(["agreement", str(file), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["percent"]["value"] == pytest.approx(2 / 3)
    assert found["pairs"][0]["workers"] == ["a", "b"]
    assert main(["agreement", str(file)]) == 0
    assert "Krippendorff's alpha" in capsys.readouterr().out


def test_the_command_says_what_is_missing(tmp_path, capsys):
    file = tmp_path / "labels.csv"
    file.write_text("task,label\n1,x\n")
    assert main(["agreement", str(file)]) == 2
    assert "no column 'worker'" in capsys.readouterr().err
    assert main(["agreement"]) == 2
    assert "give a CSV file" in capsys.readouterr().err
