"""A campaign: its log, what the log comes to, a policy and a clock."""
