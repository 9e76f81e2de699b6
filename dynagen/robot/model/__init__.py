"""The robot model: moving bodies in the generator's frames, and changes that keep its dynamics.

`model` builds a `RobotModel` from a description. `moving_frames` shifts and turns body frames,
`regrouping` moves inertia to parent bodies, and `base_parameters` names what regrouping leaves.
"""
