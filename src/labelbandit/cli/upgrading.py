"""`labelbandit upgrade`: a store brought up to date."""

from labelbandit.cli.showing import remark
from labelbandit.cli.storage import DEFAULT, Storage


def upgrade(*, storage: Storage = DEFAULT) -> None:
    """Bring the tables of a store up to date; stop what uses it first."""
    from labelbandit.stores import upgrade as bring_up

    before, after = bring_up(storage)
    if before == after:
        remark(f"the store is up to date (version {after})")
    else:
        remark(f"the store was brought from version {before} to {after}")
