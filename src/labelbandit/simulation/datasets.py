"""Data sets of recorded labels in the common format, found by name, checked line by line, and made into worlds."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from labelbandit.model.arrays import Longs, Shorts
from labelbandit.model.errors import BadData, BadInput
from labelbandit.policies.openings import Pairs
from labelbandit.simulation.tables import Table, read_table
from labelbandit.simulation.world import World, recorded_world

DATA_VARIABLE = "LABELBANDIT_DATA"
"""The environment variable that names the folder of data sets."""

_ENDINGS = (".csv", ".parquet")
_MOST_CLASSES = 2**15 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Labels that workers gave, the truth of every task, and the names of all that is numbered."""

    name: str
    tasks: tuple[str, ...]
    workers: tuple[str, ...]
    classes: tuple[str, ...]
    contexts: tuple[str, ...]
    context: Longs
    """Of each task."""
    truth: Longs
    """Of each task."""
    pairs: Pairs
    answers: Shorts
    """Of each pair, beside `pairs.worker`."""

    def world(self, seed: int, *, contexts: bool = True) -> World:
        """A world that replays these labels; without contexts all tasks are of one kind."""
        context = self.context if contexts else np.zeros_like(self.context)
        return recorded_world(context, self.truth, len(self.workers), len(self.classes), self.pairs, self.answers, seed)


class _Label(NamedTuple):
    line: int
    task: str
    worker: str
    answer: str


class _Fact(NamedTuple):
    """What one file says of one task, and in which line."""

    line: int
    value: str


def find_dataset(name: str | Path, data_folder: str | Path | None = None) -> Path:
    """The folder or file of a data set: a path as it is given, or a name in the folder of data sets."""
    path = Path(name)
    if isinstance(name, Path) or os.sep in name or path.suffix.lower() in _ENDINGS:
        if not path.exists():
            raise BadInput(f"there is no data set at {path}: give a folder with labels.csv and truth.csv, or one long file")
        return path
    given = data_folder or os.environ.get(DATA_VARIABLE)
    if not given:
        raise BadInput(f"where is data set {name!r}? Set {DATA_VARIABLE} to the folder of data sets, or give its path")
    folder = Path(given)
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder: set {DATA_VARIABLE} to the folder of data sets")
    for candidate in (folder / path, *(folder / f"{path}{ending}" for ending in _ENDINGS)):
        if candidate.exists():
            return candidate
    known = sorted(each.stem for each in folder.iterdir() if (each / "labels.csv").exists() or each.suffix in _ENDINGS)
    there = f"it has {', '.join(known)}" if known else "it has none"
    raise BadInput(f"there is no data set {name!r} in {folder}: {there}")


def read_dataset(path: str | Path) -> Dataset:
    """Read a folder of labels.csv, truth.csv and perhaps contexts.csv and classes.csv, or one long file of all columns."""
    path = Path(path)
    if path.is_dir():
        return _read_folder(path)
    return _read_long(path)


def _read_folder(folder: Path) -> Dataset:
    labels_table = read_table(folder / "labels.csv", ("task", "worker", "label"))
    labels = [_Label(line, *cells) for line, cells in labels_table.rows]
    truth_table = read_table(folder / "truth.csv", ("task", "truth"))
    truth = _facts(truth_table, ((line, task, value) for line, (task, value) in truth_table.rows))
    _check_truth_of(labels, labels_table, truth)
    tasks = {label.task for label in labels}
    _refuse_strangers(truth_table, truth, tasks)
    context: Mapping[str, _Fact] = {}
    if (folder / "contexts.csv").exists():
        table = read_table(folder / "contexts.csv", ("task", "context"))
        context = _facts(table, ((line, task, value) for line, (task, value) in table.rows))
        _refuse_strangers(table, context, tasks)
        for task, fact in truth.items():
            if task not in context:
                truth_table.refuse(fact.line, f"task {task!r} has no context in {table.path}")
    more: set[str] = set()
    if (folder / "classes.csv").exists():
        more = {cells[0] for _, cells in read_table(folder / "classes.csv", ("class",)).rows}
    return _assemble(labels_table, labels, truth, context, more)


def _read_long(path: Path) -> Dataset:
    table = read_table(path, ("task", "worker", "label", "truth"), ("context",))
    labels = [_Label(row.line, *row.cells[:3]) for row in table.rows]
    truth = _agreed(table, 3)
    context = _agreed(table, 4) if "context" in table.columns else {}
    return _assemble(table, labels, truth, context, set())


def _facts(table: Table, rows: Iterable[tuple[int, str, str]]) -> dict[str, _Fact]:
    facts: dict[str, _Fact] = {}
    for line, task, value in rows:
        if task in facts:
            table.refuse(line, f"task {task!r} stands in line {facts[task].line} already")
        facts[task] = _Fact(line, value)
    return facts


def _agreed(table: Table, column: int) -> dict[str, _Fact]:
    """What the rows of a long file say of each task, if they all say the same."""
    facts: dict[str, _Fact] = {}
    for line, cells in table.rows:
        task, value = cells[0], cells[column]
        fact = facts.setdefault(task, _Fact(line, value))
        if fact.value != value:
            said = f"the {table.columns[column]} of task {task!r} is {value!r} here"
            table.refuse(line, f"{said} and {fact.value!r} in line {fact.line}")
    return facts


def _check_truth_of(labels: list[_Label], table: Table, truth: Mapping[str, _Fact]) -> None:
    for label in labels:
        if label.task not in truth:
            table.refuse(label.line, f"task {label.task!r} has no truth: add it to truth.csv, or leave its labels out")


def _refuse_strangers(table: Table, facts: Mapping[str, _Fact], tasks: set[str]) -> None:
    for task, fact in facts.items():
        if task not in tasks:
            table.refuse(fact.line, f"task {task!r} is unknown: no label is for it")


def _check_labels(table: Table, labels: list[_Label], classes: set[str]) -> None:
    seen: dict[tuple[str, str], int] = {}
    for label in labels:
        if label.answer not in classes:
            remedy = "if it is a class all the same, list every class in a file classes.csv beside labels.csv"
            table.refuse(label.line, f"label {label.answer!r} is unknown: no task has that truth; {remedy}")
        earlier = seen.setdefault((label.task, label.worker), label.line)
        if earlier != label.line:
            pair = f"worker {label.worker!r} labelled task {label.task!r}"
            table.refuse(label.line, f"{pair} in line {earlier} already")


def _assemble(
    table: Table, labels: list[_Label], truth: Mapping[str, _Fact], context: Mapping[str, _Fact], more: set[str]
) -> Dataset:
    """Number everything: tasks and workers as their first labels come, classes and contexts by the alphabet."""
    classes = {fact.value for fact in truth.values()} | more
    _check_labels(table, labels, classes)
    if not 2 <= len(classes) <= _MOST_CLASSES:
        raise BadData(f"{table.path}: {len(classes)} classes will not do: there must be from 2 to {_MOST_CLASSES}")
    task_number = _numbers(label.task for label in labels)
    worker_number = _numbers(label.worker for label in labels)
    class_number = _numbers(sorted(classes))
    context_number = _numbers(sorted({fact.value for fact in context.values()}) or ["all"])
    task = np.array([task_number[label.task] for label in labels], np.int64)
    worker = np.array([worker_number[label.worker] for label in labels], np.int32)
    answer = np.array([class_number[label.answer] for label in labels], np.int16)
    order = np.lexsort((worker, task))
    start = np.concatenate(([0], np.cumsum(np.bincount(task, minlength=len(task_number))))).astype(np.int64)
    kinds = [context_number[context[name].value] if context else 0 for name in task_number]
    return Dataset(
        name=table.path.parent.resolve().name if table.path.name == "labels.csv" else table.path.stem,
        tasks=tuple(task_number),
        workers=tuple(worker_number),
        classes=tuple(class_number),
        contexts=tuple(context_number),
        context=np.array(kinds, np.int64),
        truth=np.array([class_number[truth[name].value] for name in task_number], np.int64),
        pairs=Pairs(start, worker[order]),
        answers=answer[order],
    )


def _numbers(names: Iterable[str]) -> dict[str, int]:
    """Each name's number, in the order in which they first come."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
