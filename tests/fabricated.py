"""Results of a reproduction that never ran, for tests of what is made of them."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from labelbandit.experiments.results import COLUMNS, Results, _panel

CROWDS = ("spammer-hammer", "one-coin", "malicious")
NINE = [f"{data}/{crowd}" for data in ("ionosphere", "breast", "pima") for crowd in CROWDS]
MARKS = np.arange(1.0, 16.0)
FIXED = (
    "random",
    "bbta:explore=0",
    "bbta",
    "bbta:explore=5",
    "bbta:explore=10",
    "optkg",
    "optkg:workers=equal",
    "optkg-multi",
    "oracle",
)


def noise(runs, *, seed=0, size=0.01):
    return np.random.default_rng(seed).normal(0, size, runs)


def rising(level, runs=8, marks=MARKS, seed=0):
    """Curves that rise to about that level, run by run a little different."""
    return level - 0.3 / marks[None, :] + noise(runs, seed=seed)[:, None]


def fixed_rows(panel, policy, accuracy, *, marks=MARKS, tasks=100, right=None, in_good=None, entropy=None):
    """Tidy rows from curves, runs by marks."""
    rows = []
    for run, curve in enumerate(accuracy):
        for mark, value in zip(marks, curve, strict=True):
            at = int(np.flatnonzero(marks == mark)[0])
            others = [float(np.asarray(given)[run, at]) if given is not None else value for given in (right, in_good, entropy)]
            rows.append((panel, policy, run, float(mark), int(mark * tasks), float(value), *others, 0.3))
    return rows


def swept_rows(panel, policy, cost, accuracy, tasks=100):
    return [
        (panel, policy, run, float(each), int(each * tasks), float(value), float(value), 0.5, 1.0, 0.3)
        for run, (each, value) in enumerate(zip(cost, accuracy, strict=True))
    ]


def facts(name, *, kind="benchmark", title=None, workers=6, accuracy=0.7, budget=15.0):
    spread = np.linspace(-0.1, 0.1, workers)
    return {
        "name": name,
        "title": title or name.replace("/", ", "),
        "kind": kind,
        "tasks": 100,
        "workers": workers,
        "contexts": 2,
        "classes": 2,
        "budget": budget,
        "context_sizes": [60, 40],
        "class_shares": [[0.5, 0.5], [0.25, 0.75]],
        "majority_class_accuracy": 0.6,
        "worker_accuracy": [(accuracy + spread).tolist(), (accuracy - spread).tolist()],
        "note": "",
    }


def regret(slope_of_bbta=0.0, marks=(100, 500, 1000)):
    """Regret that grows with a square root, or in a straight line if a slope is given."""
    bbta = [slope_of_bbta * mark if slope_of_bbta else 3 * mark**0.5 for mark in marks]
    error = [0.5] * len(marks)
    numbers = {"regret": bbta, "se": error, "strict_regret": bbta, "strict_se": error}
    uniform = {**numbers, "regret": [0.5 * mark for mark in marks], "strict_regret": [0.5 * mark for mark in marks]}
    return {"marks": list(marks), "bound": [10 * mark**0.5 for mark in marks], "bbta": numbers, "uniform": uniform}


META = {
    "version": "0.1.0",
    "seed": 0,
    "runs": 8,
    "quick": False,
    "command": "labelbandit reproduce",
    "seconds": 90.0,
    "cores": 2,
}


def write(folder, rows, panels, regrets=None, meta=META):
    """Write the folder as a reproduction leaves it."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(COLUMNS)
    kinds = {"panel": pa.string(), "policy": pa.string(), "run": pa.int64(), "labels": pa.int64()}
    arrays = {name: pa.array(column, kinds.get(name, pa.float64())) for name, column in zip(COLUMNS, columns, strict=True)}
    pq.write_table(pa.table(arrays), folder / "results.parquet")
    (folder / "panels.json").write_text(json.dumps(panels), "utf-8")
    (folder / "regret.json").write_text(json.dumps(regrets or {}), "utf-8")
    (folder / "meta.json").write_text(json.dumps(meta), "utf-8")
    return folder


def results_of(rows, panels=(), regrets=None) -> Results:
    """The same without a folder."""
    columns = {name: list(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)} if rows else {}
    return Results(columns or {name: [] for name in COLUMNS}, tuple(map(_panel, panels)), regrets or {}, META)


def everything(runs=3, *, panels=NINE, real=("rte/completed", "rte/replay", "four_domains/replay")):
    """Rows and facts with every method on these panels and on some real data, as small as can be."""
    rows, told = [], []
    for place, panel in enumerate([*panels, *real]):
        benchmark = panel in panels
        told.append(facts(panel, kind="benchmark" if benchmark else panel.partition("/")[2]))
        names = FIXED if benchmark else [name for name in FIXED if name not in {"bbta:explore=5", "bbta:explore=10"}]
        for at, policy in enumerate(names):
            curves = rising(0.8 + 0.02 * at, runs, seed=100 * place + at)
            entropy = np.tile(np.linspace(2.0, 1.0, MARKS.size), (runs, 1)) + noise(runs, seed=at)[:, None]
            rows += fixed_rows(panel, policy, curves, entropy=entropy)
        for method in ("iethresh", "crowdsense"):
            for threshold, cost in ((0.9, 3.0), (0.8, 8.0), (0.7, 16.0)):
                policy = f"{method}:threshold={threshold}"
                rows += swept_rows(panel, policy, cost + noise(runs, size=0.5), 0.7 + cost / 100 + noise(runs))
    long = "ionosphere/spammer-hammer/30N"
    told.append(facts(long, budget=30.0))
    marks = np.arange(1.0, 31.0)
    for policy in ("optkg", "optkg-multi", "bbta"):
        rows += fixed_rows(long, policy, rising(0.95, runs, marks), marks=marks)
    return rows, told, {crowd: regret() for crowd in CROWDS[:1]}
