"""A vote, ties by the task's lot: what the literal transcriptions of the methods that visit tasks have in common."""

from labelbandit.model.chance import Purpose, uniform


def plurality(votes, total, draw):
    tied = [c for c in range(len(votes)) if votes[c] >= max(votes) - 1e-12 * total]
    return tied[int(uniform(draw, Purpose.MAJORITY.value, 0) * len(tied))] if len(tied) > 1 else tied[0]
