"""Comparison of compiled kernels with the references: rules, proofs and the report.

The rules by which computed values are compared with expected ones: one for every type of real numbers.

Compiled kernel, references and states -> KernelProof, and proofs -> VerificationReport.

A kernel is any callable on arrays here: this module knows neither how it was generated nor in which language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dynagen.errors import UsageError, VerificationError
from dynagen.numbers.real import DOUBLE, FLOAT, Real
from dynagen.verification.kinematics import Array
from dynagen.verification.reference import Reference
from dynagen.verification.sampling import States

_FLOOR = 1e-2


@dataclass(frozen=True)
class Rule:
    """Every entry of an output has to satisfy |computed - expected| <= tolerance * S in every state.

    Attributes:
        text: the rule in words, with what S is.
        scale: computes S from the expected values and the sums of the magnitudes of their terms, both (count, *shape of the
            output), and the states; broadcasts against them.
    """

    tolerance: float
    text: str
    scale: Callable[[Array, Array, States], Array]


def _largest_value(expected: Array, magnitudes: Array, states: States) -> Array:
    scale: Array = np.maximum(
        np.max(np.abs(expected), axis=0), _FLOOR * np.max(np.abs(magnitudes), axis=0)
    )
    return scale


def _terms(expected: Array, magnitudes: Array, states: States) -> Array:
    positions = np.max(
        np.abs(states.inputs.get("q", np.zeros((states.count, 1)))), axis=1, initial=1.0
    )
    scale: Array = np.abs(magnitudes) * positions.reshape(-1, *[1] * (magnitudes.ndim - 1))
    return scale


_TEXT = "Every entry of an output has to satisfy |computed - expected| <= {} * S in every state, where S is {}. {}"

_DOUBLE_RULE = Rule(
    1e-12,
    _TEXT.format(
        "1e-12",
        "the largest |expected| of that entry over all states, but at least 1e-2 of the largest sum of the magnitudes of its "
        "terms (so that an entry which is zero by symmetry is not held to the rounding of terms that cancel)",
        "NaN and infinity fail.",
    ),
    _largest_value,
)
# Computing in float, an entry is a sum of terms each of which has gone through some twenty roundings, and errors rarely add up
# (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). Sums of joint angles are rounded too: that
# shifts every term in proportion to the angles. Sixteen units of roundoff are allowed; bundled and random robots need four.
_FLOAT_RULE = Rule(
    8 * FLOAT.epsilon,
    _TEXT.format(
        "2^-20",
        "the sum of the magnitudes of its terms in that state, times the largest |q| if that is more than 1",
        "The expected values are computed in double precision from the same inputs. NaN and infinity fail.",
    ),
    _terms,
)
RULES: dict[Real, Rule] = {DOUBLE: _DOUBLE_RULE, FLOAT: _FLOAT_RULE}


Kernel = Callable[..., tuple[Array, ...]]
"""Takes one array (count, n) for each input and returns one array (count, *shape) for each output."""

Identity = Callable[..., tuple[Array, ...]]
"""Takes a reference and the inputs of a kernel; returns what the kernel should, from inverse dynamics alone."""


@dataclass(frozen=True)
class Expectation:
    """The results that a kernel should compute.

    Attributes:
        function: its name, for messages.
        inputs: names of the kernel's inputs, in order; states have to contain them.
        outputs: names of the kernel's outputs, in order.
        identity: gives the expected outputs.
        magnitudes: gives the sums of term magnitudes, where they are not the identity of `reference.magnitudes`.
        defined: tells in which states the outputs exist, called as the identity is; the others are left out. None: in all.
    """

    function: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    identity: Identity
    magnitudes: Identity | None = None
    defined: Callable[..., Array] | None = None

    def scales(self, reference: Reference, *state: Array) -> tuple[Array, ...]:
        """The sums of term magnitudes of all outputs."""
        if self.magnitudes is None:
            return self.identity(reference.magnitudes, *state)
        return self.magnitudes(reference, *state)


@dataclass(frozen=True)
class Comparison:
    """A kernel against one reference: the entry and state where they differ most.

    Attributes:
        worst_error: |computed - expected| / S there, by the rule; infinite if not a number.
        worst_entry: as `tau[2]`, indices from zero.
        worst_state: number of the state.
        inputs: of the worst state, by name.
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
    """A kernel against all references.

    Attributes:
        within: the tolerance that was enforced.
    """

    function: str
    states: int
    seed: int
    within: float
    comparisons: tuple[Comparison, ...]

    @property
    def passed(self) -> bool:
        """Whether the kernel agrees with every reference."""
        return self.worst.worst_error <= self.within

    @property
    def worst(self) -> Comparison:
        """The comparison with the largest error."""
        return max(self.comparisons, key=lambda comparison: comparison.worst_error)

    def against(self, names: Sequence[str]) -> KernelProof:
        """The proof with references called by what they computed for this kernel."""
        named = (
            replace(comparison, reference=name)
            for comparison, name in zip(self.comparisons, names, strict=True)
        )
        return replace(self, comparisons=tuple(named))


@dataclass(frozen=True)
class VerificationReport:
    """The proofs of all kernels generated for one robot."""

    robot: str
    proofs: tuple[KernelProof, ...]

    @property
    def passed(self) -> bool:
        """Whether every kernel agrees with every reference."""
        return all(proof.passed for proof in self.proofs)

    def require(self) -> None:
        """Pass on only what is proved.

        Raises:
            VerificationError: a kernel and a reference disagree; names entry and state of the worst of each kernel.
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
    rule: Rule = RULES[DOUBLE],
) -> KernelProof:
    """Run a kernel on all states and compare it with every reference.

    Args:
        kernel: what to prove.
        expectation: what it should compute.
        references: as `reference.references` returns them.
        states: as `sampling.sample_states` returns them.
        rule: of the comparison.

    Raises:
        UsageError: the outputs exist in none of the states.
        VerificationError: the kernel returns arrays of the wrong shape.
    """
    inputs = expectation.inputs
    if expectation.defined is not None:
        with np.errstate(all="ignore"):
            states = states.where(
                expectation.defined(references[0], *(states[name] for name in inputs))
            )
        if not states.count:
            raise UsageError(
                f"{expectation.function} has no value in any state of the proof: "
                "is a mass or an inertia missing, or far too large?"
            )
    arrays = tuple(states[name] for name in inputs)
    computed = kernel(*arrays)
    comparisons = []
    for reference in references:
        with np.errstate(all="ignore"):  # a robot whose numbers overflow gives NaN, which fails
            expected, scales = (
                expectation.identity(reference, *arrays),
                expectation.scales(reference, *arrays),
            )
            candidates = [
                _compare(rule, reference.name, name, states, inputs, *values)
                for name, *values in zip(
                    expectation.outputs, computed, expected, scales, strict=True
                )
            ]
        comparisons.append(max(candidates, key=lambda comparison: comparison.worst_error))
    return KernelProof(
        expectation.function, states.count, states.seed, rule.tolerance, tuple(comparisons)
    )


def join_proofs(proofs: Sequence[KernelProof]) -> KernelProof:
    """Proofs of one kernel on different states, as one: all states together, and the worst against every reference."""
    worst = [
        max(comparisons, key=lambda comparison: comparison.worst_error)
        for comparisons in zip(*(proof.comparisons for proof in proofs), strict=True)
    ]
    return replace(
        proofs[0], states=sum(proof.states for proof in proofs), comparisons=tuple(worst)
    )


def _compare(
    rule: Rule,
    reference: str,
    output: str,
    states: States,
    inputs: tuple[str, ...],
    computed: Array,
    expected: Array,
    magnitudes: Array,
) -> Comparison:
    """One output against one reference, by a rule; all arrays have shape (count, *shape of the output)."""
    if computed.shape != expected.shape:
        raise VerificationError(
            f"{output} has shape {computed.shape}, the reference {expected.shape}: a bug in dynagen"
        )
    scale = rule.scale(expected, magnitudes, states)
    scale = np.where(scale > 0, scale, 1.0)
    error = np.abs(computed - expected) / scale
    error = np.where(np.isfinite(error) & np.isfinite(scale), error, np.inf)
    worst = np.unravel_index(int(np.argmax(error)), error.shape)
    state, *entry = (int(index) for index in worst)
    return Comparison(
        reference=reference,
        worst_error=float(error[worst]),
        worst_entry=f"{output}[{', '.join(str(index) for index in entry)}]",
        worst_state=state,
        computed=float(computed[worst]),
        expected=float(expected[worst]),
        inputs={name: tuple(map(float, np.ravel(states[name][state]))) for name in inputs},
    )


def _failure(robot: str, proof: KernelProof) -> str:
    worst = proof.worst
    state = "\n".join(f"    {name} = {list(values)}" for name, values in worst.inputs.items())
    return (
        f"{robot}: {proof.function} disagrees with the {worst.reference} reference: "
        f"{worst.worst_entry} is {worst.computed!r}, expected {worst.expected!r}.\n"
        f"  Relative error {worst.worst_error:.2g}, allowed {proof.within:.2g}; state {worst.worst_state} of {proof.states}, "
        f"seed {proof.seed}:\n{state}\n"
        f"  Unless somebody has edited the code, this is a bug in dynagen: "
        f"please report it with the description and these numbers."
    )
