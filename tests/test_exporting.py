"""Files out: what they say, and that what was written can be read again."""

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import labelbandit as lb
from labelbandit.integrations.exporting import export, whole_file
from labelbandit.integrations.importing import import_labels, import_tasks, import_workers
from labelbandit.integrations.layouts import Layout, What
from labelbandit.integrations.records import label_records
from labelbandit.model.errors import BadInput
from tests.birds import birds

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def labelled():
    """A campaign in which ann was asked, was corrected, and bob's labels came from elsewhere."""
    campaign = birds()
    assignment = campaign.ask("ann")
    campaign.tell(assignment, "jay", lead_time=2.5, source="person")
    campaign.correct(assignment.task, "ann", "owl")
    campaign.attach_many([("b2", "bob", "jay"), ("b3", "bob", "owl")])
    campaign.attach("b3", "eve", "owl", price=4)
    return campaign


def written(campaign, what, layout):
    out = io.BytesIO()
    export(campaign, What(what), Layout(layout), out)
    return out.getvalue()


def csv_rows(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def json_lines(data):
    return [json.loads(line) for line in data.splitlines()]


def test_labels_say_all_that_is_known_of_them(labelled):
    first, second, third, fourth = label_records(labelled)
    assert first[:7] == ("b1", "ann", "owl", "night", 2, 1.0, 0)
    assert (first.lead_time, first.source) == (2.5, "person")
    assert second[:8] == ("b2", "bob", "jay", "night", 0, None, None, None)
    assert third.source == "import"
    assert fourth.price == 4
    assert first.created_at <= second.created_at


def test_the_csv_of_labels_has_a_column_for_each_and_the_schema(labelled):
    rows = csv_rows(written(labelled, "labels", "csv"))
    assert list(rows[0]) == [
        "task",
        "worker",
        "label",
        "context",
        "price",
        "propensity",
        "assignment",
        "lead_time",
        "created_at",
        "source",
        "schema",
    ]
    assert (rows[0]["task"], rows[0]["propensity"], rows[0]["schema"]) == ("b1", "1.0", "labels/1")
    assert rows[1]["propensity"] == ""
    assert rows[0]["created_at"].endswith("Z")


def test_json_lines_begin_with_the_schema(labelled):
    schema, first, *_ = json_lines(written(labelled, "labels", "jsonl"))
    assert schema == {"schema": "labels/1"}
    assert (first["label"], first["price"], first["lead_time"]) == ("owl", 2, 2.5)


def test_parquet_has_typed_columns_and_the_schema_beside_them(labelled, tmp_path):
    pytest.importorskip("pyarrow", reason="not run: pyarrow is not installed")
    from pyarrow import parquet

    export(labelled, What.LABELS, Layout.PARQUET, tmp_path / "l.parquet")
    table = parquet.read_table(tmp_path / "l.parquet")
    assert table.schema.metadata[b"labelbandit.schema"] == b"labels/1"
    assert str(table.schema.field("created_at").type) == "timestamp[us, tz=UTC]"
    assert table["price"].to_pylist() == [2, 0, 0, 4]


def test_estimates_have_votes_for_each_class(labelled):
    rows = csv_rows(written(labelled, "estimates", "csv"))
    assert list(rows[0]) == [
        "task",
        "label",
        "probability",
        "margin",
        "votes_owl",
        "votes_jay",
        "closed",
        "contested",
        "schema",
    ]
    assert [row["label"] for row in rows] == ["owl", "jay", "owl"]
    assert rows[2]["closed"] == "yes"  # the expert has spoken
    assert (rows[2]["votes_owl"], rows[2]["probability"]) == ("2", "1.0")


def test_a_task_nobody_labelled_has_no_probability():
    _, *rows = json_lines(written(birds(), "estimates", "jsonl"))
    assert [(row["label"], row["probability"]) for row in rows] == [(None, None)] * 3


def test_the_log_is_exported_event_by_event(labelled):
    schema, *events = json_lines(written(labelled, "log", "jsonl"))
    assert schema == {"schema": "log/1"}
    assert [event["position"] for event in events] == list(range(len(events)))
    assert events[0]["body"]["classes"] == ["owl", "jay"]
    assert json.loads(csv_rows(written(labelled, "log", "csv"))[0]["body"]) == events[0]["body"]


def test_the_crowdkit_layout_is_three_columns(labelled):
    assert written(labelled, "labels", "crowdkit").decode().splitlines()[:2] == ["task,worker,label", "b1,ann,owl"]


def test_the_cleanlab_layout_has_a_column_for_each_worker_who_labelled(labelled):
    assert written(labelled, "labels", "cleanlab").decode() == "task,ann,bob,eve\nb1,0,,\nb2,,1,\nb3,,0,0\n"


def test_label_studio_gets_annotations_of_people_and_predictions_of_models():
    campaign = birds(policy="bbta")  # which asks both about the same task
    campaign.tell(campaign.ask("ann"), "owl", lead_time=3, source="person")
    campaign.tell(campaign.ask("bob"), "jay", source="model")
    (task,) = json.loads(written(campaign, "labels", "labelstudio"))
    assert task["data"] == {"text": "hoo-hoo"}
    assert task["meta"] == {"task": "b1", "context": "night"}
    (annotation,), (prediction,) = task["annotations"], task["predictions"]
    assert annotation["completed_by"] == {"email": "ann"}
    assert annotation["result"][0]["value"] == {"choices": ["owl"]}
    assert (annotation["lead_time"], annotation["was_cancelled"]) == (3.0, False)
    assert (prediction["model_version"], prediction["result"][0]["value"]) == ("bob", {"choices": ["jay"]})


def test_label_studio_gets_estimates_as_predictions(labelled):
    tasks = json.loads(written(labelled, "estimates", "labelstudio"))
    assert [task["predictions"][0]["result"][0]["value"]["choices"] for task in tasks] == [["owl"], ["jay"], ["owl"]]
    assert all(0.5 < task["predictions"][0]["score"] <= 1 for task in tasks)


def test_gold_is_in_no_export_of_labels(labelled):
    assert b"gold" not in written(labelled, "labels", "jsonl") + written(labelled, "labels", "labelstudio").replace(
        b"ground_truth", b""
    )


@pytest.mark.parametrize(("what", "layout"), [("estimates", "crowdkit"), ("log", "cleanlab"), ("log", "labelstudio")])
def test_a_layout_without_a_place_for_it_is_refused(labelled, what, layout):
    with pytest.raises(BadInput, match=f"{layout} has no place for {what}: choose csv, jsonl, parquet"):
        written(labelled, what, layout)


def test_a_file_that_fails_leaves_nothing(tmp_path):
    def fail():
        with whole_file(tmp_path / "x.csv") as file:
            file.write(b"half")
            raise OSError("no space left")

    (tmp_path / "x.csv").write_text("old")
    with pytest.raises(OSError, match="no space left"):
        fail()
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_a_folder_that_is_missing_is_refused(labelled, tmp_path):
    with pytest.raises(BadInput, match="give a file in a folder that exists"):
        export(labelled, What.LABELS, Layout.CSV, tmp_path / "missing" / "x.csv")


@settings(max_examples=25)
@given(tasks=st.lists(NAMES, min_size=1, max_size=4, unique=True), worker=NAMES)
@pytest.mark.parametrize("layout", ["csv", "jsonl"])
def test_exported_labels_can_be_imported_again(tmp_path_factory, layout, tasks, worker):
    first = lb.create_campaign("memory:", "a", classes=["=x", "'-y"], budget=9)
    first.add_tasks(*map(lb.Task, tasks))
    first.add_workers(lb.Worker(worker))
    first.attach_many([(task, worker, "=x") for task in tasks])
    path = tmp_path_factory.mktemp("again") / f"labels.{layout}"
    export(first, What.LABELS, Layout(layout), path)
    second = lb.create_campaign("memory:", "b", classes=["=x", "'-y"], budget=9)
    second.add_tasks(*map(lb.Task, tasks))
    second.add_workers(lb.Worker(worker))
    assert import_labels(second, path) == len(tasks)
    assert [label[:3] for label in label_records(first)] == [label[:3] for label in label_records(second)]


def test_no_cell_of_an_export_is_a_formula(tmp_path):
    campaign = lb.create_campaign("memory:", "hostile", classes=["@x", "y"], budget=9)
    campaign.add_tasks(lb.Task("=cmd|' /C calc'!A0", "+1"))
    campaign.add_workers(lb.Worker("-2+3"))
    campaign.attach("=cmd|' /C calc'!A0", "-2+3", "@x")
    for layout in ("csv", "crowdkit", "cleanlab"):
        rows = list(csv.reader(io.StringIO(written(campaign, "labels", layout).decode(), newline="")))
        assert not [cell for row in rows for cell in row if cell[:1] in "=+-@\t\r" and cell], layout
    tasks = tmp_path / "t.csv"
    tasks.write_bytes(written(campaign, "estimates", "csv"))
    again = lb.create_campaign("memory:", "again", classes=["@x", "y"], budget=9)
    import_tasks(again, tasks, payload="label")
    assert again.payload("=cmd|' /C calc'!A0") == {"label": "@x"}


def test_an_erased_worker_goes_out_by_number(tmp_path):
    campaign = birds()
    campaign.attach("b1", "bob", "owl")
    campaign.erase_worker("bob")
    assert next(label_records(campaign)).worker == "erased-1"
    workers = tmp_path / "w.csv"
    workers.write_text("worker\nbob\n")
    assert import_workers(campaign, workers) == 1
