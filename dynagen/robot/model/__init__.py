"""RobotModel: the tree of moving bodies in the generator's frames, and what may be rearranged in it without changing it."""
