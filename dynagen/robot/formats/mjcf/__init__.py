"""Robot descriptions in MJCF, the format of MuJoCo, as its own compiler understands them."""
