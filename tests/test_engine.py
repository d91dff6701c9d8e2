"""The engine: ask and tell, one at a time."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import labelbandit as lb
from labelbandit.model.chance import Draw, run_seed
from labelbandit.policies.contract import choose
from labelbandit.policies.engine import Assignment
from labelbandit.policies.openings import all_present
from labelbandit.policies.registry import policy_from
from labelbandit.policies.sheet import blank_sheet
from labelbandit.simulation.run import setup_for
from labelbandit.simulation.world import answer_of
from tests.passes import play_out

TWO_CLASSES = ["optkg", "optkg:workers=equal", "optkg-multi"]
POLICIES = [
    "random",
    "bbta",
    "bbta:explore=0",
    "bbta:pick=least-confidence",
    "bbta:pick=random",
    "bbta:draw=uniform",
    "crosscheck",
    "crosscheck:explore=0,frequencies=no,errors=alike,share=no",
    *TWO_CLASSES,
]


def engine(policy="bbta", tasks=6, contexts=2, **given):
    given = {"workers": 4, "budget": 100} | given
    return lb.Engine(policy, [task % contexts for task in range(tasks)], **given)


def exhaust(engine, answer=0):
    told = []
    while assignment := engine.ask():
        engine.tell(assignment, answer)
        told.append(assignment)
    return told


@pytest.mark.parametrize("policy", POLICIES)
def test_the_budget_is_spent_and_never_exceeded(policy):
    told = exhaust(bench := engine(policy, budget=17))
    assert len(told) == bench.spent == 17
    assert bench.ask() is None


@pytest.mark.parametrize("policy", POLICIES)
def test_no_worker_labels_a_task_twice_and_all_pairs_are_asked_if_the_money_lasts(policy):
    told = exhaust(engine(policy, budget=1000))
    assert sorted((each.task, each.worker) for each in told) == [(i, j) for i in range(6) for j in range(4)]


@pytest.mark.parametrize("policy", POLICIES)
def test_open_assignments_are_reserved_from_the_budget(policy):
    bench = engine(policy, budget=3)
    held = [bench.ask() for _ in range(3)]
    assert bench.ask() is None
    bench.decline(held[0])
    assert bench.reserved == 2
    assert bench.ask() is not None


@pytest.mark.parametrize("policy", POLICIES)
def test_only_those_present_are_asked(policy):
    bench = engine(policy)
    workers = {bench.ask(1, 3).worker for _ in range(12)}
    assert workers == {1, 3}
    assert bench.ask(1, 3) is None
    assert bench.ask(0).worker == 0


@pytest.mark.parametrize("policy", POLICIES)
def test_a_declined_pair_is_not_asked_again_but_a_lapsed_one_may_be(policy):
    bench = engine(policy, tasks=1, contexts=1, workers=1)
    bench.lapse(bench.ask())
    bench.decline(bench.ask())
    assert bench.ask() is None


@pytest.mark.parametrize("policy", ["random", "bbta:explore=0", "bbta:explore=0,pick=random", *TWO_CLASSES])
def test_a_task_that_waits_is_not_handed_out_while_another_waits_for_nobody(policy):
    bench = engine(policy)
    assert {bench.ask().task for _ in range(6)} == set(range(6))


@pytest.mark.parametrize("policy", POLICIES)
def test_the_engine_and_the_simulator_make_the_same_decisions(policy):
    classes = 2 if policy in TWO_CLASSES else 3
    world = lb.make_world("malicious", 40, 6, 3, classes, run_seed(5, 1))
    setup = setup_for(world, 150)
    spec = policy_from(policy)
    state, openings = spec.grow(None, setup), all_present(6, blank_sheet(world.context, 6, 150))
    play_out(state, openings, world, 150)
    bench = lb.Engine(spec, world.context, workers=6, classes=classes, budget=150, seed=int(world.seed))
    while assignment := bench.ask():
        bench.tell(assignment, answer_of(world, assignment.task, assignment.worker))
    live = bench._openings.sheet
    for entry in range(150):
        assert openings.sheet.diary_task[entry] == live.diary_task[entry]
    assert np.array_equal(openings.sheet.latest, live.latest)
    assert np.array_equal(openings.sheet.diary_before[:150], live.diary_before[:150])


@pytest.mark.parametrize("policy", POLICIES)
def test_asking_again_without_writing_the_choice_gives_the_same_choice(policy):
    bench = engine(policy)
    for _ in range(10):
        bench.tell(bench.ask(), 1)
    draw = Draw(bench._setup.seed, bench._asked)
    assert len({choose(bench._state, bench._openings, draw) for _ in range(3)}) == 1


def test_the_first_label_decides_and_more_labels_make_it_surer():
    bench = engine("bbta:explore=0", tasks=1, contexts=1, workers=3, classes=3)
    assert bench.estimate(0).answer is None
    assert bench.estimate(0).probabilities == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    seen = []
    for _ in range(3):
        bench.tell(bench.ask(), 2)
        seen.append(bench.estimate(0))
    assert [estimate.answer for estimate in seen] == [2, 2, 2]
    assert [estimate.votes for estimate in seen] == [(0, 0, 1), (0, 0, 2), (0, 0, 3)]
    assert seen[0].margin < seen[1].margin < seen[2].margin == pytest.approx(1.0)
    assert all(sum(estimate.probabilities) == pytest.approx(1.0) for estimate in seen)


def test_confidence_is_1_only_when_all_workers_agree_and_0_when_the_weight_is_balanced():
    bench = engine("bbta:explore=0", tasks=1, contexts=1, workers=2)
    bench.tell(bench.ask(), 0)
    assert 0.0 < bench.estimate(0).margin < 1.0
    bench.tell(bench.ask(), 1)
    assert bench.estimate(0).margin < 1.0


def test_a_worker_who_joins_midway_starts_with_the_mean_weight():
    bench = engine("bbta:explore=0", tasks=30, contexts=1, workers=5)
    for n in range(70):
        assignment = bench.ask()
        bench.tell(assignment, int(assignment.worker == 0 and n % 2))
    bench.add_workers(1)
    bench.estimate(0)  # weighs the context
    weight = bench._state.weights.weight[0]
    assert weight[5] == pytest.approx(weight[:5].mean())


def test_tasks_of_new_contexts_may_join_midway():
    bench = engine("bbta:explore=1", tasks=3, contexts=1, workers=2)
    exhaust(bench)
    bench.add_tasks([1, 1, 0])
    told = exhaust(bench)
    assert {each.task for each in told} == {3, 4, 5}
    assert any(each.exploring for each in told)


def test_a_newcomer_opens_tasks_that_were_used_up():
    bench = engine("bbta", tasks=3, contexts=1, workers=2)
    exhaust(bench)
    bench.add_workers(1)
    assert sorted(each.task for each in exhaust(bench)) == [0, 1, 2]


@pytest.mark.parametrize("policy", POLICIES)
def test_an_attached_label_costs_nothing_and_counts(policy):
    bench = engine(policy, budget=5)
    bench.attach(2, 1, 1)
    assert bench.spent == 0
    assert bench.estimate(2).votes == (0, 1)
    assert (2, 1) not in {(each.task, each.worker) for each in exhaust(bench)}


@pytest.mark.parametrize("contexts", [[0], [0, 0, 0], [0, 1, 2]])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("budget", [1, 2, 50])
def test_the_smallest_worlds_end_well(contexts, workers, budget):
    bench = lb.Engine("bbta:explore=2", contexts, workers=workers, budget=budget)
    told = exhaust(bench)
    assert len(told) == min(budget, len(contexts) * workers)
    assert workers > 1 or all(each.propensity == 1.0 for each in told)


def test_exploration_the_budget_cannot_pay_is_cut_and_said():
    bench = lb.Engine("bbta:explore=5", [0, 1] * 10, workers=3, budget=20)
    assert "explore=3 is used instead" in bench.notes[0]
    assert sum(each.exploring for each in exhaust(bench)) == 18


def test_contexts_with_fewer_tasks_than_wished_are_explored_whole():
    bench = lb.Engine("bbta:explore=4", [0] * 2 + [1] * 8, workers=2, budget=100)
    assert bench.notes == []
    explored = [each.task for each in exhaust(bench) if each.exploring]
    assert len(explored) == 2 * (2 + 4)


def test_weights_that_underflow_leave_everything_defined():
    bench = lb.Engine("bbta:explore=0", [0] * 400, workers=3, budget=1200)
    while assignment := bench.ask():
        bench.tell(assignment, int(assignment.worker == 0))
        assert 0.0 < assignment.propensity <= 1.0
    assert np.isfinite(bench._state.weights.weight).all()
    assert all(math.isfinite(bench.estimate(task).margin) for task in range(400))


BAD_ENGINES = [
    ({"budget": 0}, "0"),
    ({"budget": -3}, "-3"),
    ({"budget": math.nan}, "nan"),
    ({"budget": 1.5}, "1.5"),
    ({"workers": 0}, "0"),
    ({"workers": 2.5}, "2.5"),
    ({"classes": 1}, "1"),
    ({"classes": 2**15}, "32768"),
    ({"seed": "x"}, "'x'"),
    ({"contexts": []}, "no tasks"),
    ({"contexts": [0, -1]}, "-1"),
    ({"contexts": [0, math.nan]}, "nan"),
    ({"contexts": [0, 10**12]}, "1000000000000"),
    ({"policy": "bbat"}, "'bbat'"),
    ({"policy": "bbta:exlpore=1"}, "'exlpore'"),
    ({"policy": "bbta:explore=-1"}, "-1"),
    ({"policy": "bbta:explore=many"}, "'many'"),
    ({"policy": "bbta:pick=best"}, "'best'"),
    ({"policy": "bbta:repeats=yes"}, "repeats=yes"),
    ({"policy": "bbta:explore=1,,"}, "''"),
]


@pytest.mark.parametrize(("given", "named"), BAD_ENGINES)
def test_bad_input_is_refused_in_a_sentence_that_names_it(given, named):
    given = {"policy": "bbta", "contexts": [0, 1], "workers": 2, "budget": 5} | given
    with pytest.raises(lb.LabelbanditError) as refused:
        lb.Engine(given.pop("policy"), given.pop("contexts"), **given)
    assert named in str(refused.value)
    assert "\n" not in str(refused.value)


def snapshot(bench):
    sheet = bench._openings.sheet
    return (
        bench.spent,
        bench.reserved,
        bench._asked,
        sheet.size.tolist(),
        sheet.answer.tolist(),
        bench._state.weights.loss.tolist(),
    )


REFUSED = [
    (lambda bench, a: bench.tell(a, 2), lb.UnknownClass, "2"),
    (lambda bench, a: bench.tell(a, -1), lb.UnknownClass, "-1"),
    (lambda bench, a: bench.tell(a, math.nan), lb.UnknownClass, "nan"),
    (lambda bench, a: bench.tell(a, "owl"), lb.UnknownClass, "'owl'"),
    (lambda bench, a: bench.tell(a, True), lb.UnknownClass, "True"),
    (lambda bench, a: bench.tell(None, 1), lb.NotAsked, "None"),
    (lambda bench, a: bench.tell(Assignment(99, 0, 0, 1.0, 0.0, exploring=False), 1), lb.NotAsked, "99"),
    (
        lambda bench, a: bench.tell(Assignment(a.number, a.task, 3 - a.worker, 1.0, 0.0, exploring=False), 1),
        lb.NotAsked,
        "no open",
    ),
    (lambda bench, a: bench.ask(4), lb.BadInput, "4"),
    (lambda bench, a: bench.ask("ann"), lb.BadInput, "'ann'"),
    (lambda bench, a: bench.ask(1.0), lb.BadInput, "1.0"),
    (lambda bench, a: bench.estimate(10**6), lb.BadInput, "1000000"),
    (lambda bench, a: bench.estimate(-1), lb.BadInput, "-1"),
    (lambda bench, a: bench.attach(a.task, a.worker, 1), lb.BadInput, "already asked"),
    (lambda bench, a: bench.attach(6, 0, 1), lb.BadInput, "6"),
    (lambda bench, a: bench.attach(0.5, 0, 1), lb.BadInput, "0.5"),
    (lambda bench, a: bench.add_workers(0), lb.BadInput, "0"),
    (lambda bench, a: bench.add_tasks(["night"]), lb.BadInput, "'night'"),
]


@pytest.mark.parametrize(("request_", "error", "named"), REFUSED)
def test_a_refused_request_changes_nothing(request_, error, named):
    bench = engine()
    for _ in range(9):
        bench.tell(bench.ask(), 1)
    assignment = bench.ask()
    before = snapshot(bench)
    with pytest.raises(error) as refused:
        request_(bench, assignment)
    assert named in str(refused.value)
    assert snapshot(bench) == before


def test_telling_twice_is_refused():
    bench = engine()
    assignment = bench.ask()
    bench.tell(assignment, 1)
    with pytest.raises(lb.NotAsked):
        bench.tell(assignment, 1)


@settings(max_examples=60)
@given(st.sampled_from(POLICIES), st.integers(1, 30), st.data())
def test_whatever_happens_the_books_balance(policy, budget, data):
    bench, held, attached = engine(policy, budget=budget), [], 0
    for _ in range(40):
        match data.draw(st.sampled_from(["ask", "tell", "decline", "lapse", "attach", "task", "worker"])):
            case "ask":
                if assignment := bench.ask(*data.draw(st.sets(st.integers(0, 3)))):
                    held.append(assignment)
            case "attach":
                pair = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 3))
                try:
                    bench.attach(*pair, 0)
                    attached += 1
                except lb.BadInput:
                    assert pair[0] < 6
            case "task":
                bench.add_tasks([data.draw(st.integers(0, 3))])
            case "worker":
                bench.add_workers(1)
            case verb if held:
                chosen = held.pop(data.draw(st.integers(0, len(held) - 1)))
                arguments = (data.draw(st.integers(0, 1)),) if verb == "tell" else ()
                getattr(bench, verb)(chosen, *arguments)
        sheet = bench._openings.sheet
        assert bench.spent + bench.reserved <= budget
        assert bench.reserved == len(held) == sheet.waiting.sum()
        assert sheet.heard.sum() == bench.spent + attached
