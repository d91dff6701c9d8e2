"""Audits: an expert tells at once which way round a context is to be read.

What an expert says of a task that is held to be certain speaks for one of the two readings, and so for all answers there.
"""

from labelbandit.compiled import inner
from labelbandit.model.arrays import Longs
from labelbandit.policies.crossing import Crossing, certainty
from labelbandit.policies.mirror import CLEAR, Mirror, doubt
from labelbandit.policies.openings import Openings, takers
from labelbandit.policies.trust import Trust


@inner
def task_to_audit(mirror: Mirror, crossing: Crossing, trust: Trust, openings: Openings, least: float, scratch: Longs) -> int:
    """The most certain task of the context where an expert sets most answers right, if they are more than this; or -1."""
    found = -1
    for context in range(mirror.lean.size):
        answers = _answers_at_stake(mirror, crossing, context)
        if answers > least:
            task = _most_certain(crossing, trust, openings, context, scratch)
            if task >= 0:
                found, least = task, answers
    return found


@inner
def _answers_at_stake(mirror: Mirror, crossing: Crossing, context: int) -> float:
    """How many answers of an unclear context are to be expected wrong for its being read the wrong way round."""
    lean = mirror.lean[context]
    if abs(lean) >= CLEAR:
        return 0.0
    return float(crossing.labelled[context] * doubt(lean))


@inner
def _most_certain(crossing: Crossing, trust: Trust, openings: Openings, context: int, scratch: Longs) -> int:
    """The most certain task of the context that an expert may take now, or -1."""
    found, most = -1, 0.0
    task = last = crossing.cursor[context]
    while True:
        task = crossing.after[task]
        if certainty(crossing, task) > most and openings.sheet.waiting[task] == 0 and not openings.sheet.closed[task]:
            for index in range(takers(openings, task, False, scratch.size, scratch)):
                if trust.expert[scratch[index]]:
                    found, most = task, certainty(crossing, task)
        if task == last:
            return int(found)
