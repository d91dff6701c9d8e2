"""The version of labelbandit, which results and snapshots carry."""

VERSION = "0.1.0"
