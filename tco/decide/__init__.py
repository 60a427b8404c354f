"""Questions asked of whole scenarios: the value of an input at which a result turns (F20)."""

from tco.decide.goal_seek import GoalSeek, goal_seek
from tco.decide.target import Target, read_target

__all__ = ["GoalSeek", "Target", "goal_seek", "read_target"]
