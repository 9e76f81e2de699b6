"""Solvers of several extras live in one process."""

import subprocess
import sys

import pytest

BOTH = """
import numpy as np
from dynagen.apps.identification.link_parameters import make_link_parameters
from dynagen.apps.identification.physical_links import find_nearest_links
from dynagen.robot.loading import load_robot

links = make_link_parameters(load_robot("ur5"))
find_nearest_links(links, links.described_base)
from tests.support.libraries import cp_model
"""


@pytest.mark.tools
def test_schedules_find_their_solver_after_links_that_can_be_built() -> None:
    subprocess.run([sys.executable, "-c", BOTH], check=True)
