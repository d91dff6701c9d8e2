"""Workers: caps, newcomers, those who are barred, names, and forgetting them."""

import pytest

import labelbandit as lb
from labelbandit.model.errors import AlreadyThere, BadInput, UnknownName
from tests.campaigns import Clock, a_campaign, digest, kinds, log, refused, replayed, tell_all


@pytest.fixture
def store():
    return lb.open_store("memory:", clock=Clock())


def labels_of(campaign, worker):
    return [label for label in campaign.labels() if label.worker == worker]


def test_nobody_gives_more_labels_than_their_cap(store):
    campaign = a_campaign(store, tasks=10, workers=0)
    campaign.add_workers(lb.Worker("a", cap=3), lb.Worker("b", cap=0), lb.Worker("c"))
    tell_all(campaign)
    assert [len(labels_of(campaign, worker)) for worker in "abc"] == [3, 0, 10]


def test_open_assignments_count_towards_the_cap(store):
    campaign = a_campaign(store, tasks=10, workers=0, hold=5)
    campaign.add_workers(lb.Worker("a", cap=3))
    assert len(campaign.ask_many(5)) == 3
    assert campaign.ask("a").number == 0
    assert len(campaign.holding("a")) == 3


def test_a_cap_may_be_raised_and_lifted(store):
    campaign = a_campaign(store, tasks=10, workers=0)
    campaign.add_workers(lb.Worker("a", cap=1))
    assert len(tell_all(campaign)) == 1
    campaign.amend(caps={"a": 3})
    assert len(tell_all(campaign)) == 2
    campaign.amend(caps={"a": None})
    assert len(tell_all(campaign)) == 7


@pytest.mark.parametrize("cap", [-1, 1.5, "2"])
def test_caps_that_make_no_sense_are_refused(store, cap):
    campaign = a_campaign(store)
    with refused(campaign, BadInput, repr(cap)):
        campaign.add_workers(lb.Worker("new", cap=cap))
    with refused(campaign, BadInput, repr(cap)):
        campaign.amend(caps={"w0": cap})


def test_a_barred_worker_is_not_asked_and_their_labels_stay(store):
    campaign = a_campaign(store, tasks=1)
    campaign.tell(campaign.ask("w0"), "yes")
    campaign.bar("w0")
    assert campaign.ask("w0").reason == lb.Reason.NOTHING_FOR_WORKER
    assert campaign.estimate("t0").votes == {"yes": 1, "no": 0}
    assert {lent.worker for lent in tell_all(campaign)} == {"w1", "w2"}


def test_the_labels_of_a_barred_worker_may_be_left_out_and_stay_paid(store):
    campaign = a_campaign(store, tasks=1)
    campaign.tell(campaign.ask("w0"), "no")
    campaign.tell(campaign.ask("w1"), "yes")
    campaign.bar("w0", keep_labels=False)
    for each in (campaign, replayed(campaign)):
        assert each.estimate("t0").votes == {"yes": 1, "no": 0}
        assert each.progress().spent == 2
    assert digest(campaign.board) == digest(replayed(campaign).board)


def test_leaving_out_labels_is_as_if_they_had_never_been_learned(store):
    def told(name, *workers):
        campaign = a_campaign(store, tasks=3, workers=3, name=name)
        campaign.attach_many([(f"t{at}", worker, "no" if worker == "w0" else "yes") for worker in workers for at in range(3)])
        return campaign

    with_them, without = told("with", "w0", "w1", "w2"), told("without", "w1", "w2")
    with_them.bar("w0", keep_labels=False)
    assert with_them.estimates() == without.estimates()


def test_what_a_barred_worker_holds_may_still_be_told(store):
    campaign = a_campaign(store, tasks=1)
    lent = campaign.ask("w0")
    campaign.bar("w0", keep_labels=False)
    assert campaign.tell(lent, "no").price == 1
    assert campaign.estimate("t0").votes == {"yes": 0, "no": 0}


def test_a_newcomer_starts_with_the_mean_weight_and_is_asked(store):
    campaign = a_campaign(store, tasks=12, workers=3, budget=300)
    for _ in range(20):
        lent = campaign.ask()
        campaign.tell(lent, "no" if lent.worker == "w0" else "yes")
    campaign.add_workers(lb.Worker("new"))
    campaign.estimates()
    weight = campaign.board.mind._state.weights.weight[0]
    assert weight[3] == pytest.approx(weight[:3].mean())
    campaign.tell(campaign.ask("new"), "yes")
    assert "new" in {lent.worker for lent in tell_all(campaign)}


def test_a_newcomer_opens_tasks_that_everyone_had_labelled(store):
    campaign = a_campaign(store, tasks=3, workers=2)
    tell_all(campaign)
    campaign.add_workers(lb.Worker("new"))
    assert sorted(lent.task for lent in tell_all(campaign)) == ["t0", "t1", "t2"]


def test_a_worker_whose_id_is_taken_is_refused_with_all_who_came_with_them(store):
    campaign = a_campaign(store)
    with refused(campaign, AlreadyThere, "'w1'"):
        campaign.add_workers(lb.Worker("new"), lb.Worker("w1"))
    campaign.add_workers(lb.Worker("new"))
    with refused(campaign, BadInput, "no workers"):
        campaign.add_workers()


@pytest.mark.parametrize(
    "request_",
    [
        lambda campaign: campaign.ask("nobody"),
        lambda campaign: campaign.ask("w0", "nobody"),
        lambda campaign: campaign.ask_many(2, "nobody"),
        lambda campaign: campaign.bar("nobody"),
        lambda campaign: campaign.withdraw("nobody"),
        lambda campaign: campaign.correct("t0", "nobody", "yes"),
        lambda campaign: campaign.attach("t0", "nobody", "yes"),
        lambda campaign: campaign.attach("nobody", "w0", "yes"),
        lambda campaign: campaign.amend(prices={"nobody": 3}, budget=1000),
        lambda campaign: campaign.estimate("nobody"),
        lambda campaign: campaign.payload("nobody"),
        lambda campaign: campaign.holding("nobody"),
        lambda campaign: campaign.erase_worker("nobody"),
        lambda campaign: campaign.erase_task("nobody"),
    ],
)
def test_an_unknown_name_is_refused_by_that_name(store, request_):
    campaign = a_campaign(store)
    with refused(campaign, UnknownName, "'nobody'"):
        request_(campaign)


def test_an_unknown_campaign_is_told_with_those_there_are(store):
    a_campaign(store)
    with pytest.raises(UnknownName, match="no campaign 'fish' in memory:: it has 'birds'"):
        lb.open_campaign(store, "fish")
    with pytest.raises(UnknownName, match="none yet"):
        lb.open_campaign(store, "birds", owner="someone else")


ODD = ["Ünï", "鳥 と 魚", "🦉", "a\nb\t\"c\" 'd' \\ %s ? $1", "' OR 1=1 --", " ", "erased-0", "é", "e\u0301"]


@pytest.mark.parametrize("url", ["memory:", "sqlite", "postgresql"])
def test_any_text_will_do_for_an_id_a_class_a_context_or_a_name(url, request, tmp_path):
    url = {"sqlite": f"sqlite:///{tmp_path}/ünï 鳥.db", "postgresql": None}.get(url, url) or request.getfixturevalue(
        "postgres_url"
    )
    store = lb.open_store(url)
    campaign = lb.create_campaign(store, "Vögel 🦉", classes=ODD, budget=1000, seed=1)
    campaign.add_tasks(*(lb.Task(name, context=name, payload={name: [name, None, 1.5]}) for name in ODD))
    campaign.add_workers(*(lb.Worker(name, details={"name": name}) for name in ODD))
    for name in ODD:
        lent = campaign.ask(name, request=name)
        assert (lent.worker, lent.context) == (name, lent.task)
        assert campaign.payload(lent.task) == {lent.task: [lent.task, None, 1.5]}
        campaign.tell(lent, name, source="person")
    again = lb.open_campaign(store, "Vögel 🦉")
    assert [(label.worker, label.answer) for label in again.labels()] == [(name, name) for name in ODD]
    assert list(again.estimates()) == ODD
    store.close()


# forgetting


def test_an_erased_worker_leaves_a_log_that_replays_unchanged(store):
    campaign = a_campaign(store)
    told = campaign.tell(campaign.ask("w0"), "yes")
    state, before = digest(campaign.board), log(campaign)
    campaign.erase_worker("w0")
    campaign.erase_task(told.task)
    for each in (campaign, replayed(campaign)):
        assert digest(each.board) == state
        (label,) = each.labels()
        assert (label.worker, label.answer) == ("erased-0", "yes")
        assert label.task.startswith("erased-")
    assert log(campaign) == before


def test_nobody_can_be_asked_by_an_erased_name_nor_by_what_stands_in_its_place(store):
    campaign = a_campaign(store)
    campaign.tell(campaign.ask("w0"), "yes")
    campaign.erase_worker("w0")
    list(campaign.labels())
    campaign.explain(0)
    for name in ("w0", "erased-0"):
        with refused(campaign, UnknownName, name):
            campaign.ask(name)


def test_a_worker_may_be_called_what_stands_in_the_place_of_another(store):
    campaign = a_campaign(store)
    campaign.tell(campaign.ask("w0"), "yes")
    campaign.erase_worker("w0")
    campaign.add_workers(lb.Worker("erased-0"))
    campaign.explain(0)
    assert campaign.ask("erased-0")
    assert campaign.board.assignments["worker"][-1] == 3


def test_a_name_given_again_leads_to_the_newcomer_everywhere(store):
    campaign = a_campaign(store)
    other = replayed(campaign)
    other.ask("w0")
    campaign.erase_worker("w0")
    campaign.add_workers(lb.Worker("w0"))
    for each in (campaign, other):
        each.ask("w0")
        assert each.board.assignments["worker"][-1] == 3


def test_what_is_kept_of_requests_has_no_names_in_it(tmp_path):
    campaign = a_campaign(lb.open_store(f"sqlite:///{tmp_path}/store.db"), workers=0)
    campaign.add_workers(lb.Worker("ann@example.org"))
    lent = campaign.ask("ann@example.org", request="1")
    campaign.tell(lent, "yes", request="2")
    campaign.ask("ann@example.org", request="3")
    campaign.erase_worker("ann@example.org")
    assert campaign.ask(request="1").worker == "erased-0"
    campaign.store.close()
    assert not any(b"example" in file.read_bytes() for file in tmp_path.iterdir())


def test_an_attached_label_is_refused_where_someone_was_asked_or_labelled(store):
    campaign = a_campaign(store, tasks=2)
    lent = campaign.ask("w0")
    with refused(campaign, BadInput, "was asked"):
        campaign.attach(lent.task, "w0", "yes")
    campaign.attach("t0", "w1", "yes")
    with refused(campaign, BadInput, "was asked"):
        campaign.attach("t0", "w1", "yes")
    with refused(campaign, BadInput, "twice"):
        campaign.attach_many([("t1", "w1", "yes"), ("t1", "w1", "no")])
    with refused(campaign, lb.UnknownClass, "'maybe'"):
        campaign.attach_many([("t1", "w1", "yes"), ("t1", "w2", "maybe")])
    campaign.attach_many([])
    assert kinds(campaign).count("labels attached") == 1
