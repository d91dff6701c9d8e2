"""What a board says to people: estimates, progress and reasons."""

from collections.abc import Iterator, Mapping

import numpy as np

from labelbandit.aggregation.outlook import outlook
from labelbandit.campaign.board import STATES, Board
from labelbandit.campaign.values import Assignment, Estimate, Explanation, Progress
from labelbandit.model.arrays import Floats
from labelbandit.policies.contract import EXPLORING, PLAIN_WHY, Why
from labelbandit.policies.registry import policy_from
from labelbandit.policies.vote import TIE

_WARN_AT = 0.8


def estimates(board: Board, ids: Mapping[int, str]) -> Iterator[tuple[str, Estimate]]:
    """What to believe of every task."""
    if not board.workers:
        for task, id_ in ids.items():
            if task < board.tasks:
                yield id_, _unheard(board, task, id_)
        return
    shares = board.mind.all_shares()
    for task, id_ in ids.items():
        if task < board.tasks:  # someone may have added tasks meanwhile
            yield id_, _estimate(board, task, id_, shares[task])


def estimate(board: Board, task: int, id_: str) -> Estimate:
    """What to believe of one task."""
    return _estimate(board, task, id_, board.mind.shares(task)) if board.workers else _unheard(board, task, id_)


def _unheard(board: Board, task: int, id_: str) -> Estimate:
    even = 1.0 / len(board.classes)
    return Estimate(
        task=id_,
        answer=None,
        probabilities=dict.fromkeys(board.classes, even),
        margin=0.0,
        votes=dict.fromkeys(board.classes, 0),
        closed=bool(board.closed()[task]),
        contested=False,
    )


def _estimate(board: Board, task: int, id_: str, shares: Floats) -> Estimate:
    mind, classes = board.mind, board.classes
    workers, answers = mind.labels_of(task)
    votes = np.bincount(answers, minlength=len(classes))
    spoken = set(answers[board.facts.expert[workers]].tolist())
    if len(spoken) == 1:
        shares = np.zeros(len(classes))
        shares[spoken.pop()] = 1.0
        spoken = {0}
    ranked = np.sort(shares)[::-1]
    decided = votes.any() and ranked[0] - ranked[1] > TIE
    probabilities = shares + (1.0 - shares.sum()) / shares.size
    return Estimate(
        task=id_,
        answer=classes[int(shares.argmax())] if decided else None,
        probabilities=dict(zip(classes, probabilities.tolist(), strict=True)),
        margin=float(ranked[0] - ranked[1]),
        votes=dict(zip(classes, votes.tolist(), strict=True)),
        closed=bool(mind.done[task]),
        contested=len(spoken) > 1,
    )


def progress(board: Board, name: str) -> Progress:
    """Where the campaign stands."""
    expected, low, high = _accuracy(board) if board.tasks and board.workers else (None, None, None)
    heard = board.mind.sheet.heard if board.tasks and board.workers else np.zeros(board.tasks)
    return Progress(
        name=name,
        phase=board.phase,
        policy=board.terms.policy,
        tasks=board.tasks,
        labelled=int(np.count_nonzero(heard)),
        closed=int(np.count_nonzero(board.closed())),
        workers=board.workers,
        labels=board.labels,
        open=len(board.open),
        budget=board.terms.budget,
        spent=board.spent,
        reserved=board.reserved,
        currency=board.terms.currency,
        warnings=tuple(_warnings(board)),
        expected_accuracy=expected,
        accuracy_low=low,
        accuracy_high=high,
        target=board.terms.target,
        saved=board.remaining if board.tasks and (board.has_enough() or board.closed().all()) else None,
    )


def _accuracy(board: Board) -> tuple[float, float, float]:
    """How many of the estimates are right: to expect, and between what bounds."""
    probabilities, labels = board.mind.all_probabilities(), board.mind.sheet.heard
    likely = outlook(probabilities, labels, board.facts.context, board.mind.doubts(board.contexts))
    return float(probabilities.max(axis=1).mean()), likely.low, likely.high


def _warnings(board: Board) -> Iterator[str]:
    used, budget = board.spent + board.reserved, board.terms.budget
    if used >= budget:
        yield f"the budget of {budget} is used up: amend it to go on"
    elif used >= _WARN_AT * budget:
        yield f"{100 * used // budget} % of the budget of {budget} is used"
    if board.tasks and board.workers:
        yield from board.mind.notes


def explain(board: Board, assignment: Assignment, present: tuple[str, ...] | None, policy: str) -> Explanation:
    """Why it was made: read off what was noted with it."""
    row = {name: column[assignment.number] for name, column in board.assignments.arrays.items()}
    door = None if np.isnan(row["door"]) else float(row["door"])
    exploring = bool(row["phase"] == EXPLORING)
    why: Why = getattr(policy_from(policy), "why", PLAIN_WHY)
    if why.expert and board.facts.expert[row["worker"]]:
        why = why._replace(adapting=why.expert)
    return Explanation(
        assignment=assignment,
        state=STATES[row["state"]],
        phase="exploring" if exploring else "adapting",
        score=float(row["score"]),
        propensity=float(row["propensity"]),
        door=door,
        present=present,
        policy=policy,
        sentences=tuple(_reasons(assignment, why, exploring=exploring, score=float(row["score"]), door=door, present=present)),
    )


def _reasons(
    assignment: Assignment, why: Why, *, exploring: bool, score: float, door: float | None, present: tuple[str, ...] | None
) -> Iterator[str]:
    about = {"score": score, "kind": _kind(assignment)}
    first = (why.exploring if exploring else why.adapting).format(**about)
    yield f"Of the tasks {assignment.worker!r} could take, {assignment.task!r} came first: {first}."
    how = (why.explorer if exploring else why.worker).format(**about)
    if door is not None:
        yield f"{assignment.worker!r} came alone and was let in with probability {door:.3f}: {how}."
    else:
        among = "everyone enrolled" if present is None else f"{len(present)} present"
        yield f"{assignment.worker!r} was chosen among {among} with probability {assignment.propensity:.3f}: {how}."


def _kind(assignment: Assignment) -> str:
    return f"tasks of the context {assignment.context!r}" if assignment.context else "such tasks"
