"""Keys in blocks: each block of 64 slots knows its least key, so a search skips whole blocks and never sorts anything."""

from typing import NamedTuple

import numpy as np

from labelbandit.compiled import inner
from labelbandit.model.arrays import Floats

BLOCK = 64


class Blocks(NamedTuple):
    """A key for each slot, infinite where there is nothing to find, and the least key of each block."""

    key: Floats
    least: Floats


def empty_blocks(count: int) -> Blocks:
    """Blocks with nothing in them."""
    return Blocks(np.full(count * BLOCK, np.inf), np.full(count, np.inf))


def with_room_for(blocks: Blocks, count: int) -> Blocks:
    """The same blocks followed by empty ones."""
    grown = empty_blocks(count)
    grown.key[: blocks.key.size] = blocks.key
    grown.least[: blocks.least.size] = blocks.least
    return grown


@inner
def put(blocks: Blocks, slot: int, key: float) -> None:
    """Give the slot this key."""
    block = slot // BLOCK
    old = blocks.key[slot]
    blocks.key[slot] = key
    if key <= blocks.least[block]:
        blocks.least[block] = key
    elif old == blocks.least[block]:
        find_least(blocks, block)


@inner
def find_least(blocks: Blocks, block: int) -> None:
    """Look the block's keys through."""
    least = np.inf
    for slot in range(block * BLOCK, (block + 1) * BLOCK):
        least = min(least, blocks.key[slot])
    blocks.least[block] = least
