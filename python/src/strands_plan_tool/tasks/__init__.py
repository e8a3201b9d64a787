"""Plans of work for executors: the check before anything runs, and the run itself.

Nothing here knows what an executor is: ``run_tasks`` is given a function that carries out
one step.
"""

from __future__ import annotations

from strands_plan_tool.tasks.check import MAX_TASKS, check_tasks, task_levels
from strands_plan_tool.tasks.run import DoTask, TaskRun, run_tasks

__all__ = ["MAX_TASKS", "DoTask", "TaskRun", "check_tasks", "run_tasks", "task_levels"]
