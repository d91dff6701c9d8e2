"""Tasks: when they have labels enough, gold, experts, withdrawal, and what to believe of them."""

import json

import pytest

import labelbandit as lb
from labelbandit.model.errors import AlreadyThere, BadInput
from tests.campaigns import Clock, a_campaign, digest, refused, replayed, tell_all


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(clock):
    return lb.open_store("memory:", clock=clock)


def votes(campaign):
    return [sum(estimate.votes.values()) for estimate in campaign.estimates().values()]


def test_a_task_with_its_maximum_is_not_asked_again(store):
    campaign = a_campaign(store, tasks=4, workers=5, max_labels=2)
    tell_all(campaign)
    assert votes(campaign) == [2, 2, 2, 2]
    nothing = campaign.ask()
    assert (nothing.reason, nothing.retry_after) == (lb.Reason.ALL_SETTLED, None)
    assert campaign.progress().closed == 4


@pytest.mark.parametrize("policy", ["random", "bbta", "bbta:explore=0", "iethresh", "crowdsense", "optkg"])
def test_no_more_than_the_maximum_are_asked_at_the_same_time(store, policy):
    campaign = a_campaign(store, tasks=2, workers=6, max_labels=2, policy=policy)
    lent = campaign.ask_many(10)
    assert max(sum(one.task == task for one in lent) for task in ("t0", "t1")) == 2
    assert campaign.progress().closed == 0
    for one in lent:
        campaign.tell(one, "yes")
    tell_all(campaign)
    assert max(votes(campaign)) == 2


def test_a_task_whose_last_label_did_not_come_is_asked_again(store, clock):
    campaign = a_campaign(store, tasks=1, workers=4, max_labels=1, lease=60)
    campaign.decline(campaign.ask("w0"))
    lent = campaign.ask("w1")
    nothing = campaign.ask("w2")
    assert (nothing.reason, nothing.retry_after) == (lb.Reason.NOTHING_FOR_WORKER, 5.0)
    clock.pass_by(61)
    assert campaign.ask("w2").task == lent.task


def test_a_task_settles_when_its_answer_is_probable_enough(store):
    campaign = a_campaign(store, tasks=1, workers=5, settle=0.8)
    told = tell_all(campaign)
    assert len(told) == 3  # 3 of 5 heard: 0.6 + 0.4 / 2
    assert campaign.estimate("t0").probability == pytest.approx(0.8)
    assert campaign.estimate("t0").closed


def test_a_task_does_not_settle_with_fewer_labels_than_the_minimum(store):
    campaign = a_campaign(store, tasks=1, workers=5, settle=0.5, min_labels=4)
    assert len(tell_all(campaign)) == 4


def test_a_task_that_was_settled_opens_again_when_a_corrected_answer_makes_it_doubtful(store):
    campaign = a_campaign(store, tasks=1, workers=5, settle=0.8)
    lent = tell_all(campaign)[0]
    campaign.correct("t0", lent.worker, "no")
    assert not campaign.estimate("t0").closed
    assert campaign.ask()


def test_new_limits_hold_at_once(store):
    campaign = a_campaign(store, tasks=2, workers=5, max_labels=1)
    tell_all(campaign)
    campaign.amend(max_labels=3)
    assert len(tell_all(campaign)) == 4
    campaign.amend(max_labels=2)
    assert campaign.progress().closed == 2


@pytest.mark.parametrize("given", [{"min_labels": 0}, {"max_labels": 0}, {"settle": 0.4}, {"settle": 1.1}, {"settle": "x"}])
def test_limits_that_make_no_sense_are_refused(store, given):
    campaign = a_campaign(store)
    with refused(campaign, BadInput, str(next(iter(given.values())))):
        campaign.amend(**given)
    with pytest.raises(BadInput, match="will not do"):
        lb.create_campaign(store, "other", classes=["a", "b"], budget=5, **given)
    with refused(campaign, BadInput, "max_labels=1 is less than min_labels=2"):
        campaign.amend(min_labels=2, max_labels=1)


def test_a_withdrawn_task_is_not_asked_again_and_open_assignments_stay_valid(store):
    campaign = a_campaign(store, tasks=2, workers=4)
    lent = campaign.ask("w0")
    campaign.withdraw(lent.task)
    assert {one.task for one in tell_all(campaign, "w1", "w2", "w3")} == {"t0", "t1"} - {lent.task}
    assert campaign.tell(lent, "yes").price == 1
    assert campaign.estimate(lent.task).closed


def test_a_task_may_be_withdrawn_before_anyone_is_enrolled(store):
    campaign = a_campaign(store, tasks=3, workers=0)
    campaign.withdraw("t1")
    assert campaign.estimate("t1").closed
    assert campaign.estimates()["t1"].closed
    assert campaign.progress().closed == 1
    campaign.add_tasks(lb.Task("t3"))
    campaign.add_workers(lb.Worker("w0"), lb.Worker("w1"))
    for each in (campaign, replayed(campaign)):
        assert [estimate.closed for estimate in each.estimates().values()] == [False, True, False, False]
    assert {lent.task for lent in tell_all(campaign)} == {"t0", "t2", "t3"}


def test_when_every_task_is_withdrawn_there_is_nothing_left(store):
    campaign = a_campaign(store, tasks=1)
    campaign.withdraw("t0")
    assert campaign.ask().reason == lb.Reason.ALL_SETTLED


# gold


def gold_campaign(store, **given):
    campaign = a_campaign(store, tasks=0, workers=4, policy="bbta:explore=2", **given)
    campaign.add_tasks(*(lb.Task(f"t{at}", payload={"text": f"item {at}"}) for at in range(8)))
    campaign.add_tasks(lb.Task("g0", gold="no", payload={"text": "known"}), lb.Task("g1", gold="yes"))
    return campaign


def test_gold_tasks_come_first(store):
    campaign = gold_campaign(store)
    first = tell_all(campaign, most=8)
    assert {lent.task for lent in first} == {"g0", "g1"}
    assert {campaign.explain(lent).phase for lent in first} == {"exploring"}
    assert campaign.explain(campaign.ask()).phase == "adapting"


def test_gold_is_scored_against_its_truth_and_not_against_the_majority(store):
    campaign = gold_campaign(store)
    for _ in range(8):
        lent = campaign.ask()
        right, wrong = {"g0": ("no", "yes"), "g1": ("yes", "no")}[lent.task]
        campaign.tell(lent, right if lent.worker == "w3" else wrong)
    assert campaign.board.mind._state.weights.loss[0].tolist() == [2.0, 2.0, 2.0, 0.0]


def test_gold_is_never_shown(store):
    campaign = gold_campaign(store)
    for _ in range(10):
        lent = campaign.ask()
        shown = json.dumps([str(lent), campaign.payload(lent.task)])
        assert "gold" not in shown
        campaign.tell(lent, "yes")
    assert campaign.payload("g0") == {"text": "known"}
    assert not hasattr(lent, "gold")


def test_gold_that_is_no_class_is_refused(store):
    campaign = gold_campaign(store)
    with refused(campaign, lb.UnknownClass, "'maybe'"):
        campaign.add_tasks(lb.Task("g2"), lb.Task("g3", gold="maybe"))
    assert campaign.progress().tasks == 10


# experts


def expert_campaign(store, **given):
    campaign = a_campaign(store, tasks=1, workers=3, **given)
    campaign.add_workers(lb.Worker("e0", expert=True, price=5), lb.Worker("e1", expert=True, price=5))
    return campaign


def test_an_experts_answer_settles_a_task_against_all_others(store):
    campaign = expert_campaign(store)
    tell_all(campaign, "w0", "w1", "w2")
    assert campaign.estimate("t0").answer == "yes"
    campaign.attach("t0", "e0", "no")
    estimate = campaign.estimate("t0")
    assert (estimate.answer, estimate.probability, estimate.closed, estimate.contested) == ("no", 1.0, True, False)


def test_an_experts_settling_leaves_others_assignments_valid_and_paid(store):
    campaign = expert_campaign(store)
    held, also = campaign.ask("w0"), campaign.ask("e1")
    campaign.tell(campaign.ask("e0"), "no")
    assert campaign.ask("w1").reason == lb.Reason.ALL_SETTLED
    campaign.tell(held, "yes")
    campaign.tell(also, "no")
    assert campaign.progress().spent == 11
    assert campaign.estimate("t0").answer == "no"


def test_two_experts_who_differ_leave_the_task_contested(store):
    campaign = expert_campaign(store)
    campaign.attach("t0", "e0", "no")
    campaign.attach("t0", "e1", "yes")
    assert campaign.estimate("t0").contested
    assert campaign.estimate("t0").probability < 1.0
    campaign.correct("t0", "e1", "no")
    assert (campaign.estimate("t0").contested, campaign.estimate("t0").answer) == (False, "no")


# belief


def test_a_task_nobody_labelled_has_no_answer_and_says_so(store):
    for workers in (0, 3):
        estimate = a_campaign(store, workers=workers, name=f"with {workers}").estimate("t0")
        assert (estimate.answer, estimate.votes, estimate.margin) == (None, {"yes": 0, "no": 0}, 0.0)
        assert estimate.probabilities == {"yes": 0.5, "no": 0.5}


def test_a_tie_has_no_answer(store):
    campaign = a_campaign(store, tasks=1, workers=2)
    campaign.attach_many([("t0", "w0", "yes"), ("t0", "w1", "no")])
    campaign.amend(policy="random")
    assert campaign.estimate("t0").answer is None


def test_estimates_are_the_same_one_by_one_and_all_at_once(store):
    campaign = a_campaign(store, tasks=6, workers=4, contexts=2)
    for at in range(14):
        campaign.tell(campaign.ask(), "yes" if at % 3 else "no")
    all_of_them = campaign.estimates()
    assert all_of_them == {task: campaign.estimate(task) for task in all_of_them}
    for estimate in all_of_them.values():
        assert sum(estimate.probabilities.values()) == pytest.approx(1.0)
        assert estimate.probability == max(estimate.probabilities.values())


# joining


def test_a_task_whose_id_is_taken_is_refused_with_all_that_came_with_it(store):
    campaign = a_campaign(store)
    with refused(campaign, AlreadyThere, "'t1'"):
        campaign.add_tasks(lb.Task("new", context="another"), lb.Task("t1"))
    with refused(campaign, BadInput, "'x' is given 2 times"):
        campaign.add_tasks(lb.Task("x"), lb.Task("x"))
    campaign.add_tasks(lb.Task("new", context="another"))
    assert campaign.progress().tasks == 5


@pytest.mark.parametrize(
    "task", [lb.Task(""), lb.Task("x" * 501), lb.Task(5), lb.Task("x", context=5), lb.Task("x", payload={"a": {1}})]
)
def test_tasks_that_cannot_be_kept_are_refused(store, task):
    campaign = a_campaign(store)
    with refused(campaign, BadInput, "give"):
        campaign.add_tasks(task)


def test_tasks_of_new_contexts_join_midway(store):
    campaign = a_campaign(store, tasks=2, workers=2)
    tell_all(campaign)
    campaign.add_tasks(lb.Task("x", context="new"), lb.Task("y", context="c0"))
    told = tell_all(campaign)
    assert {(lent.task, lent.context) for lent in told} == {("x", "new"), ("y", "c0")}
    assert digest(campaign.board) == digest(replayed(campaign).board)
