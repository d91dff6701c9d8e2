"""The timeline: when labels came, from whom and how fast, read off the log as it grows."""

from array import array
from collections import Counter

from labelbandit.model import events as ev
from labelbandit.stores.contract import Store

LEAD_TIMES = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 900.0, 3600.0)
"""Seconds: the upper ends of what lead times are counted in."""
_MICRO = 1_000_000


class Timeline:
    """What the board does not keep: times and sources of labels."""

    def __init__(self, store: Store, campaign: int) -> None:
        self._store = store
        self._campaign = campaign
        self.position = -1
        self.at = array("q")
        """When each label came, UTC microseconds."""
        self.spent = array("q")
        """What had been spent by then."""
        self.number = array("q")
        """The assignment it answered; -1 if none."""
        self.sources: Counter[str] = Counter()
        self.lead_times: Counter[float] = Counter()
        self.lead_time_sum = 0.0
        self.lapsed = 0

    def catch_up(self) -> None:
        """Read what was written since."""
        for entry in self._store.read(self._campaign, self.position):
            if entry.kind in _READ:
                self._apply(ev.decode(entry.kind, entry.version, entry.body), entry.at)
            self.position = entry.position

    def _apply(self, event: ev.Event, at: int) -> None:
        spent = self.spent[-1] if self.spent else 0
        match event:
            case ev.LabelReceived():
                self._add(at, spent + event.price, event.number)
                self.sources["llm" if event.source == "model" else "human"] += 1
                if event.lead_time is not None:
                    seconds = event.lead_time / _MICRO
                    self.lead_times[next((end for end in LEAD_TIMES if seconds <= end), float("inf"))] += 1
                    self.lead_time_sum += seconds
            case ev.LabelsAttached():
                for index in range(len(event.tasks)):
                    self._add(at, spent + (event.price if index == len(event.tasks) - 1 else 0), -1)
                self.sources["import"] += len(event.tasks)
            case ev.AssignmentsLapsed():
                self.lapsed += len(event.numbers)

    def _add(self, at: int, spent: int, number: int) -> None:
        self.at.append(at)
        self.spent.append(spent)
        self.number.append(number)


_READ = {"label received", "labels attached", "assignments lapsed"}
