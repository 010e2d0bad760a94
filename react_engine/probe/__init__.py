"""Measuring what a model can do: the same small scenarios on each path, looked at one by one."""
