"""Data frames in and out."""

import importlib.util

import pytest

import labelbandit as lb
from labelbandit.model.errors import BadData, LabelbanditError
from tests.birds import birds

pd = pytest.importorskip("pandas", reason="not run: pandas is not installed")


@pytest.fixture
def campaign():
    campaign = birds()
    campaign.tell(campaign.ask("ann"), "owl")
    return campaign


def test_labels_are_a_frame_of_typed_columns(campaign):
    frame = lb.frames.labels(campaign)
    assert frame[["task", "worker", "label"]].to_numpy().tolist() == [["b1", "ann", "owl"]]
    assert str(frame["created_at"].dtype) == "datetime64[us, UTC]"
    assert (frame["price"].sum(), frame["assignment"].dtype) == (2, "Int64")


def test_a_frame_of_no_labels_has_its_columns():
    frame = lb.frames.labels(birds())
    assert (len(frame), list(frame.columns[:3])) == (0, ["task", "worker", "label"])


def test_estimates_are_a_frame(campaign):
    frame = lb.frames.estimates(campaign).set_index("task")
    assert frame.loc["b1", "label"] == "owl"
    assert frame["votes_owl"].sum() == 1
    assert pd.isna(frame.loc["b2", "probability"])


def test_a_frame_can_be_attached(campaign):
    frame = pd.DataFrame({"task": ["b2", "b3"], "worker": "bob", "label": ["jay", "owl"], "price": [1, float("nan")]})
    assert lb.frames.attach(campaign, frame) == 2
    assert campaign.progress().spent == 3
    assert lb.frames.attach(campaign, frame, new_only=True) == 0


def test_a_frame_of_tasks_can_be_added(campaign):
    frame = pd.DataFrame(
        {"task": [10, 11], "context": ["day", None], "seen": pd.to_datetime(["2026-01-01", None]), "size": [0.5, 2.0]}
    )
    assert lb.frames.add_tasks(campaign, frame) == 2
    assert campaign.payload("10") == {"seen": "2026-01-01T00:00:00", "size": 0.5}
    assert campaign.payload("11") == {"seen": None, "size": 2.0}


def test_a_bad_row_is_named(campaign):
    frame = pd.DataFrame({"task": ["b2", "b9"], "worker": "bob", "label": "jay"})
    with pytest.raises(BadData, match=r"the data frame, row 1: there is no task 'b9'"):
        lb.frames.attach(campaign, frame)
    assert campaign.progress().labels == 1


def test_a_missing_column_is_named(campaign):
    with pytest.raises(BadData, match="there is no column 'label', only 'task'"):
        lb.frames.attach(campaign, pd.DataFrame({"task": ["b1"], "worker": ["bob"]}))


def test_crowdkit_gets_three_columns(campaign):
    assert list(lb.frames.to_crowdkit(campaign).columns) == ["task", "worker", "label"]


def test_cleanlab_gets_class_numbers_with_nan_for_none(campaign):
    campaign.attach("b2", "bob", "jay")
    frame = lb.frames.to_cleanlab(campaign)
    assert (list(frame.index), list(frame.columns)) == (["b1", "b2"], ["ann", "bob"])
    assert frame.fillna(-1).to_numpy().tolist() == [[0, -1], [-1, 1]]


def test_without_pandas_the_extra_is_named(campaign, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr("labelbandit.integrations.writing.find_spec", lambda name: None if name == "pandas" else found(name))
    with pytest.raises(LabelbanditError, match=r"install labelbandit\[frames\]"):
        lb.frames.labels(campaign)
