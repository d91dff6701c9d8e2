"""Everything that can go wrong by a user's doing.

LabelbanditError
├── BadInput                 a value we cannot work with; the message names it and the remedy
│   ├── UnknownPolicy
│   ├── UnknownParameter
│   ├── UnknownCrowd
│   ├── UnknownClass
│   └── BadData              a data file we cannot read; the message names the file and the line
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


class BadData(BadInput):
    """A data file that cannot be read as what it should be."""


class NotAsked(LabelbanditError):
    """The label is for a pair that was never handed out, or that was already told."""
