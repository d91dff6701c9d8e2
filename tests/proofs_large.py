"""Proofs for a campaign of a million tasks."""

import json
import sys

from tests.proofs_engine import run


def million_tasks():
    figures = json.loads(run(sys.executable, "-m", "benchmarks.large", "--json").stdout)
    snapshot, replay = figures["snapshot"], figures["replay"]
    for store, name in (("memory", "labels_per_second"), ("SQLite", "disk_labels_per_second")):
        yield f"bulk import, {store}: at least 50,000 labels/s", f"{figures[name]:,.0f}", figures[name] >= 50_000
    for name, most in (("p50_ms", 0.5), ("p99_ms", 5.0)):
        yield f"ask + tell {name.removesuffix('_ms')} under {most} ms", f"{figures[name]:.3f} ms", figures[name] < most
    peak = max(figures["peak_mb"], figures["disk_load_peak_mb"], snapshot["peak_mb"], replay["peak_mb"])
    yield "memory under 1.5 GB", f"{peak:,.0f} MB", peak < 1536
    yield "opening from a snapshot under 5 s", f"{snapshot['seconds']:.1f} s", snapshot["seconds"] < 5
    yield "opening by full replay under 180 s", f"{replay['seconds']:.1f} s", replay["seconds"] < 180
    same = snapshot["digest"] == replay["digest"]
    yield "both end in the same digest", "same" if same else "different", same
