"""Viewer: inspection of a robot model, as tables and as a 3D page."""
