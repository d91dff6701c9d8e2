"""Settings: one frozen value whose fields, defaults and limits are all there is to set."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server is told when it starts."""

    storage: str
    host: str = "127.0.0.1"
    port: int = 8000
    processes: int = 1
    demo: bool = False
    most_bytes: int = 64 * 2**20
    """Of one request's body."""
    rate: float = 200.0
    """Requests a second with one key, on average."""
    burst: float = 400.0
    """... and at once."""
    sign_ins: float = 5.0
    """Tries a second to sign in, for everyone together from one address."""
