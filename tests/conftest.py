import os

from hypothesis import HealthCheck, settings

# Kernels compile on first use: a slow first example is no sign of a slow test.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", parent=settings.get_profile("house"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "house"))
