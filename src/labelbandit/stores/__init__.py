"""The log made durable: one contract, kept by SQLite, PostgreSQL and memory."""

from labelbandit.stores.contract import CampaignRow, Entry, Key, Register, Store, Writing
from labelbandit.stores.opening import open_store, upgrade

__all__ = ["CampaignRow", "Entry", "Key", "Register", "Store", "Writing", "open_store", "upgrade"]
