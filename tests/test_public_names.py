import labelbandit as lb


def test_every_public_name_can_be_fetched():
    assert all(getattr(lb, name).__name__.rpartition(".")[2] == name for name in lb.__all__)


def test_nothing_else_is_promised():
    assert lb.__all__ == [
        "Assignment",
        "BadInput",
        "Campaign",
        "Client",
        "Curve",
        "Engine",
        "Estimate",
        "Label",
        "LabelbanditError",
        "NotAsked",
        "Nothing",
        "Progress",
        "Reason",
        "Task",
        "UnknownClass",
        "Worker",
        "World",
        "create_campaign",
        "frames",
        "make_world",
        "open_campaign",
        "open_store",
        "simulate",
    ]
