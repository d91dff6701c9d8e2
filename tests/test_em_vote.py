"""BBTA with EM as its final vote: in an engine that grows, and in a campaign where workers come alone."""

import labelbandit as lb
from labelbandit.simulation.world import answer_of


def test_an_engine_with_em_takes_newcomers():
    world = lb.make_world("one-coin", 30, 8, 2, 2, seed=4)
    engine = lb.Engine("bbta:vote=em", world.context[:20], workers=5, budget=140, seed=4)
    for _ in range(60):
        lent = engine.ask()
        engine.tell(lent, answer_of(world, lent.task, lent.worker))
    engine.add_workers(3)
    engine.add_tasks(world.context[20:])
    while lent := engine.ask():
        engine.tell(lent, answer_of(world, lent.task, lent.worker))
    assert all(sum(engine.estimate(task).probabilities) > 0.999 for task in range(30))


def test_a_campaign_with_em_serves_whoever_comes_and_opens_again_as_it_was(tmp_path):
    url = f"sqlite:///{tmp_path}/em.db"
    campaign = lb.create_campaign(url, "em", classes=["no", "yes"], budget=60, policy="bbta:vote=em", seed=2)
    campaign.add_tasks(*(lb.Task(f"t{task}") for task in range(12)))
    campaign.add_workers(*(lb.Worker(f"w{worker}") for worker in range(5)))
    for turn in range(40):
        if lent := campaign.ask(f"w{turn % 5}"):
            campaign.tell(lent, "yes" if turn % 3 else "no")
    again = lb.open_campaign(url, "em")
    assert again.estimates() == campaign.estimates()
