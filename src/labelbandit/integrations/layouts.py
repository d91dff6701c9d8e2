"""The names of what goes out and how it is written."""

from enum import StrEnum


class What(StrEnum):
    """What is exported."""

    LABELS = "labels"
    ESTIMATES = "estimates"
    LOG = "log"


class Layout(StrEnum):
    """How it is written."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    CROWDKIT = "crowdkit"
    CLEANLAB = "cleanlab"
    LABELSTUDIO = "labelstudio"
