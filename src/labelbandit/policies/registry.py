"""The policies by name: ours, and those that users register."""

from collections.abc import Mapping
from typing import TypeVar

from labelbandit.model.errors import BadInput, UnknownPolicy
from labelbandit.model.grammar import parse
from labelbandit.policies.bbta import Bbta
from labelbandit.policies.contract import Policy
from labelbandit.policies.crosscheck import Crosscheck
from labelbandit.policies.crowdsense import CrowdSense
from labelbandit.policies.iethresh import IEThresh
from labelbandit.policies.optkg import Optkg, OptkgMulti
from labelbandit.policies.random import Random

Kind = TypeVar("Kind", bound=type[Policy])

DEFAULT = Crosscheck
"""What a new campaign uses."""

_KINDS: tuple[type[Policy], ...] = (Random, Bbta, Crosscheck, IEThresh, CrowdSense, Optkg, OptkgMulti)

POLICIES: Mapping[str, type[Policy]] = {kind.name: kind for kind in _KINDS} | {"default": DEFAULT}
"""Those that come with labelbandit."""

_REGISTERED: dict[str, type[Policy]] = {}


def register(kind: Kind) -> Kind:
    """Let a policy of your own go by its name, like ours; registering a name again replaces it. Works as a decorator."""
    name: object = getattr(kind, "name", None)
    if not hasattr(kind, "__dataclass_fields__") or not isinstance(name, str) or not name or set(name) & set(":,= "):
        raise BadInput(f"{kind!r} is no policy: give a dataclass with a name, a text without spaces, colons and commas")
    if name in POLICIES:
        raise BadInput(f"a policy {name!r} comes with labelbandit: give yours another name")
    _REGISTERED[name] = kind
    return kind


def known_policies() -> Mapping[str, type[Policy]]:
    """All policies by name, ours and those registered."""
    return {**POLICIES, **_REGISTERED}


def policy_from(text: str) -> Policy:
    """The policy that `name[:key=value,…]` stands for."""
    return parse(text, known_policies(), "policy", UnknownPolicy)
