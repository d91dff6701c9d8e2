"""The suite that every store must pass."""

from labelbandit.testing.logs import LogContract
from labelbandit.testing.races import RacesContract
from labelbandit.testing.registers import CampaignsContract, KeysContract, RegistersContract, SnapshotsContract


class StoreContract(LogContract, CampaignsContract, RegistersContract, SnapshotsContract, KeysContract, RacesContract):
    """Subclass this and add a fixture `store_url` for a new store; set `opener` if `open_store` does not know such URLs."""
