"""Viewer: what an engineer looks at before trusting a model, as tables and as a 3D page."""
