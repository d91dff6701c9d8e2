"""labelbandit decides who labels what next, under a hard budget, and says what to believe of the answers."""
__version__ = "0.1.0"
