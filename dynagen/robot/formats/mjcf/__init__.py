"""Robot descriptions in MJCF, the format of MuJoCo, read by MuJoCo's own compiler."""
