"""The robot model: moving bodies in the generator's frames, and changes that keep the dynamics.

`model` makes a `RobotModel` from a description. `moving_frames` shifts and turns body frames,
`regrouping` moves inertia to parent bodies, and `base_parameters` lists the parameters that remain
after regrouping.
"""
