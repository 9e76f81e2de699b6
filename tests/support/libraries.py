"""Libraries that `make test` does not install: imported at their first use, so that pytest can read
every test file.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from sysconfig import get_path
from typing import Any


class Library:
    """A module that is imported when one of its attributes is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # While pytest collects tests, it looks for such attributes of everything in a module.
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)


casadi = Library("casadi")
cp_model = Library("ortools.sat.python.cp_model")
dask_array = Library("dask.array")
dask_distributed = Library("dask.distributed")
dask_utils = Library("dask.utils")
fmpy = Library("fmpy")
fmpy_validation = Library("fmpy.validation")
forward_ad = Library("torch.autograd.forward_ad")
jax = Library("jax")
kconfiglib = Library("kconfiglib")
jax_test_util = Library("jax.test_util")
mujoco = Library("mujoco")
parquet = Library("pyarrow.parquet")
pinocchio = Library("pinocchio")
pyarrow = Library("pyarrow")
torch = Library("torch")


def find_eigen() -> Path:
    """Return the folder of Eigen's headers, which the package cmeel-eigen installs."""
    folder = Path(get_path("purelib"), "cmeel.prefix", "include", "eigen3")
    assert folder.is_dir(), "pip install cmeel-eigen"
    return folder
