"""Comparison of compiled kernels with numeric references: bounds, proofs and the report.

A `Reference` computes the dynamics of a robot in numpy. An `Expectation` defines the outputs of one
kernel as functions of a reference. A `Bound` limits the error of the kernel. Here, a kernel is any
Python function of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynagen.errors import UsageError, VerificationError
from dynagen.numbers.arrays import Array
from dynagen.numbers.real import DOUBLE, FLOAT, Real
from dynagen.verification.reference import Reference
from dynagen.verification.sampling import States

# S is at least this part of the largest sum of terms. An entry that is zero by symmetry is only the
# rounding of these terms.
_FLOOR = 1e-2


@dataclass(frozen=True)
class Bound:
    """Bound of a kernel's error: |computed - expected| <= tolerance * S, with a scale S.

    The inequality must hold for each element of the outputs, in each state.

    Attributes:
        tolerance: largest allowed relative error.
        text: the bound in words, with the definition of S.
        scale: function that computes S. Its arguments are the expected values, the sums of the
            magnitudes of their terms, and the states. Values and sums have shape (count of states,
            *shape of the output); S broadcasts against both.
    """

    tolerance: float
    text: str
    scale: Callable[[Array, Array, States], Array]


def _largest_value_scale(expected: Array, magnitudes: Array, states: States) -> Array:
    """Return the scale S of the error bound for double precision, for each element of an output.

    The error may be at most the tolerance times S. S is the largest |expected| of the element in
    all states, but at least 0.01 times the largest sum of magnitudes of its terms.
    """
    scale: Array = np.maximum(
        np.max(np.abs(expected), axis=0), _FLOOR * np.max(np.abs(magnitudes), axis=0)
    )
    return scale


def _term_scale(expected: Array, magnitudes: Array, states: States) -> Array:
    """Return the scale S of the error bound for single precision, (states, *shape of the output).

    The error may be at most the tolerance times S. S is the sum of the magnitudes of an element's
    terms, multiplied by the largest |q| of the state if that exceeds 1.
    """
    positions = np.max(
        np.abs(states.inputs.get("q", np.zeros((states.count, 1)))), axis=1, initial=1.0
    )
    scale: Array = np.abs(magnitudes) * positions.reshape(-1, *[1] * (magnitudes.ndim - 1))
    return scale


# Printed into the manifest and the header of generated files.
_TEXT = (
    "Every entry of an output has to satisfy |computed - expected| <= {} * S in every state, "
    "where S is {}. {}"
)

_DOUBLE_BOUND = Bound(
    1e-12,
    _TEXT.format(
        "1e-12",
        "the largest |expected| of that entry over all states, but at least 1e-2 of the largest "
        "sum of the magnitudes of its terms (so that an entry which is zero by symmetry is not "
        "held to the rounding of terms that cancel)",
        "NaN and infinity fail.",
    ),
    _largest_value_scale,
)
# In float, an entry is a sum of terms, and each term has about twenty roundings. Their errors
# rarely add up (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). Sums of
# joint angles are rounded too, which shifts every term in proportion to the angles. The bound
# allows sixteen units of roundoff; bundled and random robots reach four.
_FLOAT_BOUND = Bound(
    8 * FLOAT.epsilon,
    _TEXT.format(
        "2^-20",
        "the sum of the magnitudes of its terms in that state, times the largest |q| if that is "
        "more than 1",
        "The expected values are computed in double precision from the same inputs. "
        "NaN and infinity fail.",
    ),
    _term_scale,
)
BOUNDS: dict[Real, Bound] = {DOUBLE: _DOUBLE_BOUND, FLOAT: _FLOAT_BOUND}

Kernel = Callable[..., tuple[Array, ...]]
"""Type of the functions that are proved.

Such a function has one argument of shape (count, size of the input) for each input, with one state
in each row. It returns one array of shape (count, *shape of the output) for each output.
"""
ExpectedOutputs = Callable[..., tuple[Array, ...]]
"""Function that returns the expected outputs of a kernel, by a numeric reference, for its inputs.

Many outputs are defined by identities, such as gravity_forces(q) = inverse_dynamics(q, 0, 0).
"""


@dataclass(frozen=True)
class Expectation:
    """The outputs that a kernel should compute.

    Attributes:
        function: name of the kernel's function, for messages.
        inputs: names of the kernel's inputs, in order.
        outputs: names of the kernel's outputs, in order.
        expected: function of a `Reference` and the inputs that returns the expected outputs.
        magnitudes: function that computes the sum of the magnitudes of the terms of each element of
            the outputs. It has the arguments of `expected`. With None, `expected` is evaluated with
            `reference.magnitudes`.
        defined: function that returns for each state whether the outputs exist. It has the
            arguments of `expected`. States without outputs are excluded from the proof. With None,
            all states have outputs.
        source: name of the sampled values from which the inputs were computed. These values are the
            last argument of all functions. Empty if the inputs themselves were sampled.
        measure: function of a reference, the outputs, the inputs and the source. It returns the
            values to compare with `expected`. With None, the outputs are compared.
    """

    function: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    expected: ExpectedOutputs
    magnitudes: ExpectedOutputs | None = None
    defined: Callable[..., Array] | None = None
    source: str = ""
    measure: Callable[..., tuple[Array, ...]] | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of all arguments of the function `expected` except the first, the reference."""
        return (*self.inputs, self.source) if self.source else self.inputs

    def compute_scales(self, reference: Reference, *state: Array) -> tuple[Array, ...]:
        """Return, for each output, the sums of the magnitudes of the terms of its elements.

        Rounding errors are proportional to these sums. Because nearly singular closed loops amplify
        rounding errors, the sums are multiplied by the amplification.

        Args:
            reference: expected dynamics of the robot.
            state: values of `arguments`, each with one state in each row.
        """
        if self.magnitudes is None:
            sums = self.expected(reference.magnitudes, *state)
        else:
            sums = self.magnitudes(reference, *state)
        if "q" not in self.inputs:
            return sums
        growth = reference.coordinates.compute_growth(state[self.inputs.index("q")])
        return tuple((each.T * growth).T for each in sums)


@dataclass(frozen=True)
class ExpectedValues:
    """Expected outputs of a kernel on sampled states.

    Attributes:
        states: the states in which the outputs exist.
        by_reference: for each reference, the expected outputs, and for each output the sums of the
            magnitudes of the terms of its elements. All arrays have the shape (count of states,
            *shape of the output).
    """

    states: States
    by_reference: tuple[tuple[tuple[Array, ...], tuple[Array, ...]], ...]


@dataclass(frozen=True)
class ReferenceComparison:
    """Comparison of a kernel with one numeric reference: entry and state of the largest error.

    Attributes:
        reference: name of the numeric reference.
        worst_error: largest |computed - expected| / S, with the scale S of `Bound`; infinite for
            NaN.
        worst_entry: entry with the largest error, for example `tau[2]`, with indices from zero.
        worst_state: index of the state with the largest error, from 0.
        computed: the kernel's value of this entry in this state.
        expected: the reference's value of this entry in this state.
        inputs: inputs of this state, by name.
    """

    reference: str
    worst_error: float
    worst_entry: str
    worst_state: int
    computed: float
    expected: float
    inputs: dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class KernelProof:
    """Comparison of a kernel with all numeric references.

    Attributes:
        function: name of the kernel's function.
        states: number of states.
        seed: seed of the random states.
        within: largest allowed relative error.
        comparisons: the comparison with each reference.
    """

    function: str
    states: int
    seed: int
    within: float
    comparisons: tuple[ReferenceComparison, ...]

    @property
    def passed(self) -> bool:
        """Whether the kernel agrees with every numeric reference within the tolerance."""
        return self.worst.worst_error <= self.within

    @property
    def worst(self) -> ReferenceComparison:
        """The comparison with the reference from which the kernel differs most."""
        return max(self.comparisons, key=lambda comparison: comparison.worst_error)

    def rename_references(self, names: Sequence[str]) -> KernelProof:
        """Return the proof with other names of the references, in the order of `comparisons`."""
        named = (
            replace(comparison, reference=name)
            for comparison, name in zip(self.comparisons, names, strict=True)
        )
        return replace(self, comparisons=tuple(named))


@dataclass(frozen=True)
class VerificationReport:
    """Proofs of all kernels that were generated for one robot."""

    robot: str
    proofs: tuple[KernelProof, ...]

    @property
    def passed(self) -> bool:
        """Whether every kernel of the robot agrees with every reference within its tolerance."""
        return all(proof.passed for proof in self.proofs)

    def require(self) -> None:
        """Raise an error unless every kernel agrees with every reference.

        Raises:
            VerificationError: a kernel and a numeric reference disagree. The message names the
                worst entry and state of each kernel.
        """
        if not self.passed:
            raise VerificationError(
                "\n".join(_failure(self.robot, proof) for proof in self.proofs if not proof.passed)
            )


def check_kernel(
    kernel: Kernel,
    expectation: Expectation,
    references: tuple[Reference, ...],
    states: States,
    bound: Bound = BOUNDS[DOUBLE],
) -> KernelProof:
    """Run a kernel on all states and compare its outputs with every numeric reference.

    If they disagree, `passed` of the result is false.

    Args:
        kernel: the compiled function to prove.
        expectation: the outputs that the kernel should compute.
        references: result of `reference.make_references`.
        states: sampled inputs, the result of `sampling.sample_states`.
        bound: bound of the error.

    Raises:
        UsageError: the outputs exist in none of the states.
        VerificationError: the kernel returns arrays of a wrong shape.
    """
    expected = compute_expected_values(expectation, references, states)
    return compare_kernel(kernel, expectation, references, expected, bound)


def compute_expected_values(
    expectation: Expectation, references: tuple[Reference, ...], states: States
) -> ExpectedValues:
    """Compute the expected outputs of a kernel in all states, by every numeric reference.

    Args:
        expectation: the outputs that the kernel should compute.
        references: result of `reference.make_references`.
        states: sampled inputs. The result omits states in which the outputs do not exist.

    Raises:
        UsageError: the outputs exist in none of the states.
    """
    given = expectation.arguments
    if expectation.defined is not None:
        with np.errstate(all="ignore"):
            states = states.select(
                expectation.defined(references[0], *(states[name] for name in given))
            )
        if not states.count:
            raise UsageError(
                f"{expectation.function} has no value in any state of the proof: check for masses "
                "and "
                "inertias that are missing or far too large"
            )
    arrays = tuple(states[name] for name in given)
    with np.errstate(all="ignore"):  # numbers that overflow become NaN, which fails
        values = [
            (
                expectation.expected(reference, *arrays),
                expectation.compute_scales(reference, *arrays),
            )
            for reference in references
        ]
    return ExpectedValues(states, tuple(values))


def compare_kernel(
    kernel: Kernel,
    expectation: Expectation,
    references: tuple[Reference, ...],
    expected: ExpectedValues,
    bound: Bound,
) -> KernelProof:
    """Run a kernel on all states and compare its outputs with expected values.

    Args:
        kernel: the compiled function to prove.
        expectation: the outputs that the kernel should compute.
        references: the references by which `expected` was computed, in the same order.
        expected: result of `compute_expected_values`.
        bound: bound of the error.

    Raises:
        VerificationError: the kernel returns arrays of a wrong shape.
    """
    states, inputs = expected.states, expectation.inputs
    arrays = tuple(states[name] for name in expectation.arguments)
    outputs = computed = kernel(*arrays[: len(inputs)])
    comparisons = []
    for reference, (values, scales) in zip(references, expected.by_reference, strict=True):
        with np.errstate(all="ignore"):  # numbers that overflow become NaN, which fails
            if expectation.measure is not None:
                computed = expectation.measure(reference, outputs, *arrays)
            by_output = [
                _compare(bound, reference.name, name, states, inputs, *of_output)
                for name, *of_output in zip(
                    expectation.outputs, computed, values, scales, strict=True
                )
            ]
        comparisons.append(max(by_output, key=lambda comparison: comparison.worst_error))
    return KernelProof(
        expectation.function, states.count, states.seed, bound.tolerance, tuple(comparisons)
    )


def join_proofs(proofs: Sequence[KernelProof]) -> KernelProof:
    """Join the proofs of one kernel on different states into one proof.

    For every reference, the result contains the comparison with the largest error.
    """
    worst = [
        max(comparisons, key=lambda comparison: comparison.worst_error)
        for comparisons in zip(*(proof.comparisons for proof in proofs), strict=True)
    ]
    return replace(
        proofs[0], states=sum(proof.states for proof in proofs), comparisons=tuple(worst)
    )


def _compare(
    bound: Bound,
    reference: str,
    output: str,
    states: States,
    inputs: tuple[str, ...],
    computed: Array,
    expected: Array,
    magnitudes: Array,
) -> ReferenceComparison:
    """Compare one output of a kernel with one numeric reference.

    The arrays have the shape (count of states, *shape of the output).
    """
    if computed.shape != expected.shape:
        raise VerificationError(
            f"{output} has shape {computed.shape}, expected {expected.shape}. This is a bug in "
            "dynagen"
        )
    scale = bound.scale(expected, magnitudes, states)
    scale = np.where(scale > 0, scale, 1.0)  # all terms are zero: the computed value must be zero
    error = np.abs(computed - expected) / scale
    error = np.where(np.isfinite(error) & np.isfinite(scale), error, np.inf)
    worst = np.unravel_index(int(np.argmax(error)), error.shape)
    state, *entry = (int(index) for index in worst)
    return ReferenceComparison(
        reference=reference,
        worst_error=float(error[worst]),
        worst_entry=f"{output}[{', '.join(str(index) for index in entry)}]",
        worst_state=state,
        computed=float(computed[worst]),
        expected=float(expected[worst]),
        inputs={name: tuple(map(float, np.ravel(states[name][state]))) for name in inputs},
    )


def _failure(robot: str, proof: KernelProof) -> str:
    """Return the error message for a kernel that is not proved."""
    worst = proof.worst
    state = "\n".join(f"    {name} = {list(values)}" for name, values in worst.inputs.items())
    return (
        f"{robot}: {proof.function} disagrees with the {worst.reference} reference: "
        f"{worst.worst_entry} is {worst.computed!r}, expected {worst.expected!r}.\n"
        f"  Relative error {worst.worst_error:.2g}, allowed {proof.within:.2g}; "
        f"state {worst.worst_state} of {proof.states}, seed {proof.seed}:\n{state}\n"
        "  Unless the code has been edited, this is a bug in dynagen: "
        "please report it with the description and these numbers."
    )
