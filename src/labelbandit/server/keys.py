"""Keys: random tokens, of which a store has only the digests, and what they open."""

import hashlib
import hmac
import secrets

from labelbandit.campaign.values import OWNER
from labelbandit.model.errors import KeyRefused
from labelbandit.stores.contract import Key, Store

_BYTES = 24
"""Of randomness in a token: 192 bits."""


def digest(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).digest()


def issue(store: Store, owner: str, campaign: int | None = None, worker: int | None = None) -> str:
    """A new token for all of an owner's campaigns, for one of them, or for one worker's part in it."""
    token = f"{'lbr' if worker is None else 'lbw'}_{secrets.token_urlsafe(_BYTES)}"
    store.add_key(Key(digest(token), owner, campaign, worker, store.now()))
    return token


def look_up(store: Store, token: str) -> Key:
    """The key that the token is."""
    wanted = digest(token[:200])
    key = store.find_key(wanted)
    if key is None or not hmac.compare_digest(key.digest, wanted):
        raise KeyRefused("this key is not known here: check it, or ask for a new one")
    return key


def first_key(store: Store, owner: str = OWNER) -> str | None:
    """A requester's key, if the owner has none yet."""
    if any(key.campaign is None and key.worker is None for key in store.keys(owner)):
        return None
    return issue(store, owner)


def revoke_worker(store: Store, owner: str, campaign: int, worker: int) -> None:
    """Make the links of a worker invalid."""
    for key in store.keys(owner):
        if (key.campaign, key.worker) == (campaign, worker):
            store.drop_key(key.digest)
