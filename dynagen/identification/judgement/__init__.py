"""Judgement: how uncertain estimated parameters are, and which of them the forces need."""
