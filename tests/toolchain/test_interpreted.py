"""Functions of an installed package run in a process of their own, without dynagen."""

import numpy as np
import pytest

from dynagen.errors import ToolchainError
from dynagen.ir.program import STATUS, Argument, Signature
from dynagen.numbers.real import DOUBLE
from dynagen.toolchain.interpreted import InstalledFunction, load_installed

PACKAGE = """
import numpy as np

print("a package may print")

def scale(q, factor):
    return q * factor

def solve(q):
    return 1 / (q + 1), np.asarray(q[..., 0] == 0, np.int32)

def count(q):
    return np.full(np.shape(q), float(np.ndim(q)))

def shorten(q):
    return q[..., 1:]
"""


def argument(name, *shape):
    return Argument(name, shape, ("",), "")


Q, R = argument("q", 2), argument("r", 2)
SCALE = Signature("scale", (Q, argument("factor", 1)), (R,))
SOLVE = Signature("solve", (Q,), (R, Argument(STATUS, (1,), ("",), "", is_status=True)))


@pytest.fixture
def load(tmp_path):
    (tmp_path / "arm.py").write_text(PACKAGE)

    def load(**functions):
        return load_installed([str(tmp_path)], functions, DOUBLE)

    return load


def test_functions_are_called_on_all_states_or_on_one_after_the_other(load):
    kernels = load(
        scale=InstalledFunction("arm", SCALE),
        solve=InstalledFunction("arm", SOLVE),
        one=InstalledFunction("arm", Signature("count", (Q,), (R,)), one_by_one=True),
        many=InstalledFunction("arm", Signature("count", (Q,), (R,))),
    )
    q = np.array([[1.0, 2.0], [0.0, 4.0], [5.0, 8.0]])
    (scaled,) = kernels["scale"](q, [[1], [2], [3]])
    np.testing.assert_array_equal(scaled, [[1, 2], [0, 8], [15, 24]])
    inverse, status = kernels["solve"]([[1.0, 2.0], [1.0, 4.0], [0.0, 8.0]])
    np.testing.assert_array_equal(inverse[1], [0.5, 0.2])
    assert status.tolist() == [0, 0, 1]
    assert kernels["one"](q)[0].tolist() == [[1, 1]] * 3
    assert kernels["many"](q)[0].tolist() == [[2, 2]] * 3


def test_a_package_that_requires_dynagen_is_rejected(load, tmp_path):
    with (tmp_path / "arm.py").open("a") as file:
        file.write("import dynagen.errors\n")
    with pytest.raises(ToolchainError, match="Python rejected generated code"):
        load(scale=InstalledFunction("arm", SCALE))


@pytest.mark.parametrize(("module", "name"), [("arm", "missing"), ("leg", "scale")])
def test_what_a_package_lacks_is_named(load, module, name):
    with pytest.raises(ToolchainError, match=name if module == "arm" else module):
        load(it=InstalledFunction(module, Signature(name, (Q,), (R,))))


def test_results_of_another_shape_are_rejected(load):
    kernels = load(it=InstalledFunction("arm", Signature("shorten", (Q,), (R,))))
    with pytest.raises(ToolchainError, match=r"shorten\(\) returned arrays of shapes and types"):
        kernels["it"]([[1.0, 2.0]])
