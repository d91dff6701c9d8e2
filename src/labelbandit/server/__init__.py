"""Campaigns over HTTP: the API, the page for workers, the pages for requesters, and a client."""
