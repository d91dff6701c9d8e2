"""The comparison of all policies in all worlds: what is run, what is read off it, figures and report."""
