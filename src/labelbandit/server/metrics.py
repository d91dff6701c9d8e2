"""Numbers for Prometheus, read off the campaigns themselves, so that every process tells the same."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from labelbandit import __version__
from labelbandit.campaign.board import STATES
from labelbandit.server.campaigns import Campaigns, OpenCampaign
from labelbandit.server.timeline import LEAD_TIMES

_OWN = CollectorRegistry()
ASK_DURATION = Histogram(
    "labelbandit_ask_duration_seconds",
    "How long asking took, in this process.",
    ["process"],
    registry=_OWN,
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5),
).labels(str(os.getpid()))


@dataclass(frozen=True, slots=True)
class _Families:
    """The metrics that have a value for each campaign."""

    labels: CounterMetricFamily
    assignments: CounterMetricFamily
    waiting: GaugeMetricFamily
    spent: CounterMetricFamily
    limit: GaugeMetricFamily
    tasks: GaugeMetricFamily
    lapsed: CounterMetricFamily
    lead_time: HistogramMetricFamily

    def all(self) -> Iterator[Metric]:
        """Every one of them."""
        yield from (
            self.labels,
            self.assignments,
            self.waiting,
            self.spent,
            self.limit,
            self.tasks,
            self.lapsed,
            self.lead_time,
        )


def _families() -> _Families:
    of = ["campaign"]
    return _Families(
        labels=CounterMetricFamily("labelbandit_labels", "Labels, by where they came from.", labels=[*of, "source"]),
        assignments=CounterMetricFamily(
            "labelbandit_assignments", "Assignments, by what became of them.", labels=[*of, "state"]
        ),
        waiting=GaugeMetricFamily("labelbandit_assignments_open", "Assignments not answered yet.", labels=of),
        spent=CounterMetricFamily("labelbandit_budget_spent", "What was spent, in the unit of the budget.", labels=of),
        limit=GaugeMetricFamily("labelbandit_budget_limit", "What may be spent.", labels=of),
        tasks=GaugeMetricFamily("labelbandit_tasks", "Tasks, by whether they need labels.", labels=[*of, "state"]),
        lapsed=CounterMetricFamily("labelbandit_lease_expired", "Assignments that nobody answered in time.", labels=of),
        lead_time=HistogramMetricFamily("labelbandit_lead_time_seconds", "How long workers took for an answer.", labels=of),
    )


class _Reader(Collector):
    """Reads an owner's campaigns when it is asked."""

    def __init__(self, campaigns: Campaigns, owner: str) -> None:
        self._campaigns = campaigns
        self._owner = owner

    def collect(self) -> Iterator[Metric]:
        """Every metric of every campaign."""
        families = _families()
        for row in self._campaigns.rows(self._owner):
            _read(self._campaigns.opened(row), families)
        yield from families.all()
        yield GaugeMetricFamily("labelbandit_build_info", f"labelbandit {__version__}.", value=1)


def _read(one: OpenCampaign, families: _Families) -> None:
    of = [one.row.id]
    with one.lock:
        one.timeline.catch_up()
        timeline = one.timeline
        for source, count in timeline.sources.items():
            families.labels.add_metric([*of, source], count)
        families.lapsed.add_metric(of, timeline.lapsed)
        total, buckets = 0, []
        for end in (*LEAD_TIMES, float("inf")):
            total += timeline.lead_times[end]
            buckets.append(("+Inf" if end == float("inf") else str(end), float(total)))
        families.lead_time.add_metric(of, buckets, timeline.lead_time_sum)
    with one.campaign.looking() as board:
        states = np.bincount(board.assignments["state"], minlength=len(STATES)).tolist()
        for state, count in zip(STATES, states, strict=True):
            families.assignments.add_metric([*of, state.value], count)
        families.waiting.add_metric(of, len(board.open))
        families.spent.add_metric(of, board.spent)
        families.limit.add_metric(of, board.terms.budget)
        closed = int(np.count_nonzero(board.closed()))
        families.tasks.add_metric([*of, "closed"], closed)
        families.tasks.add_metric([*of, "open"], board.tasks - closed)


def metrics(campaigns: Campaigns, owner: str) -> bytes:
    """An owner's numbers in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(_Reader(campaigns, owner))
    return generate_latest(registry) + generate_latest(_OWN)
