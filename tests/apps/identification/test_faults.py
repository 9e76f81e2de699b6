"""Faults of logs: exchanged columns of forces."""

import numpy as np

from dynagen.apps.identification.faults import _assign_forces


def test_forces_are_not_exchanged_if_one_of_them_fits_worse_at_the_other_joint() -> None:
    # Friction that the model leaves out can make a light joint fit any force badly.
    exchanged = np.array([[0.9, 0.05], [0.05, 0.9]])
    worse = np.array([[0.04, 0.05], [0.2, 0.9]])
    assert _assign_forces(exchanged)[1].tolist() == [True, True]
    assert _assign_forces(worse)[0].tolist() == [1, 0]
    assert _assign_forces(worse)[1].tolist() == [False, False]
