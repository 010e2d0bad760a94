"""The same tasks on each path and in each dialect, side by side."""
