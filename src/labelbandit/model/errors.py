"""Everything that can go wrong by a user's doing.

LabelbanditError
├── BadInput                 a value we cannot work with; the message names it and the remedy
│   ├── UnknownPolicy
│   ├── UnknownParameter
│   ├── UnknownCrowd
│   ├── UnknownClass
│   ├── BadData              a data file we cannot read; the message names the file and the line
│   └── UnknownStore         (also a StoreError) a URL that leads to no store
├── NotAsked                 a label for a pair that was never handed out
├── AlreadyAnswered          another answer than the one told: correcting has a verb of its own
├── TooLate                  the answer comes after its assignment lapsed, and can no longer be taken
├── BudgetTooSmall           what is asked for costs more than the budget holds
├── CampaignOver             the campaign is closed
├── KeyMissing               the server was given no key
├── KeyRefused               the key is unknown, or does not open this
├── TooLarge                 more at once than the server takes
├── TooOften                 more requests in a time than the server takes
├── UnknownName              (also BadInput) no campaign, task, worker or assignment goes by that name
└── StoreError               what is kept cannot be read or written; the message names the store and the remedy
    ├── StoreTooNew          written by a newer version of labelbandit
    ├── StoreOutdated        written by an older version, not upgraded yet
    ├── StoreUnavailable     not there, busy, or out of touch
    ├── StoreFull
    ├── StoreReadOnly
    ├── Conflict             another writer was first
    ├── NameTaken            the owner has a campaign of that name
    └── AlreadyThere         the campaign has a task, worker or context with that id
"""


class LabelbanditError(Exception):
    """The root of all errors raised by labelbandit."""


class BadInput(LabelbanditError, ValueError):
    """A value we cannot work with."""


class UnknownPolicy(BadInput):
    """No policy goes by that name."""


class UnknownParameter(BadInput):
    """The policy or crowd has no parameter of that name."""


class UnknownCrowd(BadInput):
    """No crowd goes by that name."""


class UnknownClass(BadInput):
    """The answer is not one of the classes."""


class BadData(BadInput):
    """A data file that cannot be read as what it should be."""


class NotAsked(LabelbanditError):
    """The label is for a pair that was never handed out, or that was already told."""


class StoreError(LabelbanditError):
    """What is kept cannot be read or written."""


class UnknownStore(StoreError, BadInput):
    """The URL leads to no store."""


class StoreTooNew(StoreError):
    """The store was written by a newer version of labelbandit."""


class StoreOutdated(StoreError):
    """The store was written by an older version of labelbandit and not upgraded yet."""


class StoreUnavailable(StoreError):
    """The store is not there, busy, or out of touch."""


class StoreFull(StoreError):
    """There is no room left where the store lies."""


class StoreReadOnly(StoreError):
    """The store may be read but not written."""


class Conflict(StoreError):
    """Another writer was first."""


class NameTaken(StoreError):
    """The owner has a campaign of that name already."""


class AlreadyThere(StoreError):
    """The campaign has a task, worker or context with that id already."""


class AlreadyAnswered(LabelbanditError):
    """The assignment was told another answer, or declined."""


class TooLate(LabelbanditError):
    """The assignment lapsed, and its answer can no longer be taken."""


class BudgetTooSmall(LabelbanditError):
    """The budget does not hold what is asked for."""


class CampaignOver(LabelbanditError):
    """The campaign is closed."""


class UnknownName(BadInput):
    """No campaign, task, worker or assignment goes by that name."""


class KeyMissing(LabelbanditError):
    """The server was given no key."""


class KeyRefused(LabelbanditError):
    """The key is unknown, or does not open what was asked for."""


class TooLarge(LabelbanditError):
    """More at once than the server takes."""


class TooOften(LabelbanditError):
    """More requests in a time than the server takes."""
