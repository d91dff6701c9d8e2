import labelbandit as lb


def test_every_public_name_can_be_fetched():
    assert all(getattr(lb, name).__name__ == name for name in lb.__all__)


def test_nothing_else_is_promised():
    assert lb.__all__ == [
        "Assignment",
        "BadInput",
        "Curve",
        "Engine",
        "Estimate",
        "LabelbanditError",
        "NotAsked",
        "UnknownClass",
        "World",
        "make_world",
        "simulate",
    ]
