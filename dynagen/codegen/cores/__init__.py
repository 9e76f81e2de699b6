"""Division of a program among cores that run at once."""
