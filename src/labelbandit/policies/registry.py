"""The policies by name."""

from collections.abc import Mapping

from labelbandit.model.errors import UnknownPolicy
from labelbandit.model.grammar import parse
from labelbandit.policies.bbta import Bbta
from labelbandit.policies.contract import Policy
from labelbandit.policies.crosscheck import Crosscheck
from labelbandit.policies.crowdsense import CrowdSense
from labelbandit.policies.iethresh import IEThresh
from labelbandit.policies.optkg import Optkg, OptkgMulti
from labelbandit.policies.random import Random

DEFAULT = Bbta
"""What a new campaign uses."""

_KINDS: tuple[type[Policy], ...] = (Random, Bbta, Crosscheck, IEThresh, CrowdSense, Optkg, OptkgMulti)

POLICIES: Mapping[str, type[Policy]] = {kind.name: kind for kind in _KINDS} | {"default": DEFAULT}


def policy_from(text: str) -> Policy:
    """The policy that `name[:key=value,…]` stands for."""
    return parse(text, POLICIES, "policy", UnknownPolicy)
