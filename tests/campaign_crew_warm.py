"""Imported by the process from which members of a crew are forked: with the kernels loaded, they start at once."""

from tests.campaign_crew import warm_up

warm_up()
