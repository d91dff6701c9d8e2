"""From a URL to a store, and what is said when that does not work."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from labelbandit.model.errors import (
    BadInput,
    StoreError,
    StoreFull,
    StoreOutdated,
    StoreTooNew,
    StoreUnavailable,
    UnknownStore,
)
from labelbandit.stores import Register, open_store, schema, upgrade
from labelbandit.stores.opening import shown
from labelbandit.testing.fixtures import an_entry, append, positions


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    return f"sqlite:///{tmp_path}/store.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.fixture
def second_version(monkeypatch):
    """A labelbandit of the future, whose campaigns have a colour."""

    def colours(execute, dialect):
        execute("ALTER TABLE campaigns ADD COLUMN colour TEXT")

    monkeypatch.setattr(schema, "MIGRATIONS", {**schema.MIGRATIONS, 2: colours})


@pytest.mark.parametrize("wrong", ["", "birds.db", "mysql://host/db", "sqlite:birds.db", "sqlite://birds.db", "sqlite:///"])
def test_a_url_of_no_store_is_refused_with_examples(wrong):
    with pytest.raises(UnknownStore, match="give sqlite:///") as told:
        open_store(wrong)
    assert isinstance(told.value, BadInput)
    assert isinstance(told.value, StoreError)
    assert repr(wrong) in str(told.value)


def test_memory_without_a_name_is_new_every_time():
    open_store("memory:").create("birds", "ann", an_entry(0))
    assert open_store("memory:").campaigns() == []


def test_memory_with_a_name_is_shared_in_the_process():
    with pytest.raises(StoreUnavailable, match="memory:shared"):
        open_store("memory:shared", create=False)
    campaign = open_store("memory:shared").create("birds", "ann", an_entry(0)).number
    append(open_store("memory:shared"), campaign, "{}")
    assert positions(open_store("memory:shared", create=False), campaign) == [0, 1]


def test_a_relative_path_is_taken_from_where_the_store_was_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///birds 100%.db?#")
    monkeypatch.chdir("..")
    assert store.campaigns() == []
    store.close()
    assert (tmp_path / "birds 100%.db?#").exists()


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(StoreUnavailable, match=r"no folder .*nowhere; make it first"):
        open_store(f"sqlite:///{tmp_path}/nowhere/store.db")


def test_a_store_that_is_not_there_is_not_made_unless_wanted(url, tmp_path):
    with pytest.raises(StoreUnavailable, match="there is no store"):
        open_store(url, create=False)
    assert not (tmp_path / "store.db").exists()
    with pytest.raises(StoreUnavailable, match="there is no store"):
        upgrade(url)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("milk, bread\n" * 100)
    with pytest.raises(UnknownStore, match=r"notes\.txt is not an SQLite database"):
        open_store(f"sqlite:///{file}")
    assert file.read_text() == "milk, bread\n" * 100


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path):
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE songs (title)")
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(UnknownStore, match="of something else"):
        open_store(f"sqlite:///{tmp_path}/other.db")
    assert (tmp_path / "other.db").read_bytes() == before


def test_a_file_we_may_not_write_is_named():
    script = """
import os, sys
from labelbandit.stores import Entry, open_store, sqlite
if os.geteuid() == 0:
    os.setgid(65534), os.setuid(65534)
try:
    open_store(sys.argv[1]).create("birds", "ann", Entry(0, 0, "campaign opened", 1, "{}"))
except Exception as error:
    print(type(error).__name__, error)
"""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "store.db"
        open_store(f"sqlite:///{file}").close()
        file.chmod(0o444)
        Path(folder).chmod(0o555)
        command = [sys.executable, "-c", script, f"sqlite:///{file}"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        Path(folder).chmod(0o755)
    assert told.startswith(("StoreReadOnly", "StoreUnavailable"))
    assert "store.db" in told
    assert "the file and its folder" in told


def test_a_full_disk_is_told_and_nothing_is_kept(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    campaign = store.create("birds", "ann", an_entry(0)).number
    store._database._writer.run("PRAGMA max_page_count = 50")  # a disk of 200 kB
    with pytest.raises(StoreFull, match="free some disk space"), store.writing(campaign) as writing:
        writing.append([an_entry(1, "x" * 1_000_000)])
    assert positions(store, campaign) == [0]
    append(store, campaign, "small enough")
    store.close()


def test_what_was_erased_is_not_in_the_file_either(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    campaign = store.create("birds", "ann", an_entry(0)).number
    with store.writing(campaign) as writing:
        writing.enter(Register.WORKER, 0, [("ann@example.org", '{"name": "Ann Example"}'), ("b", None)])
    store.erase(campaign, Register.WORKER, 0)
    assert not any(b"example" in file.read_bytes().lower() for file in tmp_path.iterdir())
    store.close()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # pytest may have threads
def test_a_forked_process_has_connections_of_its_own(url):
    store = open_store(url)
    campaign = store.create("birds", "ann", an_entry(0)).number
    child = os.fork()
    if child == 0:
        append(store, campaign, "from the child")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    append(store, campaign, "from the parent")
    assert [entry.body for entry in store.read(campaign)] == ["{}", "from the child", "from the parent"]
    store.close()


def test_several_who_make_a_store_at_once_make_one(url):
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(open_store, [url] * 4))
    stores[0].create("birds", "ann", an_entry(0))
    assert [len(store.campaigns()) for store in stores] == [1, 1, 1, 1]
    for store in stores:
        store.close()


def test_an_older_store_is_refused_until_it_is_upgraded(url, request):
    store = open_store(url)
    campaign = store.create("birds", "ann", an_entry(0)).number
    store.close()
    assert upgrade(url) == (1, 1)
    request.getfixturevalue("second_version")
    with pytest.raises(StoreOutdated, match=r"version 1, this one needs 2\): .* run labelbandit upgrade"):
        open_store(url)
    assert upgrade(url) == (1, 2)
    assert upgrade(url) == (2, 2)
    store = open_store(url)
    assert store._database.ask("SELECT number, colour FROM campaigns") == [(campaign, None)]
    assert positions(store, campaign) == [0]
    store.close()


@pytest.mark.usefixtures("second_version")
def test_an_upgrade_that_fails_changes_nothing(url, monkeypatch):
    def breaking(execute, dialect):
        execute("CREATE TABLE half_done (number INTEGER)")
        execute("CREATE TABLE campaigns (number INTEGER)")

    open_store(url).close()
    monkeypatch.setattr(schema, "MIGRATIONS", {**schema.MIGRATIONS, 3: breaking})
    with pytest.raises(StoreError):
        upgrade(url)
    monkeypatch.setattr(schema, "MIGRATIONS", {step: run for step, run in schema.MIGRATIONS.items() if step < 3})
    assert upgrade(url) == (2, 2)


@pytest.mark.usefixtures("second_version")
def test_a_newer_store_is_refused(url, monkeypatch):
    open_store(url).close()
    monkeypatch.setattr(schema, "MIGRATIONS", {1: schema.MIGRATIONS[1]})
    with pytest.raises(StoreTooNew, match=r"version 2, this one knows 1\): upgrade labelbandit"):
        open_store(url)
    with pytest.raises(StoreTooNew):
        upgrade(url)


def test_memory_is_always_up_to_date():
    assert upgrade("memory:") == (schema.latest(), schema.latest())
    with pytest.raises(UnknownStore):
        upgrade("nothing")


def test_a_missing_driver_is_named_with_what_to_install():
    script = """
import sys
sys.modules["psycopg"] = None
from labelbandit.stores import open_store
try:
    open_store("postgresql://localhost/birds")
except Exception as error:
    print(type(error).__name__, error)
"""
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert told.startswith("StoreUnavailable")
    assert "install labelbandit[postgres]" in told


def test_the_driver_of_postgresql_is_not_loaded_for_others():
    script = """
import sys
from labelbandit.stores import open_store
open_store("memory:")
print([name for name in ("psycopg", "numpy", "numba", "sqlite3") if name in sys.modules])
"""
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("postgresql://ann:secret@host:5432/db", "postgresql://ann:…@host:5432/db"),
        ("postgresql://ann@host/db?password=secret&sslmode=require", "postgresql://ann@host/db?password=…&sslmode=require"),
        ("postgresql://ann@host/db?sslpassword=secret", "postgresql://ann@host/db?sslpassword=…"),
        ("postgresql://ann:s:e/c@ret@host/db", "postgresql://ann:…@host/db"),
        ("postgresql://host:5432/db", "postgresql://host:5432/db"),
        ("sqlite:///birds.db", "sqlite:///birds.db"),
    ],
)
def test_passwords_are_never_shown(url, wanted):
    assert shown(url) == wanted


def test_a_snapshot_overtaken_by_another_gives_way(url):
    store = open_store(url)
    campaign = store.create("birds", "ann", an_entry(0)).number

    def overtaken():
        yield b"slow"
        store.keep_snapshot(campaign, 7, "fast", [b"fast"])
        yield b"slow"

    store.keep_snapshot(campaign, 5, "slow", overtaken())
    assert store.snapshot(campaign) == (7, "fast", b"fast")
    store.close()
