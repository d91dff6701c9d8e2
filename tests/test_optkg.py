"""OptKG: the closed forms against quadrature, and the cached selection against a literal one, decision by decision."""

from math import gamma

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import labelbandit as lb
from labelbandit.model.chance import Draw
from labelbandit.policies import beta
from labelbandit.policies.contract import Setup, choose, drop, learn, shares
from labelbandit.policies.openings import all_present
from labelbandit.policies.optkg import OptkgMulti
from labelbandit.policies.registry import policy_from
from labelbandit.policies.sheet import DECLINED, PENDING, blank_sheet, erase, write
from tests.reference.optkg import LiteralOptkg
from tests.worlds import small_worlds

STEPS = np.linspace(-5, 5, 401)
counts = st.floats(0.2, 30.0)
VARIANTS = ["learned", "equal"]

HALF_A_POINT = 2.0**-41
"""Gains are compared as whole numbers of 2^-40."""


def quadrature(low, high, a, b):
    """Nodes and weights for the density of Beta(a, b) on [low, high]: double exponential, for the poles at 0 and 1."""
    up, down = 1 / (1 + np.exp(-np.pi * np.sinh(STEPS))), 1 / (1 + np.exp(np.pi * np.sinh(STEPS)))
    theta, rest = low + (high - low) * up, 1 - high + (high - low) * down
    slope = (high - low) * up * down * np.pi * np.cosh(STEPS) * (STEPS[1] - STEPS[0])
    return theta, slope * theta ** (a - 1) * rest ** (b - 1)


def integral(low, high, a, b):
    return quadrature(low, high, a, b)[1].sum()


@pytest.mark.parametrize(
    ("state", "positive", "after"),
    [
        ((1, 1, 4, 1), True, (1.363636, 0.909091, 4, 1)),
        ((1, 1, 4, 1), False, (0.909091, 1.363636, 4, 1)),
        ((2.3, 1.7, 4, 1), True, (2.761609, 1.630211, 4.145432, 0.989251)),
        ((2.3, 1.7, 4, 1), False, (2.150502, 2.061631, 3.860827, 1.018829)),
    ],
)
def test_the_test_vectors_of_the_specification(state, positive, after):
    a, b, c, d = map(float, state)
    task = beta.task_after(a, b, c, d) if positive else beta.task_after(a, b, d, c)
    worker = beta.worker_after(a, b, c, d) if positive else beta.worker_after(b, a, c, d)
    assert (*task, *worker) == pytest.approx(after, abs=1e-6)


@settings(max_examples=300)
@given(counts, counts, counts, counts, st.booleans())
def test_the_moments_agree_with_quadrature(a, b, c, d, positive):
    theta, p = quadrature(0, 1, a, b)
    rho, q = quadrature(0, 1, c, d)
    likelihood = np.outer(theta, rho) + np.outer(1 - theta, 1 - rho)
    joint = np.outer(p, q) * (likelihood if positive else 1 - likelihood)
    joint /= joint.sum()
    task = beta.task_after(a, b, c, d) if positive else beta.task_after(a, b, d, c)
    worker = beta.worker_after(a, b, c, d) if positive else beta.worker_after(b, a, c, d)
    for (x, y), points, density in ((task, theta, joint.sum(1)), (worker, rho, joint.sum(0))):
        assert min(x, y) > 0
        assert x / (x + y) == pytest.approx(density @ points, abs=1e-9)
        assert x * (x + 1) / ((x + y) * (x + y + 1)) == pytest.approx(density @ points**2, abs=1e-9)


@settings(max_examples=300)
@given(counts, counts)
def test_the_probability_above_one_half_agrees_with_quadrature(a, b):
    wanted = integral(0.5, 1, a, b) / (integral(0, 0.5, a, b) + integral(0.5, 1, a, b))
    assert beta.above_half(a, b) == pytest.approx(wanted, abs=1e-9)
    assert (beta.above_half(a, b) >= 0.5) == (a >= b)
    assert beta.doubt(a, b) == beta.doubt(b, a)


@pytest.mark.parametrize(("a", "b"), [(3, 1), (1, 3), (5, 2), (7, 7), (40, 60), (1000, 1010)])
def test_with_whole_counts_it_is_a_tail_of_coin_tosses(a, b):
    choices, tail = 1, 0
    for heads in range(a + b):
        tail += choices if heads < a else 0
        choices = choices * (a + b - 1 - heads) // (heads + 1)
    assert beta.above_half(float(a), float(b)) == pytest.approx(tail / 2 ** (a + b - 1), abs=1e-11)


@settings(max_examples=500)
@given(counts, counts, counts, counts)
def test_the_gain_is_that_of_the_better_answer_and_a_worker_known_to_be_wrong_is_as_useful(a, b, c, d):
    before = beta.doubt(a, b)
    both = [beta.doubt(*beta.task_after(a, b, c, d)), beta.doubt(*beta.task_after(a, b, d, c))]
    assert beta.gain(a, b, c, d, before) == pytest.approx(before - min(both), abs=HALF_A_POINT)
    assert beta.gain(a, b, d, c, before) == pytest.approx(before - min(both), abs=HALF_A_POINT)


def test_a_label_of_a_task_nothing_is_known_of_says_nothing_of_its_worker():
    assert beta.worker_after(1.7, 1.7, 4.0, 1.0) == (4.0, 1.0)


def test_beliefs_stay_sound_however_one_sided_the_answers():
    a, b, c, d = 1.0, 1.0, 4.0, 1.0
    for step in range(20_000):
        a, b = beta.task_after(a, b, c, d) if step % 50 else (1.4, 0.9)
        c, d = beta.worker_after(a, b, c, d)
        assert min(a, b, c, d) > 0.0
        assert 0.0 <= beta.doubt(a, b) <= 0.5


# Decisions


def setup_of(world):
    context = np.array(world.context, np.int64)
    return Setup(context, max(world.context) + 1, world.workers, 2, world.budget, np.uint64(world.seed))


def begin(world, policy="optkg"):
    state = policy_from(policy).grow(None, setup_of(world))
    return state, all_present(world.workers, blank_sheet(np.array(world.context), world.workers, world.budget), world.pairs())


def literal_of(world, workers, tasks=None):
    tasks = list(range(len(world.context))) if tasks is None else tasks
    return LiteralOptkg(tasks, world.workers, np.uint64(world.seed), workers == "equal", exists=world.exists)


def admit(openings, present):
    openings.present[:] = False
    openings.present[list(present)] = True
    openings.away[0] = openings.present.size - len(present)


def decide(world, state, openings, n):
    admit(openings, world.present(n))
    choice = choose(state, openings, Draw(np.uint64(world.seed), n))
    return None if choice.task < 0 else (choice.task, choice.worker, choice.propensity)


def tell(world, state, openings, chosen, n):
    answer = int(world.answers[chosen[0], chosen[1]])
    write(openings.sheet, chosen[0], chosen[1], answer)
    learn(state, openings, *chosen[:2], answer, chosen[2], Draw(np.uint64(world.seed), n))
    return answer


def assert_same_beliefs(state, literal):
    for i, belief in literal.task.items():
        assert (state.a[i], state.b[i]) == pytest.approx(belief, rel=1e-12)
    for j, belief in literal.worker.items():
        assert (state.c[0, j], state.d[0, j]) == pytest.approx(belief, rel=1e-12)


@pytest.mark.parametrize("workers", VARIANTS)
@settings(max_examples=120)
@given(world=small_worlds())
def test_every_choice_is_that_of_scoring_every_pair(workers, world):
    assume(world.classes == 2)
    state, openings = begin(world, f"optkg:workers={workers}")
    literal = literal_of(world, workers)
    for n in range(world.budget):
        chosen = decide(world, state, openings, n)
        assert chosen == literal.choose(world.present(n), n)
        if chosen:
            literal.learn(*chosen[:2], tell(world, state, openings, chosen, n))
    assert_same_beliefs(state, literal)


@pytest.mark.parametrize("workers", VARIANTS)
@settings(max_examples=80)
@given(world=small_worlds(), data=st.data())
def test_answers_may_be_late_out_of_order_declined_or_never_come(workers, world, data):
    assume(world.classes == 2)
    state, openings = begin(world, f"optkg:workers={workers}")
    literal, waiting = literal_of(world, workers), []
    for n in range(min(world.budget, 40)):
        chosen = decide(world, state, openings, n)
        assert chosen == literal.choose(world.present(n), n)
        if chosen:
            write(openings.sheet, *chosen[:2], PENDING)
            literal.pending[chosen[0]].add(chosen[1])
            waiting.append((chosen, n))
        while waiting and data.draw(st.booleans()):
            (task, worker, propensity), number = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
            fate = data.draw(st.sampled_from(["told", "told", "lapsed", "declined"]))
            if fate == "told":
                literal.learn(task, worker, tell(world, state, openings, (task, worker, propensity), number))
                continue
            literal.pending[task].discard(worker)
            if fate == "lapsed":
                erase(openings.sheet, task, worker)
            else:
                write(openings.sheet, task, worker, DECLINED)
                literal.used[task].add(worker)
            drop(state, openings, task, worker)
    assert_same_beliefs(state, literal)


@pytest.mark.parametrize("workers", VARIANTS)
@settings(max_examples=60)
@given(world=small_worlds(masks=False), data=st.data())
def test_tasks_and_workers_may_join_midway(workers, world, data):
    assume(world.classes == 2)
    tasks, crew = data.draw(st.integers(1, len(world.context))), data.draw(st.integers(1, world.workers))
    bench = lb.Engine(f"optkg:workers={workers}", [0] * tasks, workers=crew, budget=world.budget, seed=world.seed)
    literal = LiteralOptkg(list(range(tasks)), crew, np.uint64(world.seed), workers == "equal")
    join = data.draw(st.integers(0, world.budget))
    for n in range(world.budget):
        if n == join:
            _join(bench, literal, len(world.context) - tasks, world.workers - crew)
        assignment, wanted = bench.ask(), literal.choose(set(range(literal.workers)), bench._asked)
        if assignment is None:
            assert wanted is None
            continue
        answer = int(world.answers[assignment.task, assignment.worker])
        wanted = literal.choose(set(range(literal.workers)), assignment.number)
        assert (assignment.task, assignment.worker, assignment.propensity) == wanted
        bench.tell(assignment, answer)
        literal.learn(assignment.task, assignment.worker, answer)


def _join(bench, literal, tasks, workers):
    if tasks:
        bench.add_tasks([0] * tasks)
    if workers:
        bench.add_workers(workers)
    grown = LiteralOptkg(list(range(len(literal.tasks) + tasks)), literal.workers + workers, literal.seed, literal.equal)
    literal.tasks, literal.workers = grown.tasks, grown.workers
    for mine, new in ((literal.task, grown.task), (literal.worker, grown.worker), (literal.used, grown.used)):
        mine.update({key: value for key, value in new.items() if key not in mine})
    literal.pending.update({key: value for key, value in grown.pending.items() if key not in literal.pending})


@settings(max_examples=120)
@given(small_worlds())
def test_multi_is_one_instance_per_context_with_its_part_of_the_budget(world):
    assume(world.classes == 2)
    state, openings = begin(world, "optkg-multi")
    contexts = range(max(world.context) + 1)
    literals = [literal_of(world, "learned", [i for i, s in enumerate(world.context) if s == here]) for here in contexts]
    for n in range(world.budget):
        if chosen := decide(world, state, openings, n):
            literal = literals[world.context[chosen[0]]]
            assert chosen == literal.choose(world.present(n), n)
            literal.learn(*chosen[:2], tell(world, state, openings, chosen, n))
    _, budgets = OptkgMulti().instances(setup_of(world))
    for here in contexts:
        spent = sum(map(len, literals[here].used.values()))
        assert spent <= budgets[here]
        if not world.absent:
            pairs = sum(len(literals[here].may_take(i, set(range(world.workers)))) for i in literals[here].tasks)
            assert spent == budgets[here] or pairs == 0


@pytest.mark.parametrize(
    ("sizes", "budget", "parts"),
    [([2, 2], 7, [4, 3]), ([5, 3, 2], 10, [5, 3, 2]), ([3, 3, 1], 10, [4, 4, 2]), ([1, 1, 1], 2, [1, 1, 0])],
)
def test_budgets_go_by_the_number_of_tasks_and_the_largest_remainder(sizes, budget, parts):
    context = np.repeat(np.arange(len(sizes)), sizes)
    assert OptkgMulti().instances(Setup(context, len(sizes), 5, 2, budget, np.uint64(0)))[1] == parts


def test_the_instances_of_multi_advance_side_by_side():
    bench = lb.Engine("optkg-multi", [0] * 10 + [1] * 20, workers=5, budget=90)
    for n in range(1, 91):
        bench.tell(bench.ask(), n % 2)
        assert bench._state.spent[0] == pytest.approx(n / 3, abs=1)


def test_an_attached_label_uses_up_no_part_of_the_budget():
    bench = lb.Engine("optkg-multi", [0, 0, 1, 1], workers=3, budget=4)
    bench.attach(0, 0, 1)
    assert bench._state.spent.tolist() == [0, 0]


def test_ties_do_not_go_by_index():
    firsts = [lb.Engine("optkg", [0] * 5, workers=4, budget=9, seed=seed).ask() for seed in range(40)]
    assert len({(first.task, first.worker) for first in firsts}) > 12


def test_a_task_is_undecided_until_someone_labels_it_and_then_has_a_probability():
    bench = lb.Engine("optkg:a=3", [0, 0], workers=2, budget=4)
    assert bench.estimate(0).answer is None
    bench.attach(0, 0, 1)
    assert bench.estimate(0).answer == 1
    votes = np.zeros(2)
    shares(bench._state, bench._openings, 0, votes)
    assert bench.estimate(0).probabilities == tuple(votes)
    assert votes[1] == beta.above_half(*beta.task_after(3.0, 1.0, 4.0, 1.0))


@pytest.mark.parametrize("policy", ["optkg", "optkg-multi", "optkg:workers=equal"])
def test_more_than_two_classes_are_refused_with_what_to_use_instead(policy):
    with pytest.raises(lb.BadInput, match=r"two classes and cannot take 3: use bbta$"):
        lb.Engine(policy, [0, 1], workers=2, budget=5, classes=3)


def test_too_many_pairs_are_refused_with_what_to_use_instead_and_nothing_changes():
    bench = lb.Engine("optkg", [0] * 250, workers=3, budget=5)
    with pytest.raises(lb.BadInput, match=r"250 tasks × 1000000 workers are too many for it: use bbta$"):
        bench.add_workers(999_997)
    assert bench.ask(0, 1, 2).worker in {0, 1, 2}


@pytest.mark.parametrize("policy", ["optkg:a=0", "optkg:b=-1", "optkg-multi:c=0", "optkg:d=1e9"])
def test_a_prior_out_of_range_is_refused(policy):
    with pytest.raises(lb.BadInput, match=policy.replace("1e9", r"1e\+09")):
        policy_from(policy)


def test_the_quadrature_of_these_tests_is_good():
    assert integral(0, 1, 2.5, 0.3) == pytest.approx(gamma(2.5) * gamma(0.3) / gamma(2.8), rel=1e-12)
