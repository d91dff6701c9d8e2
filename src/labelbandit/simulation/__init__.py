"""Crowds that answer like people do, and the compiled loop that runs a policy on them."""
