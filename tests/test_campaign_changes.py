"""A campaign that changes: pauses, ends, other policies and classes, and why it did what it did."""

import pytest

import labelbandit as lb
from labelbandit.model.errors import (
    BadInput,
    CampaignOver,
    NameTaken,
    StoreTooNew,
    UnknownName,
    UnknownParameter,
    UnknownPolicy,
)
from labelbandit.stores.contract import Entry
from tests.campaigns import Clock, a_campaign, digest, kinds, log, refused, replayed, tell_all


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(clock):
    return lb.open_store("memory:", clock=clock)


def test_nobody_is_asked_while_it_is_paused(store):
    campaign = a_campaign(store)
    lent = campaign.ask("w0")
    campaign.pause()
    campaign.pause()
    assert (campaign.ask("w1").reason, campaign.ask("w1").retry_after) == (lb.Reason.PAUSED, 5.0)
    assert campaign.ask_many(3) == []
    campaign.tell(lent, "yes")
    campaign.resume()
    campaign.resume()
    assert campaign.ask("w1")
    assert kinds(campaign).count("campaign paused") == kinds(campaign).count("campaign resumed") == 1


def test_nobody_is_asked_once_it_is_closed_but_open_assignments_are_told(store, clock):
    campaign = a_campaign(store, lease=60)
    lent = campaign.ask("w0")
    campaign.close()
    campaign.close()
    assert (campaign.ask("w1").reason, campaign.ask("w1").retry_after) == (lb.Reason.CLOSED, None)
    clock.pass_by(30)
    label, nothing = campaign.tell_and_ask(lent, "yes")
    assert (label.price, nothing.reason) == (1, lb.Reason.CLOSED)
    assert kinds(campaign).count("campaign closed") == 1


@pytest.mark.parametrize(
    "request_",
    [
        lambda campaign: campaign.add_tasks(lb.Task("x")),
        lambda campaign: campaign.add_workers(lb.Worker("x")),
        lambda campaign: campaign.add_classes("maybe"),
        lambda campaign: campaign.attach("t0", "w0", "yes"),
        lambda campaign: campaign.amend(budget=1000),
        lambda campaign: campaign.bar("w0"),
        lambda campaign: campaign.withdraw("t0"),
        lambda campaign: campaign.pause(),
        lambda campaign: campaign.resume(),
    ],
)
def test_nothing_is_changed_after_the_end(store, request_):
    campaign = a_campaign(store)
    campaign.close()
    with refused(campaign, CampaignOver, "'birds' is closed"):
        request_(campaign)


def test_classes_may_be_added_and_what_was_told_stays(store):
    campaign = a_campaign(store, tasks=3)
    tell_all(campaign, most=4)
    campaign.add_classes("maybe", "never")
    campaign.tell(campaign.ask(), "maybe")
    assert campaign.classes == ["yes", "no", "maybe", "never"]
    assert sum(estimate.votes["yes"] for estimate in campaign.estimates().values()) == 4
    assert digest(campaign.board) == digest(replayed(campaign).board)


@pytest.mark.parametrize("classes", [["yes"], ["x", "x"], [""], []])
def test_classes_that_are_no_news_are_refused(store, classes):
    campaign = a_campaign(store)
    with refused(campaign, BadInput, "class"):
        campaign.add_classes(*classes)


@pytest.mark.parametrize("classes", [[], ["a"], ["a", "a"], ["a", ""], ["a", 5], "ab"])
def test_a_campaign_needs_two_classes_that_differ(store, classes):
    with pytest.raises(BadInput, match="give"):
        lb.create_campaign(store, "other", classes=classes, budget=5)
    assert store.campaigns() == []


def test_a_policy_that_cannot_do_what_is_asked_is_refused_in_time(store):
    with pytest.raises(BadInput, match="knows two classes and cannot take 3: use bbta"):
        lb.create_campaign(store, "other", classes=["a", "b", "c"], budget=5, policy="optkg")
    assert store.campaigns() == []
    campaign = a_campaign(store, policy="optkg")
    with refused(campaign, BadInput, "cannot take 3"):
        campaign.add_classes("maybe")
    campaign.amend(policy="bbta")
    campaign.add_classes("maybe")
    with refused(campaign, BadInput, "cannot take 3"):
        campaign.amend(policy="optkg")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"policy": "bbat"}, UnknownPolicy),
        ({"policy": "bbta:exlpore=1"}, UnknownParameter),
        ({"policy": "bbta:repeats=yes"}, BadInput),
        ({"budget": 0}, BadInput),
        ({"budget": 1.5}, BadInput),
        ({"lease": 0}, BadInput),
        ({"lease": float("nan")}, BadInput),
        ({"presence": -1}, BadInput),
        ({"hold": 0}, BadInput),
        ({"currency": "euro"}, BadInput),
        ({"seed": -1}, BadInput),
    ],
)
def test_terms_that_make_no_sense_are_refused_at_both_ends(store, given, error):
    with pytest.raises(error):
        lb.create_campaign(store, "other", **{"classes": ["a", "b"], "budget": 5} | given)
    assert store.campaigns() == []
    campaign = a_campaign(store)
    with refused(campaign, UnknownParameter if {"seed", "currency"} & set(given) else error, ""):
        campaign.amend(**given)


def test_the_log_keeps_the_policy_with_all_its_parameters_and_the_version_of_its_rule(store):
    campaign = a_campaign(store, policy="default")
    terms = log(campaign)[0].terms
    assert (terms.policy, terms.rule) == (
        "crosscheck:explore=1.5,frequencies=yes,errors=by-class,share=yes",
        "crosscheck/1",
    )
    campaign.amend(policy="iethresh")
    assert log(campaign)[-1].terms.rule == "iethresh/1"


@pytest.mark.parametrize("policy", ["random", "bbta", "iethresh", "crowdsense", "optkg"])
def test_a_policy_that_comes_midway_is_taught_the_whole_log(store, policy):
    changed, always = a_campaign(store), a_campaign(store, policy=policy, name="always")
    for at in range(6):
        lent = changed.ask()
        answer = "yes" if at % 3 else "no"
        changed.tell(lent, answer)
        always.attach(lent.task, lent.worker, answer)
    changed.amend(policy=policy)
    if policy in {"random", "crowdsense"}:  # attached labels count with weight 1 and numbers of their own
        assert changed.estimates() == always.estimates()
    assert {task: one.votes for task, one in changed.estimates().items()} == {
        task: one.votes for task, one in always.estimates().items()
    }
    assert len({(lent.task, lent.worker) for lent in tell_all(changed)}) == 6
    assert digest(changed.board) == digest(replayed(changed).board)


def test_amending_to_what_holds_writes_nothing(store):
    campaign = a_campaign(store)
    before = kinds(campaign)
    campaign.amend(budget=100, hold=1)
    assert kinds(campaign) == before


# correcting


def test_a_corrected_answer_counts_as_if_it_had_been_the_first(store):
    corrected, right = a_campaign(store), a_campaign(store, name="right")
    for at in range(8):
        one, other = corrected.ask(), right.ask()
        assert (one.task, one.worker) == (other.task, other.worker)
        corrected.tell(one, "no" if at == 7 else "yes")
        right.tell(other, "yes")
    corrected.correct(one.task, one.worker, "yes")
    assert corrected.estimates() == right.estimates()
    assert corrected.ask() == right.ask()


def test_only_a_label_can_be_corrected(store):
    campaign = a_campaign(store)
    lent = campaign.ask("w0")
    with refused(campaign, BadInput, "has not labelled"):
        campaign.correct(lent.task, "w0", "no")
    campaign.tell(lent, "yes")
    with refused(campaign, lb.UnknownClass, "'maybe'"):
        campaign.correct(lent.task, "w0", "maybe")
    before = kinds(campaign)
    campaign.correct(lent.task, "w0", "yes")
    assert kinds(campaign) == before


def test_an_attached_label_can_be_corrected(store):
    campaign = a_campaign(store)
    campaign.attach("t0", "w0", "yes")
    campaign.correct("t0", "w0", "no")
    assert campaign.estimate("t0").votes == {"yes": 0, "no": 1}


# reasons


def test_a_campaign_without_tasks_or_workers_has_nothing_to_do(store):
    campaign = a_campaign(store, tasks=0, workers=0)
    assert campaign.ask().reason == lb.Reason.NOTHING_FOR_WORKER
    campaign.add_workers(lb.Worker("w0"))
    assert campaign.ask("w0").reason == lb.Reason.NOTHING_FOR_WORKER
    assert campaign.estimates() == {}
    assert campaign.progress().tasks == 0


def test_nothing_is_false_and_says_when_to_come_again(store, clock):
    campaign = a_campaign(store, tasks=1, workers=2, lease=60, max_labels=1)
    campaign.ask("w0")
    nothing = campaign.ask("w1")
    assert not nothing
    assert nothing.retry_after == 5.0
    clock.pass_by(57)
    assert campaign.ask("w1").retry_after == 3.0


def test_an_ask_that_is_refused_advances_nothing(store):
    campaign, other = a_campaign(store, workers=3), a_campaign(store, workers=3, name="other")
    for each in (campaign, other):
        each.bar("w2")
    for _ in range(5):
        assert not campaign.ask("w2")
    assert [(lent.task, lent.worker) for lent in tell_all(campaign)] == [(lent.task, lent.worker) for lent in tell_all(other)]


def test_an_explanation_reads_what_was_noted(store):
    campaign = a_campaign(store, policy="bbta", tasks=3)
    explored = campaign.explain(campaign.ask())
    assert (explored.phase, explored.propensity, explored.door, explored.present) == ("exploring", 1.0, None, None)
    tell_all(campaign, most=3)
    lent = campaign.ask("w0", "w1")
    campaign.amend(policy="random")
    found = campaign.explain(lent.number)
    assert found.assignment == lent
    assert (found.state, found.phase, found.present) == ("open", "adapting", ("w0", "w1"))
    assert found.policy.startswith("bbta:")
    assert any(f"probability {lent.propensity:.3f}" in sentence for sentence in found.sentences)
    alone = campaign.explain(campaign.ask("w2"))
    assert (alone.door, alone.present) == (1.0, ("w2",))
    assert "came alone" in alone.sentences[1]


@pytest.mark.parametrize("number", [99, -1, "0", None, 1.0])
def test_an_assignment_that_was_never_made_is_refused(store, number):
    campaign = a_campaign(store)
    campaign.ask()
    for request_ in (
        lambda: campaign.tell(number, "yes"),
        lambda: campaign.decline(number),
        lambda: campaign.renew(number),
        lambda: campaign.explain(number),
    ):
        with refused(campaign, BadInput, str(number)):
            request_()


@pytest.mark.parametrize(
    "given", [{"lead_time": -1}, {"lead_time": float("nan")}, {"lead_time": "x"}, {"source": ""}, {"source": 5}]
)
def test_what_comes_with_an_answer_is_checked(store, given):
    campaign = a_campaign(store)
    lent = campaign.ask()
    with refused(campaign, BadInput, "will not do"):
        campaign.tell(lent, "yes", **given)
    with refused(campaign, lb.UnknownClass, "'maybe' is not a class: give one of yes, no"):
        campaign.tell(lent, "maybe")


# opening


def test_a_name_that_is_taken_is_refused_unless_the_campaign_is_wanted(store):
    campaign = a_campaign(store)
    with pytest.raises(NameTaken, match="birds"):
        lb.create_campaign(store, "birds", classes=["a", "b"], budget=1)
    assert (
        lb.create_campaign(store, "birds", classes=["a", "b"], budget=1, load_if_exists=True).progress() == campaign.progress()
    )


def test_campaigns_of_one_store_are_apart(store):
    birds, fish = a_campaign(store), a_campaign(store, name="fish")
    tell_all(birds)
    assert fish.progress().labels == 0
    with pytest.raises(UnknownName):
        lb.open_campaign(store, "bird")


def test_an_event_from_the_future_is_told_and_nothing_is_written(store):
    campaign = a_campaign(store)
    with store.writing(campaign.row.number) as writing:
        writing.append([Entry(3, writing.now, "worker praised", 1, "{}")])
    before = kinds(campaign)
    for each in (campaign.ask, campaign.progress, lambda: replayed(campaign)):
        with pytest.raises(StoreTooNew, match="'worker praised' of version 1"):
            each()
    assert kinds(campaign) == before
