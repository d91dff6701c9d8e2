"""An audit of a log, written apart from the board: does every position keep the promises?"""

from labelbandit.model import events as ev


class Audit:
    """Goes through a log once, entry by entry, and notes what is wrong in sentences."""

    def __init__(self):
        self.faults = []
        self.length = 0
        self.at = 0
        self.budget = self.spent = self.reserved = 0
        self.most = None
        self.lent = []
        """(task, worker, price) of each assignment, by number."""
        self.open = {}
        """Open assignments and what they hold back."""
        self.labels = {}
        """(task, worker): answer."""

    def read(self, entries):
        """Go on with these entries."""
        for entry in entries:
            self._check(entry.position == self.length, f"position {entry.position} where {self.length} belongs")
            self._check(entry.at >= self.at, f"time runs backwards at {entry.position}")
            self.length, self.at = entry.position + 1, entry.at
            self._take(ev.decode(entry.kind, entry.version, entry.body))
            used = self.spent + self.reserved
            self._check(used <= self.budget, f"{used} of {self.budget} are used at {entry.position}")
            self._check(self.spent >= 0, f"less than nothing is spent at {entry.position}")
            self._check(self.reserved == sum(self.lent[number][2] for number in self.open), f"books differ at {entry.position}")
        return self

    def _check(self, holds, sentence):
        if not holds:
            self.faults.append(sentence)

    def _take(self, event):
        match event:
            case ev.CampaignOpened(terms=terms) | ev.TermsChanged(terms=terms):
                self.budget, self.most = terms.budget, terms.most
            case ev.TaskAssigned():
                self._lend(event)
            case ev.LabelReceived(number=number, answer=answer, price=price):
                pair = self.lent[number][:2]
                if number in self.open:
                    self._end(number)
                self._check(price <= self.lent[number][2], f"assignment {number} was paid more than was noted")
                self._label(pair, answer)
                self.spent += price
            case ev.AssignmentDeclined(number=number):
                self._end(number)
            case ev.AssignmentsLapsed(numbers=numbers):
                for number in numbers:
                    self._end(number)
            case ev.LabelsAttached(tasks=tasks, workers=workers, answers=answers, price=price):
                for task, worker, answer in zip(tasks, workers, answers, strict=True):
                    self._label((task, worker), answer)
                self.spent += price
            case ev.AnswerCorrected(task=task, worker=worker, answer=answer):
                self._check((task, worker) in self.labels, f"{task, worker} was corrected before it was labelled")
                self.labels[task, worker] = answer

    def _lend(self, event):
        pair = event.task, event.worker
        self._check(event.number == len(self.lent), f"assignment {event.number} where {len(self.lent)} belongs")
        self._check(pair not in self.labels, f"{pair} was asked again after it was labelled")
        self._check(pair not in {self.lent[number][:2] for number in self.open}, f"{pair} was lent twice at a time")
        self._check(0.0 < event.propensity <= 1.0, f"propensity {event.propensity}")
        self._check(event.door is None or 0.0 < event.door <= 1.0, f"door {event.door}")
        self.lent.append((*pair, event.price))
        self.open[event.number] = None
        self.reserved += event.price

    def _end(self, number):
        self._check(number in self.open, f"assignment {number} ended twice")
        self.open.pop(number, None)
        self.reserved -= self.lent[number][2]

    def _label(self, pair, answer):
        self._check(pair not in self.labels, f"{pair} was labelled twice")
        self.labels[pair] = answer


def audit(campaign):
    """What an audit of the whole log finds."""
    return Audit().read(campaign.store.read(campaign.row.number))
