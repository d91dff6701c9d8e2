from hypothesis import HealthCheck, settings

# Kernels compile on first use: a slow first example is no sign of a slow test.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")
