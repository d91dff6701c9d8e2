"""Experiments: policies compared on crowds, and the figures that show it."""
