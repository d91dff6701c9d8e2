"""IEThresh and CrowdSense: subsets of workers for each task in turn, as their literal transcriptions have it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import labelbandit as lb
from labelbandit.model.chance import Draw
from labelbandit.policies.contract import choose
from labelbandit.policies.crowdsense import CrowdSense
from labelbandit.policies.iethresh import IEThresh
from labelbandit.policies.registry import policy_from
from labelbandit.policies.student import critical_values
from labelbandit.simulation.world import answer_of
from tests.passes import run_both
from tests.reference.crowdsense import LiteralCrowdSense
from tests.reference.iethresh import LiteralIEThresh, critical
from tests.worlds import SmallWorld, small_worlds

BOTH = ["iethresh", "crowdsense"]
limits = st.fixed_dictionaries(
    {"alpha": st.sampled_from([0.05, 0.2]), "threshold": st.sampled_from([0.0, 0.5, 0.8, 0.9, 0.95, 1.0])}
)
closeness = st.fixed_dictionaries(
    {"smoothing": st.sampled_from([1.0, 2.5, 100.0]), "threshold": st.sampled_from([-1.0, 0.0, 0.05, 0.1, 0.2, 1.0])}
)


def large_world(classes, seed, tasks=60, workers=12):
    made = lb.make_world("malicious", tasks, workers, 3, classes, seed)
    answers = np.array([[answer_of(made, i, j) for j in range(workers)] for i in range(tasks)])
    return SmallWorld(made.context.tolist(), workers, classes, tasks * workers, seed, answers, None, [])


def decliners(data, world):
    share = data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    return {(i, j) for i in range(len(world.context)) for j in range(world.workers) if rng.random() < share}


@settings(max_examples=200)
@given(small_worlds(), limits, st.data())
def test_every_step_is_iethreshs(world, parameters, data):
    literal = LiteralIEThresh(world, **parameters)
    state, _ = run_both(world, IEThresh(**parameters), literal, decliners(data, world))
    assert state.rewards.tolist() == [len(each) for each in literal.rewards]
    assert state.agreed.tolist() == [sum(each) for each in literal.rewards]


@settings(max_examples=200)
@given(small_worlds(), closeness, st.data())
def test_every_step_is_crowdsenses(world, parameters, data):
    literal = LiteralCrowdSense(world, **parameters)
    state, _ = run_both(world, CrowdSense(**parameters), literal, decliners(data, world))
    assert (state.agreed.tolist(), state.labels.tolist()) == (literal.a, literal.c)
    assert state.quality.tolist() == [literal.quality(j) for j in range(world.workers)]


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("threshold", [0.8, 0.9, 0.95, 1.0])
def test_iethresh_stays_with_its_transcription_over_many_tasks(classes, threshold):
    world = large_world(classes, seed=classes)
    _, asked = run_both(world, IEThresh(threshold=threshold), LiteralIEThresh(world, threshold=threshold))
    assert asked < world.budget


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("threshold", [-1.0, 0.0, 0.1, 0.2])
def test_crowdsense_stays_with_its_transcription_over_many_tasks(classes, threshold):
    world = large_world(classes, seed=classes)
    literal = LiteralCrowdSense(world, 4.0, threshold)
    _, asked = run_both(world, CrowdSense(smoothing=4.0, threshold=threshold), literal)
    assert 3 * 60 <= asked < world.budget
    assert threshold != -1.0 or asked == 3 * 60


@pytest.mark.parametrize(("policy", "literal"), [(IEThresh, LiteralIEThresh), (CrowdSense, LiteralCrowdSense)])
def test_a_budget_smaller_than_the_pass_cuts_it_off(policy, literal):
    world = replace(large_world(2, seed=1), budget=100)
    _, asked = run_both(world, policy(), literal(world))
    assert asked == 100


def finish(bench, answers, held=(), pick=lambda held: 0, parallel=1):
    """Ask and tell until nothing more is to be had, with so many open assignments at most."""
    held, asked = list(held), []
    while True:
        lent = bench.ask() if len(held) < parallel else None
        if lent:
            held.append(lent)
            asked.append((lent.task, lent.worker))
        elif held:
            told = held.pop(pick(held))
            bench.tell(told, int(answers[told.task, told.worker]))
        else:
            return asked


@settings(max_examples=60)
@given(st.sampled_from([*BOTH, "crowdsense:threshold=0.2,smoothing=3.0"]), st.integers(2, 8), st.integers(0, 9), st.randoms())
def test_the_order_in_which_answers_arrive_does_not_matter(policy, parallel, seed, chance):
    world = large_world(3, seed, tasks=15, workers=7)
    benches = [lb.Engine(policy, world.context, workers=7, budget=1000, classes=3, seed=seed) for _ in range(2)]
    in_turn = finish(benches[0], world.answers)
    late = finish(benches[1], world.answers, pick=lambda held: chance.randrange(len(held)), parallel=parallel)
    assert sorted(in_turn) == sorted(late)
    assert [benches[0].estimate(i) for i in range(15)] == [benches[1].estimate(i) for i in range(15)]


def test_iethresh_asks_its_whole_plan_in_parallel_and_then_waits():
    bench = lb.Engine("iethresh", [0, 0], workers=5, budget=50)
    lent = [bench.ask() for _ in range(5)]
    assert {each.worker for each in lent} == set(range(5))
    assert len({each.task for each in lent}) == 1
    assert bench.ask() is None
    for each in lent[:4]:
        bench.tell(each, 1)
    assert bench.ask() is None
    bench.tell(lent[4], 0)
    following = bench.ask()
    assert following.task != lent[0].task
    assert following.worker != lent[4].worker


def test_crowdsense_asks_three_in_parallel_and_others_only_when_those_have_answered():
    bench = lb.Engine("crowdsense", [0, 0], workers=6, budget=50)
    lent = [bench.ask() for _ in range(3)]
    assert [each.propensity for each in lent] == [1.0, 1.0, 1 / 4]
    assert bench.ask() is None
    for each, answer in zip(lent, (0, 1, 1), strict=True):
        bench.tell(each, answer)
    fourth = bench.ask()
    assert fourth.task == lent[0].task
    assert bench.ask() is None
    bench.tell(fourth, 0)
    assert bench.ask().task == lent[0].task


@pytest.mark.parametrize("policy", BOTH)
def test_a_lapsed_assignment_is_made_again_and_a_declined_one_is_not(policy):
    bench = lb.Engine(policy, [0], workers=3, budget=50)
    first = bench.ask()
    bench.lapse(first)
    again = bench.ask()
    assert (again.task, again.worker) == (first.task, first.worker)
    bench.decline(again)
    others = [bench.ask(), bench.ask()]
    assert {each.worker for each in (first, *others)} == {0, 1, 2}
    assert bench.ask() is None


@pytest.mark.parametrize("policy", BOTH)
def test_a_task_that_everyone_declines_is_left_without_an_answer(policy):
    bench = lb.Engine(policy, [0, 0], workers=3, budget=50)
    first = bench.ask()
    bench.decline(first)
    for _ in range(2):
        bench.decline(bench.ask())
    assert bench.estimate(first.task).answer is None
    assert bench.ask().task == 1 - first.task


@pytest.mark.parametrize("policy", BOTH)
def test_the_pass_waits_for_a_planned_worker_who_is_away(policy):
    bench = lb.Engine(policy, [0, 0], workers=3, budget=50)
    first = bench.ask(0, 1)
    bench.tell(first, 1)
    second = bench.ask(0, 1)
    bench.tell(second, 1)
    assert {first.worker, second.worker} == {0, 1}
    assert bench.ask(0, 1) is None
    assert bench.ask(2).task == first.task


@pytest.mark.parametrize("policy", BOTH)
def test_newcomers_start_as_everyone_did_and_tasks_behind_stay_finished(policy):
    bench = lb.Engine(policy, [0] * 6, workers=4, budget=500)
    finish(bench, np.ones((6, 4)))
    assert bench.ask() is None
    bench.add_workers(2)
    assert bench.ask() is None
    known = [bench.estimate(i) for i in range(6)] if policy == "crowdsense" else None
    bench.add_tasks([0, 1, 1])
    asked = finish(bench, np.ones((9, 6)))
    assert {task for task, _ in asked} == {6, 7, 8}
    assert {4, 5} & {worker for _, worker in asked}
    assert known is None or known == [bench.estimate(i) for i in range(6)]


@pytest.mark.parametrize("policy", BOTH)
def test_the_task_in_hand_stays_in_hand_when_tasks_join(policy):
    for seed in range(5):
        bench = lb.Engine(policy, [0, 0], workers=4, budget=500, seed=seed)
        first = bench.ask()
        bench.add_tasks([0] * 20)
        assert bench.ask().task == first.task


@settings(max_examples=60)
@given(st.sampled_from(BOTH), st.data())
def test_whoever_joins_or_leaves_every_task_is_visited_in_the_end(policy, data):
    bench, held = lb.Engine(policy, [0] * 3, workers=2, budget=10_000), []
    for _ in range(30):
        match data.draw(st.sampled_from(["ask", "ask", "tell", "decline", "lapse", "attach", "task", "worker"])):
            case "ask":
                if lent := bench.ask(*data.draw(st.sets(st.integers(0, 1)))):
                    held.append(lent)
            case "attach":
                pair = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 1))
                if not bench._openings.sheet.size[pair[0]]:
                    bench.attach(*pair, 1)
            case "task":
                bench.add_tasks([0])
            case "worker":
                bench.add_workers(1)
            case verb if held:
                chosen = held.pop(data.draw(st.integers(0, len(held) - 1)))
                getattr(bench, verb)(chosen, *([data.draw(st.integers(0, 1))] if verb == "tell" else []))
    tasks, workers = bench._setup.tasks, bench._setup.workers
    finish(bench, np.zeros((tasks, workers)), held)
    assert bench._state.visits.place[0] == tasks
    assert (bench._openings.sheet.size > 0).all()


@pytest.mark.parametrize("policy", BOTH)
def test_asking_again_without_writing_the_choice_gives_the_same_choice(policy):
    bench = lb.Engine(policy, [0] * 8, workers=5, budget=500)
    for n in range(12):
        bench.tell(bench.ask(), n % 2)
    draws = [Draw(bench._setup.seed, n) for n in range(3)]
    assert len({choose(bench._state, bench._openings, draw) for draw in draws}) == 1


def test_a_label_attached_to_a_finished_task_joins_its_verdict():
    bench = lb.Engine("crowdsense:threshold=-1.0", [0], workers=5, budget=50)
    asked = finish(bench, np.ones((1, 5)))
    before = bench.estimate(0)
    bench.attach(0, next(j for j in range(5) if (0, j) not in asked), 0)
    after = bench.estimate(0)
    assert after.answer == before.answer == 1
    assert after.margin < before.margin


def test_the_order_of_the_workers_in_the_file_decides_nothing():
    firsts = {policy: set() for policy in BOTH}
    for seed in range(60):
        for policy in BOTH:
            firsts[policy].add(lb.Engine(policy, [0, 0], workers=4, budget=9, seed=seed).ask().worker)
    assert firsts == {policy: {0, 1, 2, 3} for policy in BOTH}


def test_the_outsider_is_uniform_among_the_rest():
    counts = np.zeros(6)
    for seed in range(600):
        bench = lb.Engine("crowdsense", [0], workers=6, budget=9, seed=seed)
        counts[[bench.ask() for _ in range(3)][2].worker] += 1
    assert abs(counts - 100).max() < 4.5 * 100**0.5


def test_critical_values_are_those_of_the_tables():
    table = critical_values(0.05, 100_000)
    known = {
        1: 12.706205,
        2: 4.302653,
        5: 2.570582,
        10: 2.228139,
        30: 2.042272,
        120: 1.979930,
        1000: 1.962339,
        100_000: 1.959988,
    }
    for freedom, value in known.items():
        assert table[freedom] == pytest.approx(value, abs=6e-7)
    assert critical_values(0.01, 10)[10] == pytest.approx(3.169273, abs=6e-7)
    assert critical_values(0.05, 1).size == 2


def test_critical_values_agree_with_integration_and_fall_without_a_jump():
    for alpha in (0.01, 0.05, 0.5):
        table = critical_values(alpha, 400)
        for freedom in (1, 2, 3, 4, 7, 20, 50, 150):
            assert table[freedom] == pytest.approx(critical(alpha, freedom), rel=1e-8)
        steps = np.diff(table[250:])
        assert (steps < 0).all()
        assert (np.diff(steps) > 0).all()


BAD = [
    ("iethresh:alpha=0.0", "0.0"),
    ("iethresh:alpha=2.0", "2.0"),
    ("iethresh:threshold=1.5", "1.5"),
    ("crowdsense:smoothing=0.0", "0.0"),
    ("crowdsense:smoothing=-1", "-1.0"),
    ("crowdsense:threshold=7", "7.0"),
    ("crowdsense:threshold=nan", "nan"),
]


@pytest.mark.parametrize(("text", "named"), BAD)
def test_parameters_out_of_range_are_refused_in_a_sentence(text, named):
    with pytest.raises(lb.BadInput) as refused:
        policy_from(text)
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)
