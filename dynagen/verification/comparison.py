"""Comparison of compiled kernels with the references: bounds, proofs and the report.

A `Reference` computes the dynamics of a robot in numpy. An `Expectation` defines the outputs of one
kernel in terms of a reference. A `Bound` limits the error of the kernel, with one bound for each
floating-point type.

In this module, a kernel is any Python function of arrays. Comparison depends neither on the
generator nor on the language.
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

    The inequality has to hold for each element of an output, in each state.

    Attributes:
        tolerance: relative error that is allowed.
        text: the bound in words, with the definition of S.
        scale: function that computes S from the expected values, the sums of the magnitudes of
            their terms, and the states. For count states, expected values and sums have shape
            (count, *shape of the output); S broadcasts against both.
    """

    tolerance: float
    text: str
    scale: Callable[[Array, Array, States], Array]


def _largest_value_scale(expected: Array, magnitudes: Array, states: States) -> Array:
    """Return the scale of the bound for double precision, for each element of an output.

    The scale is the largest |expected| of the element over all states, but at least 0.01 of the
    largest sum of magnitudes of its terms.
    """
    scale: Array = np.maximum(
        np.max(np.abs(expected), axis=0), _FLOOR * np.max(np.abs(magnitudes), axis=0)
    )
    return scale


def _term_scale(expected: Array, magnitudes: Array, states: States) -> Array:
    """Return the scale of the bound for float, shape (count, *shape of the output).

    The scale is the sum of the magnitudes of an element's terms, times the largest |q| of the state
    if this |q| is more than 1.
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
"""Function to prove.

The arguments are one array (count, n) for each input, with one of count states in each row. The
result is one array (count, *shape of the output) for each output.
"""
ExpectedOutputs = Callable[..., tuple[Array, ...]]
"""Function that defines the outputs of a kernel: from a reference and the inputs to the outputs.

The function computes the outputs with the reference only. Functions that follow from inverse
dynamics are defined by an identity, such as gravity_forces(q) = inverse_dynamics(q, 0, 0).
"""


@dataclass(frozen=True)
class Expectation:
    """The outputs that a kernel should compute; `pipeline.proof` makes an expectation.

    Attributes:
        function: name of the kernel's function, for messages.
        inputs: names of the kernel's inputs, in order; the states contain them.
        outputs: names of the kernel's outputs, in order.
        expected: function that computes the expected outputs from a reference and the inputs.
        magnitudes: function, with the arguments of `expected`, that computes for each element of
            the outputs the sum of the magnitudes of its terms. None means that `expected` is
            evaluated with `reference.magnitudes`.
        defined: function, with the arguments of `expected`, that returns for each state whether the
            outputs exist; a proof excludes the other states. None means that they exist in all
            states.
        source: name of the sampled values from which the inputs were computed; these values are the
            last argument of all callables. The name is empty if the inputs themselves were sampled.
        measure: function of a reference, the outputs, the inputs and the source. It returns the
            values to compare with `expected`. None means that the outputs themselves are compared.
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
        """Names of the sampled arrays that `expected` receives after the reference, in order."""
        return (*self.inputs, self.source) if self.source else self.inputs

    def compute_scales(self, reference: Reference, *state: Array) -> tuple[Array, ...]:
        """Return, for each output, an array that contains the scale of each element's rounding.

        The array has the shape of the output. The scale is the sum of the magnitudes of the
        element's terms. Nearly singular closed loops amplify the rounding of all terms. Therefore
        the sums of each state are multiplied by the state's amplification.

        Args:
            reference: the robot's expected dynamics.
            state: values of `arguments`, each with one state per row.
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
        states: the states in which the outputs exist; count is their number.
        by_reference: for each reference, a pair. The first item contains the expected outputs, the
            second for each element of an output the sum of the magnitudes of its terms. The arrays
            have the shape (count, *shape of the output).
    """

    states: States
    by_reference: tuple[tuple[tuple[Array, ...], tuple[Array, ...]], ...]


@dataclass(frozen=True)
class ReferenceComparison:
    """Comparison of a kernel with one reference: entry and state of the largest error.

    Attributes:
        reference: name of the reference.
        worst_error: |computed - expected| / S of the entry `worst_entry` in the state
            `worst_state`, with the scale S of `Bound`; infinite for NaN.
        worst_entry: entry with the largest error, for example `tau[2]`, with indices from zero.
        worst_state: index of the state with the largest error, from 0.
        computed: the kernel's value of `worst_entry` in `worst_state`.
        expected: the reference's value of `worst_entry` in `worst_state`.
        inputs: inputs of the worst state, by name.
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
    """Comparison of a kernel with all references.

    Attributes:
        function: name of the kernel's function.
        states: number of states.
        seed: seed of the random states.
        within: largest permitted relative error, the tolerance of the bound.
        comparisons: the comparison with each reference.
    """

    function: str
    states: int
    seed: int
    within: float
    comparisons: tuple[ReferenceComparison, ...]

    @property
    def passed(self) -> bool:
        """Whether the kernel agrees with every reference within the tolerance."""
        return self.worst.worst_error <= self.within

    @property
    def worst(self) -> ReferenceComparison:
        """The comparison with the reference from which the kernel differs most."""
        return max(self.comparisons, key=lambda comparison: comparison.worst_error)

    def rename_references(self, names: Sequence[str]) -> KernelProof:
        """Return the proof with `names` for the references, in the order of `comparisons`."""
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
            VerificationError: a kernel and a reference disagree; the message names the worst entry
                and state of each kernel.
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
    """Run a kernel on all states and compare its outputs with every reference.

    A disagreement is not an error of this function: the field `passed` of the result is false.

    Args:
        kernel: the compiled function to prove, from one array (count, n) for each input to one
            array (count, *shape of the output) for each output, with one of count states per row.
        expectation: definition of the outputs that the kernel should compute.
        references: as `reference.make_references` returns them.
        states: sampled inputs, as `sampling.sample_states` returns them.
        bound: largest permitted error of an output's element.

    Raises:
        UsageError: the outputs exist in none of the states.
        VerificationError: the kernel returns arrays of a wrong shape.
    """
    expected = compute_expected_values(expectation, references, states)
    return compare_kernel(kernel, expectation, references, expected, bound)


def compute_expected_values(
    expectation: Expectation, references: tuple[Reference, ...], states: States
) -> ExpectedValues:
    """Compute the values that a kernel should have in all states, by every reference.

    Args:
        expectation: definition of the outputs that the kernel should compute.
        references: as `reference.make_references` returns them.
        states: sampled inputs; states in which the outputs do not exist are left out of the result.

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
        kernel: the compiled function to prove, from one array (count, n) for each input to one
            array (count, *shape of the output) for each output, with one of count states per row.
        expectation: definition of the outputs that the kernel should compute.
        references: the references by which `expected` was computed, in the same order.
        expected: states and expected outputs, as `compute_expected_values` returns them.
        bound: largest permitted error of an output's element.

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

    The result counts the states of all proofs. For every reference, the result contains the
    comparison with the largest error.
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
    """Compare one output with one reference; arrays have shape (count, *shape of the output)."""
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
