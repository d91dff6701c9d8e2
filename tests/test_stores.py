"""The stores keep the contract."""

import pytest

from labelbandit.testing import StoreContract


class TestMemory(StoreContract):
    across_processes = False

    @pytest.fixture
    def store_url(self):
        return "memory:"


class TestSqlite(StoreContract):
    @pytest.fixture
    def store_url(self, tmp_path):
        return f"sqlite:///{tmp_path}/store.db"


class TestPostgres(StoreContract):
    @pytest.fixture
    def store_url(self, postgres_url):
        return postgres_url
