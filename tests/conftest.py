import os

import pytest
from hypothesis import HealthCheck, settings

from tests import postgres

# Kernels compile on first use: a slow first example is no sign of a slow test. In CI the same examples come every time, so
# that a submission is judged by its own changes; everywhere else they are new in every run.
settings.register_profile(
    "house", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("house")


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server, one for each process of the tests."""
    if postgres.binaries() is None:
        pytest.skip(postgres.ABSENT)
    server = postgres.Server()
    yield server
    server.stop()


@pytest.fixture
def postgres_url(postgres_server):
    """The URL of an empty store on it."""
    return postgres_server.fresh_url()
