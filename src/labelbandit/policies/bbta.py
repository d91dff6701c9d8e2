"""BBTA, bandit-based task assignment (Zhang, Ma, Sugiyama: Neural Computation 27(11), 2015), Algorithm 1.

Pure exploration asks everyone about a few tasks of each context. Then, answer by answer: pick the task whose weighted vote is
least confident, draw a worker by exponential weights learned per context, and score the answer against the weighted vote.
Line numbers are those of Algorithm 1; where it leaves a question open, docs/decisions/0002 says how it is settled.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from labelbandit.compiled import compiled, inner, whole
from labelbandit.model.arrays import Floats
from labelbandit.model.chance import Draw, Purpose, uniform
from labelbandit.model.checks import number, whole_number
from labelbandit.policies import confidence, door, exploration, frontier, pool, weights
from labelbandit.policies.confidence import ANY
from labelbandit.policies.contract import ADAPTING, EXPLORING, NO_CHOICE, NOBODY, Choice, Rule, Setup, Why, follow
from labelbandit.policies.em_vote import EmVoteState, with_em_vote
from labelbandit.policies.openings import Openings, takers, used_up
from labelbandit.policies.sleeping import charge_the_asleep
from labelbandit.policies.vote import TIE, tally, top_two, winner

RANDOM = 2
_PICKS = {"margin": confidence.MARGIN, "least-confidence": confidence.LEAST_CONFIDENCE, "random": RANDOM}
_WORKER, _VOTE, _DOOR = int(Purpose.WORKER), int(Purpose.VOTE), int(Purpose.DOOR)
_MOST_TRIES = 2**12
"""Contexts a caller is tried in with lots of their own."""


class Variant(NamedTuple):
    """In what the rule differs from the paper's, if in anything."""

    uniform_draw: bool
    implicit: bool
    charge_asleep: bool
    scale: float


class BbtaState(NamedTuple):
    """What BBTA knows."""

    variant: Variant
    scoring: confidence.Scoring
    exploration: exploration.Exploration
    weights: weights.Weights
    frontier: frontier.Frontier
    pool: pool.Pool
    line: door.Line


@compiled
def choose(state: BbtaState, openings: Openings, draw: Draw) -> Choice:
    """Explore while someone present has explored tasks left; then adapt."""
    task, worker = exploration.next_pair(state.exploration, openings, state.scoring.workers)
    if task >= 0:
        return Choice(task, worker, 1.0, 0.0, EXPLORING)
    _weigh_all(state, openings)
    task, score = _pick_task(state, openings, draw)
    if task < 0:
        return NO_CHOICE
    worker, propensity = _draw_worker(state, openings, task, draw)
    return Choice(task, worker, propensity, score, ADAPTING)


@inner
def _pick_task(state: BbtaState, openings: Openings, draw: Draw) -> tuple[int, float]:
    """Line 17: the task with the lowest confidence score."""
    scoring = state.scoring
    if scoring.kind == RANDOM:
        task = pool.draw_task(state.pool, openings, scoring.repeats, draw, scoring.workers)
        return task, 0.0
    best = confidence.least_confident(state.frontier, state.weights, scoring, openings, ANY)
    return best.task, best.points / confidence.POINTS


@inner
def _draw_worker(state: BbtaState, openings: Openings, task: int, draw: Draw) -> tuple[int, float]:
    """Lines 18 to 20: the next step of the context, its learning rate, and a draw among those who may take the task."""
    may, context = state.scoring.workers, state.scoring.context[task]
    count = takers(openings, task, state.scoring.repeats, may.size, may)
    rate = 0.0 if state.variant.uniform_draw else weights.learning_rate(state.weights, state.weights.steps[context] + 1)
    return weights.draw_worker(state.weights, context, rate, may, count, uniform(draw, _WORKER, 0))


@compiled
def greet(state: BbtaState, openings: Openings, in_reach: Openings, arrivals: Floats, draw: Draw) -> tuple[Choice, float]:
    """Someone comes alone. Explored tasks first; else, context by context, open the door by weight against those in reach."""
    task, worker = exploration.next_pair(state.exploration, openings, state.scoring.workers)
    if task >= 0:
        return Choice(task, worker, 1.0, 0.0, EXPLORING), 1.0
    _weigh_all(state, openings)
    if state.scoring.kind == RANDOM:
        task = pool.draw_task(state.pool, openings, False, draw, state.scoring.workers)
        return _knock(state, openings, in_reach, arrivals, task, 0.0, 0, draw)
    door.line_up(state.line, state.frontier, state.weights, state.scoring, openings)
    for tries in range(state.line.task.size):
        first = door.first_in_line(state.line)
        score = first.points / confidence.POINTS
        choice, alpha = _knock(state, openings, in_reach, arrivals, first.task, score, tries, draw)
        if first.task < 0 or choice.task >= 0:
            return choice, alpha
        state.line.task[state.scoring.context[first.task]] = -1
    return NO_CHOICE, 0.0


@inner
def _knock(
    state: BbtaState, openings: Openings, in_reach: Openings, arrivals: Floats, task: int, score: float, tries: int, draw: Draw
) -> tuple[Choice, float]:
    """Open the door with the probability that the caller's weight deserves."""
    if task < 0:
        return NO_CHOICE, 0.0
    takers(openings, task, False, 1, state.scoring.workers)
    caller, context = whole(state.scoring.workers[0]), state.scoring.context[task]
    rate = 0.0 if state.variant.uniform_draw else weights.learning_rate(state.weights, state.weights.steps[context] + 1)
    alpha, propensity = door.opening(state.weights, rate, state.scoring, in_reach, arrivals, task, caller)
    if uniform(draw, _DOOR, caller * _MOST_TRIES + min(tries, _MOST_TRIES - 1)) < alpha:
        return Choice(task, caller, propensity, score, ADAPTING), alpha
    return NO_CHOICE, 0.0


@compiled
def learn(state: BbtaState, openings: Openings, task: int, worker: int, answer: int, propensity: float, draw: Draw) -> None:
    """Score the answer against the vote and charge the worker; the context is weighed anew before the next choice."""
    context, charged = state.scoring.context[task], NOBODY
    loss = state.weights.loss[context]
    if state.exploration.chosen[task]:
        votes, scale = state.scoring.votes, state.variant.scale
        exploration.settle(state.exploration, openings, task, worker, loss, votes, draw, scale)
        charged = weights.SEVERAL
    else:
        state.weights.steps[context] += 1  # line 18
        differs = _judge(state, openings, task, draw) != answer  # lines 19 and 21
        if state.weights.memory < weights.EVERYTHING:
            weights.fade(state.weights, context)
        if differs:
            charged = _charge(state, openings, task, worker, propensity)
        _file(state, openings, task)
    weights.outdate(state.weights, context, task, charged)


@inner
def _charge(state: BbtaState, openings: Openings, task: int, worker: int, propensity: float) -> int:
    """Line 22, and who was charged. Implicit exploration (Neu, NIPS 2015) adds half the learning rate to the propensity."""
    context, variant = state.scoring.context[task], state.variant
    loss = state.weights.loss[context]
    if variant.implicit:
        propensity += weights.learning_rate(state.weights, state.weights.steps[context]) / 2.0
    loss[worker] += 1.0 / propensity
    if variant.charge_asleep:
        charge_the_asleep(openings, task, worker, state.scoring.repeats, loss)
        return weights.SEVERAL
    return worker


@inner
def _judge(state: BbtaState, openings: Openings, task: int, draw: Draw) -> int:
    """What the answer is scored against: equation 1 with the weights of this moment, the new label included; or the truth."""
    if state.exploration.gold[task] >= 0:
        return whole(state.exploration.gold[task])
    scale, votes = state.weights, state.scoring.votes
    context, total = state.scoring.context[task], float(state.weights.scratch.size)
    weights.weigh_labellers(scale, context, openings.sheet, task)
    tally(openings.sheet, task, scale.scratch, votes)
    top, second = top_two(votes)
    if top - second <= TIE * total:  # nobody weighs more than 1, so only then does a tie hang on the true total
        total = weights.weigh_context(scale, context)
    return winner(votes, total, draw, _VOTE)


@inner
def _weigh_all(state: BbtaState, openings: Openings) -> None:
    for context in range(state.weights.stale.size):
        _weigh(state, openings, context)


@inner
def _weigh(state: BbtaState, openings: Openings, context: int) -> None:
    """Line 23: the weights after the latest answers, and how far the scores of the context may have fallen."""
    if not state.weights.stale[context]:
        return
    charged, labelled = whole(state.weights.charged[context]), whole(state.weights.labelled[context])
    total = weights.weigh_context(state.weights, context)
    fall, own_fall = weights.adopt(state.weights, context, total, max(charged, NOBODY))
    state.frontier.drift[context] += fall
    if charged >= 0:
        frontier.let_fall(state.frontier, context, openings.sheet, charged, own_fall)
    if labelled >= 0 and frontier.is_scored(state.frontier, labelled):
        score = confidence.confidence(state.scoring, state.weights, openings.sheet, labelled)
        frontier.put_scored(state.frontier, context, labelled, score)


@compiled
def drop(state: BbtaState, openings: Openings, task: int, worker: int) -> None:
    """The task no longer waits for this worker."""
    if not state.exploration.chosen[task]:
        _file(state, openings, task)


@inner
def _file(state: BbtaState, openings: Openings, task: int) -> None:
    """Put the task where it belongs now; lines 24 to 26 leave out those labelled by all workers."""
    context = state.scoring.context[task]
    if used_up(openings, task, state.scoring.repeats):
        frontier.take_out(state.frontier, task)
        pool.leave(state.pool, task)
        return
    pool.enter(state.pool, task)
    if openings.sheet.heard[task] == 0:
        frontier.put_fresh(state.frontier, task)
    else:
        frontier.put_unscored(state.frontier, context, task)


@compiled
def shares(state: BbtaState, openings: Openings, task: int, out: Floats) -> None:
    """Equation 1, class by class."""
    context = state.scoring.context[task]
    _weigh(state, openings, context)
    tally(openings.sheet, task, state.weights.weight[context], out)
    out /= state.weights.total[context]


follow(BbtaState, Rule(choose, learn, drop, shares, greet))


@dataclass(frozen=True, slots=True)
class Bbta:
    """Bandit-based task assignment, the method of the paper."""

    name: ClassVar[str] = "bbta"
    why: ClassVar[Why] = Why(
        exploring="it is one of the few that everyone is asked, to learn who is good at {kind}",
        adapting="its weighted vote was the least confident, with a score of {score:.3f}",
        explorer="everyone is asked about it",
        worker="drawn by weight: the less often someone differed from the votes on {kind}, the likelier",
    )
    explore: int = 1
    """N': how many tasks of each context everyone is asked first."""
    repeats: bool = False
    """Read Algorithm 1 to the letter: a worker may be drawn again for a task they labelled."""
    pick: Literal["margin", "least-confidence", "random"] = "margin"
    """How the next task is picked: by top share less second share (the paper), by top share, or at random."""
    draw: Literal["weighted", "uniform"] = "weighted"
    """How the worker is drawn: by exponential weights (the paper) or, as a control, uniformly; votes are weighted alike."""
    loss: Literal["importance", "implicit"] = "importance"
    """What a differing answer is charged: 1 / propensity (the paper), or less for the improbable (implicit exploration)."""
    asleep: Literal["spared", "charged"] = "spared"
    """Whether those who could not be asked, having labelled the task, are spared (the paper) or charged the policy's loss."""
    scale: float = 1.0
    """How many losses one in exploration counts for: 1 in the paper; as many as there are workers favours small budgets."""
    memory: int = 0
    """How many answers of a context count, older losses fading, for workers who change; 0 is all of them (the paper)."""
    vote: Literal["weights", "em"] = "weights"
    """What makes the final answers: the weighted vote (the paper), or one-coin EM over the labels of each context."""

    def __post_init__(self) -> None:
        whole_number("bbta:explore={}", self.explore, 0)
        number("bbta:scale={}", self.scale, 0.0, 1e6)
        whole_number("bbta:memory={}", self.memory, 0, 10**9)

    def notes(self, setup: Setup) -> list[str]:
        """Say what the budget does not allow."""
        explore = exploration.affordable(self.explore, setup)
        if explore == self.explore:
            return []
        wish = f"explore={self.explore} asks all {setup.workers} workers about {self.explore} tasks of each context"
        return [f"{wish}, more than the budget of {setup.budget} labels pays for: explore={explore} is used instead"]

    def grow(self, state: Any, setup: Setup) -> BbtaState | EmVoteState:
        """Make room for whoever and whatever joins; those who were there keep what was learned of them."""
        if self.vote == "weights":
            return self.grow_rule(state, setup)
        return with_em_vote(state, self.grow_rule(state.voter if state else None, setup), setup)

    def grow_rule(self, state: BbtaState | None, setup: Setup) -> BbtaState:
        """The same for the rule itself, whatever makes the final answers."""
        old = state or self._blank()
        known_tasks, known_workers = old.scoring.context.size, old.scoring.workers.size
        grown = BbtaState(
            variant=self._variant(),
            scoring=self._scoring(setup),
            exploration=exploration.with_room_for(old.exploration, setup),
            weights=weights.with_newcomers(old.weights, setup.contexts, setup.workers),
            frontier=frontier.with_room_for(old.frontier, setup),
            pool=pool.with_room_for(old.pool, setup.tasks),
            line=door.empty_line(setup.contexts),
        )
        affordable = exploration.affordable(self.explore, setup)
        exploration.explore_more(grown.exploration, grown.frontier.rank, known_tasks, affordable, setup)
        _admit(grown, known_tasks, setup.workers > known_workers)
        return grown

    def _blank(self) -> BbtaState:
        nothing = Setup(np.zeros(0, np.int64), 0, 0, 0, 0, np.uint64(0))
        return BbtaState(
            variant=self._variant(),
            scoring=self._scoring(nothing),
            exploration=exploration.no_exploration(0, 0),
            weights=weights.even_weights(0, 0, self.memory or weights.EVERYTHING),
            frontier=frontier.empty_frontier(),
            pool=pool.empty_pool(0),
            line=door.empty_line(0),
        )

    def _variant(self) -> Variant:
        return Variant(
            uniform_draw=self.draw == "uniform",
            implicit=self.loss == "implicit",
            charge_asleep=self.asleep == "charged",
            scale=float(self.scale),
        )

    def _scoring(self, setup: Setup) -> confidence.Scoring:
        return confidence.Scoring(
            context=setup.context,
            kind=_PICKS[self.pick],
            repeats=self.repeats,
            votes=np.zeros(setup.classes),
            workers=np.zeros(setup.workers, np.int64),
        )


@compiled
def _admit(state: BbtaState, known_tasks: int, newcomers: bool) -> None:
    """Enter new tasks as unlabelled; with new workers, tasks that were used up are open again, at a score yet to be found."""
    for task in range(state.scoring.context.size):
        if state.exploration.chosen[task]:
            continue
        if task >= known_tasks:
            pool.enter(state.pool, task)
            frontier.put_fresh(state.frontier, task)
        elif newcomers and state.pool.slot[task] < 0:
            pool.enter(state.pool, task)
            frontier.put_unscored(state.frontier, state.scoring.context[task], task)
