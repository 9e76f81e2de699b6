"""Division of a program among cores, and list scheduling of task graphs."""
