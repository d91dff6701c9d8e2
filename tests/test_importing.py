"""Files in: what they may look like, and how a bad one is refused."""

import json
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelbandit as lb
from labelbandit.campaign.roster import roster
from labelbandit.integrations import importing
from labelbandit.integrations.importing import import_labels, import_tasks, import_workers
from labelbandit.integrations.inert import inert, plain
from labelbandit.model.errors import BadData, BudgetTooSmall, CampaignOver
from tests.birds import birds


@pytest.fixture
def campaign():
    return lb.create_campaign("memory:", "birds", classes=["owl", "jay"], budget=100)


@pytest.fixture
def file(tmp_path):
    """Write a file and return where it is."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def log_of(campaign):
    return list(campaign.store.read(campaign.row.number))


@given(st.text())
def test_an_inert_cell_is_read_as_the_text_it_was(text):
    assert plain(inert(text)) == text


@given(st.sampled_from("=+-@\t\r"), st.text())
def test_no_cell_begins_like_a_formula(first, rest):
    assert inert(first + rest) == "'" + first + rest
    assert inert("'" + first + rest) == "''" + first + rest


@pytest.mark.parametrize("text", ["owl", "'tis", "", "a=b", "''"])
def test_harmless_cells_stay_as_they_are(text):
    assert inert(text) == plain(text) == text


def test_tasks_come_with_context_gold_and_payload(campaign, file):
    assert import_tasks(campaign, file("t.csv", "task,context,gold,text,url\nb1,night,owl,hoo,u1\nb2,,,'=1+1,u2\n")) == 2
    assert campaign.payload("b1") == {"text": "hoo", "url": "u1"}
    assert campaign.payload("b2") == {"text": "=1+1", "url": "u2"}
    assert campaign.board.facts.gold.tolist() == [0, -1]
    assert campaign.board.contexts == 2


def test_one_column_can_be_named_as_the_payload(campaign, file):
    import_tasks(campaign, file("t.csv", "task,text,secret\nb1,hoo,s\n"), payload="text")
    assert campaign.payload("b1") == {"text": "hoo"}


def test_an_object_named_as_the_payload_is_the_payload(campaign, file):
    import_tasks(campaign, file("t.jsonl", '{"task": 1, "shown": {"text": "hoo"}, "other": 2}\n'), payload="shown")
    assert campaign.payload("1") == {"text": "hoo"}


def test_json_lines_may_begin_with_their_schema(campaign, file):
    assert import_tasks(campaign, file("t.jsonl", '{"schema": "labels/1"}\n\n{"task": "b1"}\n')) == 1


def test_a_schema_that_is_not_ours_is_something_to_show(campaign, file):
    import_tasks(campaign, file("t.csv", "task,schema\nb1,v2\nb2,labels/1\n"))
    assert campaign.payload("b1") == {"schema": "v2"}
    assert campaign.payload("b2") is None


def test_a_byte_order_mark_is_no_part_of_a_name(campaign, file):
    assert import_tasks(campaign, file("t.csv", b"\xef\xbb\xbftask\nb1\n")) == 1


def test_parquet_rows_keep_their_types(campaign, tmp_path):
    pa = pytest.importorskip("pyarrow", reason="not run: pyarrow is not installed")
    from pyarrow import parquet

    table = pa.table({"task": [7, 8], "size": [1.5, float("nan")], "note": ["x", None]})
    parquet.write_table(table, tmp_path / "t.parquet")
    import_tasks(campaign, tmp_path / "t.parquet")
    assert campaign.payload("7") == {"size": 1.5, "note": "x"}
    assert campaign.payload("8") == {"size": None, "note": None}


def test_workers_come_with_price_cap_expertise_and_details(campaign, file):
    import_workers(campaign, file("w.csv", "worker,price,cap,expert,email\nann,2,,,a@b\nbob,,10,no,\neve,0,,YES,\n"))
    ann, bob, eve = roster(campaign)
    assert (ann.price, ann.cap, ann.expert, ann.details) == (2, None, False, {"email": "a@b"})
    assert (bob.price, bob.cap, bob.details) == (1, 10, None)
    assert (eve.price, eve.expert) == (0, True)


def test_labels_are_attached_at_the_sum_of_their_prices(file):
    campaign = birds()
    labels = file("l.csv", "task,worker,label,price,context\nb1,ann,owl,2,night\nb2,bob,jay,,night\n")
    assert import_labels(campaign, labels) == 2
    assert campaign.progress().spent == 2
    assert campaign.estimate("b2").votes == {"owl": 0, "jay": 1}


def test_gold_must_have_its_truth(campaign, file):
    with pytest.raises(BadData, match=r"g.csv, line 3: the truth of a gold task is missing"):
        import_tasks(campaign, file("g.csv", "task,truth\nb1,owl\nb2,\n"), gold=True)
    assert import_tasks(campaign, file("g.csv", "task,truth\nb1,owl\n"), gold=True) == 1
    assert campaign.board.facts.gold.tolist() == [0]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("t.csv", "task,text\nb1,x\nb2,caf\xe9\n".encode("latin-1"), "line 3: this is not UTF-8"),
        ("t.csv", "t\x00a\x00".encode("utf-16"), "line 1: this is not UTF-8"),
        ("t.csv", "id,text\nb1,x\n", "line 2: there is no column 'task', only 'id', 'text'"),
        ("t.csv", "task;text\nb1;x\n", "there is no column 'task', only 'task;text'"),
        ("t.csv", "task,task\nb1,b2\n", "line 1: there are 2 columns 'task'"),
        ("t.csv", "task,gold\nb1,owl\nb2,wren\n", "line 3: 'wren' is not a class: give one of jay, owl"),
        ("t.csv", "task,gold,truth\nb1,owl,owl\n", "line 2: there are both 'gold' and 'truth'"),
        ("t.csv", "task\nb1\nb2\nb1\n", "line 4: task 'b1' stands in line 2 already"),
        ("t.csv", "task,text\nb1,x\nb2\n", "line 3: there are 1 cells where the first line names 2 columns"),
        ("t.csv", "task,text\nb1,x\n,y\n", "line 3: the cell of column 'task' is empty"),
        ("t.csv", 'task,text\nb1,"x\n', "line 2: this is not CSV"),
        ("t.csv", "task,text\nb1," + "x" * 200_000 + "\n", "line 2: this is not CSV as we read it (field larger than"),
        ("t.csv", "task\n" + "b" * 501 + "\n", "line 2: the task 'bbbbbbbbbbbbbbbbbbbb'… has 501 characters"),
        ("t.csv", "task,context\nb1," + "c" * 501 + "\n", "line 2: the context"),
        ("t.csv", "task\nb\x001\n", "line 2: "),
        ("t.csv", "", "is empty"),
        ("t.csv", "task\n", "is empty"),
        ("t.jsonl", "{}\n", "line 1: there is no column 'task', only nothing"),
        ("t.jsonl", '{"task": "b1"}\n{"tusk": "b2"}\n', "line 2: there is no 'task'"),
        ("t.jsonl", '{"task": "b1"}\n[1]\n', "line 2: this is no JSON object"),
        ("t.jsonl", '{"task": "b1"}\n{"task": \n', "line 2: this is not JSON"),
        ("t.jsonl", '{"task": "b1", "x": NaN}\n', "line 1: NaN is no JSON"),
        ("t.jsonl", '{"task": "b1", "x": "\\ud800"}\n', "line 1: half of a surrogate pair"),
        ("t.jsonl", '{"task": ["b1"]}\n', "line 1: ['b1'] in column 'task' is no name"),
        ("t.jsonl", '{"task": "a\\u0000b"}\n', "has a NUL character"),
        ("t.jsonl", "[" * 100_000 + "\n", "line 1: this is not JSON"),
        ("t.jsonl", '{"schema": "labels/9"}\n{"task": "b1"}\n', "line 1: it has the schema labels/9"),
        ("t.csv", "task,schema\nb1,estimates/2\n", "line 2: it has the schema estimates/2"),
        ("t.parquet", "no parquet", "cannot be read as Parquet"),
        ("t.xlsx", "x", "is neither CSV, JSON lines nor Parquet"),
    ],
)
def test_a_bad_file_of_tasks_is_refused_by_file_and_line(campaign, file, name, content, sentence):
    before = log_of(campaign)
    with pytest.raises(BadData) as refused:
        import_tasks(campaign, file(name, content))
    assert name in str(refused.value)
    assert sentence in str(refused.value)
    assert log_of(campaign) == before


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("worker,price\nann,-1\n", "line 2: '-1' in column 'price' is not a whole number of at least 0"),
        ("worker,price\nann,1.5\n", "line 2: '1.5' in column 'price'"),
        ("worker,cap\nann,many\n", "line 2: 'many' in column 'cap'"),
        ("worker,expert\nann,maybe\n", "line 2: 'maybe' in column 'expert' is neither yes nor no"),
        ("worker\nann\nann\n", "line 3: worker 'ann' stands in line 2 already"),
    ],
)
def test_a_bad_file_of_workers_is_refused_by_file_and_line(campaign, file, content, sentence):
    with pytest.raises(BadData) as refused:
        import_workers(campaign, file("w.csv", content))
    assert sentence in str(refused.value)
    assert campaign.board.workers == 0


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("task,worker,label\nb9,ann,owl\n", "line 2: there is no task 'b9' in this campaign: import tasks first"),
        ("task,worker,label\nb1,zoe,owl\n", "line 2: there is no worker 'zoe'"),
        ("task,worker,label\nb1,ann,wren\n", "line 2: 'wren' is not a class"),
        ("task,worker,label\nb1,ann,owl\nb1,ann,jay\n", "line 3: this task and worker stand in line 2 already"),
        ("task,worker\nb1,ann\n", "there is no column 'label'"),
    ],
)
def test_a_bad_file_of_labels_is_refused_by_file_and_line(file, content, sentence):
    campaign = birds()
    with pytest.raises(BadData) as refused:
        import_labels(campaign, file("l.csv", content))
    assert sentence in str(refused.value)
    assert campaign.progress().labels == 0


def test_labels_that_cost_more_than_is_left_are_refused(file):
    campaign = birds(budget=1)
    with pytest.raises(BudgetTooSmall, match="amend the budget first"):
        import_labels(campaign, file("l.csv", "task,worker,label,price\nb1,ann,owl,2\n"))


def test_a_missing_file_is_named(campaign):
    with pytest.raises(BadData, match=r"there is no file nowhere.csv"):
        import_tasks(campaign, Path("nowhere.csv"))


def test_a_closed_campaign_takes_no_tasks(campaign, file):
    campaign.close()
    with pytest.raises(CampaignOver):
        import_tasks(campaign, file("t.csv", "task\nb1\n"))


def test_what_is_there_is_refused_or_left_out(campaign, file):
    import_tasks(campaign, file("t.csv", "task\nb1\n"))
    both = file("t.csv", "task\nb1\nb2\n")
    with pytest.raises(BadData, match=r"line 2: the campaign has a task 'b1' already"):
        import_tasks(campaign, both)
    assert import_tasks(campaign, both, new_only=True) == 1
    assert import_tasks(campaign, both, new_only=True) == 0


def test_labels_that_are_there_are_refused_or_left_out(file):
    campaign = birds()
    campaign.attach("b1", "ann", "owl")
    both = file("l.csv", "task,worker,label\nb1,ann,owl\nb2,ann,jay\n")
    with pytest.raises(BadData, match=r"line 2: worker 'ann' was asked about task 'b1' already"):
        import_labels(campaign, both)
    assert import_labels(campaign, both, new_only=True) == 1
    assert campaign.progress().labels == 2


def test_a_batch_that_fails_leaves_nothing_and_says_what_came_before(campaign, file, monkeypatch):
    monkeypatch.setattr(importing, "BATCH", 2)
    moved = []
    broken = file("t.csv", "task,gold\nb1,\nb2,\nb3,\nb4,wren\nb5,\n")
    with pytest.raises(BadData, match=r"line 5: 'wren' is not a class.*; the 2 rows before were imported.*--new-only"):
        import_tasks(campaign, broken, on_rows=moved.append)
    assert campaign.progress().tasks == 2
    assert moved == [2]
    mended = file("t.csv", "task,gold\nb1,\nb2,\nb3,\nb4,owl\nb5,\n")
    assert import_tasks(campaign, mended, new_only=True) == 3


def test_an_import_that_is_killed_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = 60_000
    Path("t.csv").write_text("task\n" + "".join(f"t{at}\n" for at in range(rows)))
    campaign = birds("sqlite:///labelbandit.db")
    command = [sys.executable, "-m", "labelbandit", "import", "tasks", "birds", "t.csv"]
    importer = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while importer.poll() is None and campaign.progress().tasks < importing.BATCH:
        time.sleep(0.002)
    importer.kill()
    importer.wait()
    before = campaign.progress().tasks - 3
    assert before % importing.BATCH == 0
    assert import_tasks(campaign, Path("t.csv"), new_only=True) == rows - before
    assert campaign.progress().tasks == rows + 3
    campaign.store.close()


def test_a_file_is_read_as_a_stream(tmp_path):
    path = tmp_path / "t.jsonl"
    with path.open("w") as file:
        for at in range(30_000):
            file.write(json.dumps({"task": f"t{at}", "text": "x" * 500}) + "\n")
    _, rows = importing.read_rows(path)
    tracemalloc.start()
    assert sum(1 for _ in rows) == 30_000
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()


def test_a_line_without_end_does_not_fill_the_memory(campaign, tmp_path):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.truncate(2**25)
    with pytest.raises(BadData, match="line 1: it is longer than 16,777,216 bytes"):
        import_tasks(campaign, path)
