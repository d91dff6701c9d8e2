import os

from hypothesis import HealthCheck, settings

# Kernels compile on first use: a slow first example is no sign of a slow test. In CI the same examples come every time, so
# that a submission is judged by its own changes; everywhere else they are new in every run.
settings.register_profile(
    "house", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("house")
