"""Everything that can go wrong by a user's doing.

LabelbanditError
├── BadInput                 a value we cannot work with; the message names it and the remedy
│   ├── UnknownPolicy
│   ├── UnknownParameter
│   ├── UnknownCrowd
│   └── UnknownClass
└── NotAsked                 a label for a pair that was never handed out
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


class NotAsked(LabelbanditError):
    """The label is for a pair that was never handed out, or that was already told."""
