"""Suites of tests for what others may build: run them on your own store. They need pytest."""

from labelbandit.testing.stores import StoreContract

__all__ = ["StoreContract"]
