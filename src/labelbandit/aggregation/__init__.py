"""What to believe of labels that are there already, however they were collected."""
