"""Description of functions in CasADi's C interface: arguments, sparsities and kernels.

CasADi finds the functions for derivatives of a function f by their names, which end with `_f`.
`jac_f` returns the derivatives of all outputs by all inputs. `adj1_f` returns the derivatives of a
weighted sum of the outputs by all inputs. `jac_adj1_f` returns the derivatives of the results of
`adj1_f` by its inputs. The inputs of each derivative function begin with the inputs of f and the
values of its outputs (`out_<output>`, which dynagen's code never reads). Further inputs of `adj1_f`
and `jac_adj1_f` are the weights (`adj_<output>`); the last inputs of `jac_adj1_f` are the outputs
of `adj1_f`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from dynagen.codegen.naming import wrap_text
from dynagen.codegen.package import Kernel, Package
from dynagen.codegen.printing import WIDTH
from dynagen.ir.columns import Blocks, ColumnMatrix, Part, Sparsity, store_by_columns
from dynagen.ir.cost import count
from dynagen.ir.program import PARAMS, PREPARE, Argument

STEP = "step_euler"
DISCRETE_STEP = "discrete_step"
PARAMETERS = "parameters"
"""Name of the input that holds the run-time parameters in the order of the description."""
JACOBIAN, ADJOINT, HESSIAN = "jacobian", "vjp", "hessian"
"""Endings of the names of functions with derivatives, for example `forward_dynamics_vjp`."""

_JOINED = {"x": ("q", "qd"), "u": ("tau",)}
"""Mapping from the inputs of `discrete_step` to the inputs of `step_euler` that form them."""
_SHORT = 60  # characters of an array that is written in the line of its declaration


def name_jacobian(function: str, has_parameters: bool) -> str:
    """Return the name with which to request the kernel for derivatives by all inputs.

    CasADi's function `jac_<function>` calls this kernel.

    Args:
        function: name of the function to differentiate.
        has_parameters: whether the kernel also computes derivatives by run-time parameters.
    """
    jacobian = f"{function}_{JACOBIAN}"
    return f"{jacobian}+{function}_parameter_{JACOBIAN}" if has_parameters else jacobian


def name_second_order(function: str) -> str:
    """Return the name with which to request the kernel for Hessian and Jacobian of a function.

    The Hessian belongs to a weighted sum of the outputs. CasADi's function `jac_adj1_<function>`
    calls this kernel.
    """
    return f"{function}_{HESSIAN}+{function}_{JACOBIAN}"


@dataclass(frozen=True)
class Input:
    """An input of a CasADi function.

    Attributes:
        name: name of the input in CasADi.
        parts: inputs of the kernel of which this input consists, each as a pair: its name, and the
            index of its first element in this input. Empty if this input is not read.
        shape: numbers of rows and columns.
        ones: indices of elements that are 1 instead of 0 when the robot is at rest: w of a unit
            quaternion.
    """

    name: str
    parts: tuple[tuple[str, int], ...]
    shape: tuple[int, int]
    ones: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of elements: rows times columns."""
        return self.shape[0] * self.shape[1]

    @property
    def rest(self) -> list[int]:
        """Values of the input's elements for a robot at rest: 1 for w of a quaternion, else 0."""
        return [int(place in self.ones) for place in range(self.size)]


@dataclass(frozen=True)
class CasadiSymbol:
    """A C function that CasADi calls, for a function or its derivatives.

    Attributes:
        prefix: prefix of the C name: empty, `jac_`, `adj1_` or `jac_adj1_`.
        name: name of the CasADi function to which the C function belongs.
        kernel: name of the kernel that the C function calls.
        inputs: inputs in CasADi's order.
        outputs: outputs in CasADi's order, with the positions of their stored elements.
        can_fail: whether the kernel returns a status.
    """

    prefix: str
    name: str
    kernel: str
    inputs: tuple[Input, ...]
    outputs: tuple[ColumnMatrix, ...]
    can_fail: bool

    @property
    def symbol(self) -> str:
        """Name of the C function, such as `jac_inverse_dynamics`: `prefix`, then `name`."""
        return self.prefix + self.name


@dataclass(frozen=True)
class CasadiFunction:
    """A function of CasADi with its derivatives.

    Attributes:
        value: the C function for the values.
        derivatives: the C functions for the derivatives, as far as there are kernels for them.
    """

    value: CasadiSymbol
    derivatives: tuple[CasadiSymbol, ...]

    @property
    def symbols(self) -> tuple[CasadiSymbol, ...]:
        """C functions that CasADi calls: for the values, and for each available derivative."""
        return (self.value, *self.derivatives)

    @property
    def jacobian(self) -> tuple[ColumnMatrix, ...]:
        """Matrices that `jac_<name>` returns; empty without a kernel for derivatives."""
        return next((each.outputs for each in self.derivatives if each.prefix == "jac_"), ())


def describe_functions(package: Package) -> tuple[Package, tuple[CasadiFunction, ...]]:
    """Return the package with results stored column-major, and descriptions of CasADi functions.

    The returned package has no states for a golden test (a test with stored correct results).
    """
    kernels = {kernel.function: kernel for kernel in package.kernels}
    stored = {PREPARE: kernels[PREPARE]} if PREPARE in kernels else {}
    functions = []
    for kernel in package.kernels:
        # Kernels of derivatives become jac_, adj1_ and jac_adj1_ of their function.
        if kernel.function == PREPARE or _is_derivative(kernel.function, kernels):
            continue
        made = _Describer(package, kernel, kernels, stored).describe()
        functions.append(made)
    ordered = tuple(stored[kernel.function] for kernel in package.kernels)
    return replace(package, kernels=ordered, vectors={}), tuple(functions)


def _is_derivative(name: str, kernels: Mapping[str, Kernel]) -> bool:
    """Return whether a kernel only computes derivatives of another kernel."""
    return any(
        name
        in (
            f"{other}_{JACOBIAN}",
            _name_jacobian_kernel(other, True),
            f"{other}_{ADJOINT}",
            _name_kernel(other),
        )
        for other in kernels
    )


def _name_jacobian_kernel(function: str, has_parameters: bool) -> str:
    """Return the name of the kernel for derivatives of a function by all inputs.

    With `has_parameters`, the kernel also computes the derivatives by run-time parameters.
    """
    return name_jacobian(function, has_parameters).replace("+", "_")


def _name_kernel(function: str) -> str:
    """Return the name of the kernel that computes both Hessian and Jacobian of a function."""
    return name_second_order(function).replace("+", "_")


class _Describer:
    """Builder of the description of a CasADi function and its derivatives from kernels.

    `kernel` computes the function itself; `kernels` contain the kernels for its derivatives. The
    builder adds each used kernel to `stored`, rewritten to store results column-major.
    """

    def __init__(
        self,
        package: Package,
        kernel: Kernel,
        kernels: Mapping[str, Kernel],
        stored: dict[str, Kernel],
    ) -> None:
        self._package = package
        self._kernel = kernel
        self._kernels = kernels
        self._stored = stored
        self._joined = _JOINED if kernel.function == STEP else {}
        self._name = DISCRETE_STEP if self._joined else kernel.function
        self._inputs = tuple(self._list_inputs())
        self._jacobian = _name_jacobian_kernel(kernel.function, bool(package.parameters))
        results = [output.argument.name for output in kernel.program.results]
        self._results = {"x_next": tuple(results)} if self._joined else {x: (x,) for x in results}

    def describe(self) -> CasadiFunction:
        """Return a CasADi function with all its derivatives for which there are kernels."""
        matrices = [
            (name, tuple((Part(part),) for part in parts)) for name, parts in self._results.items()
        ]
        value = self._make("", self._kernel.function, self._inputs, matrices)
        # CasADi passes the outputs of the function to its derivatives; no kernel needs them.
        unread = tuple(_make_unread("out_", matrix) for matrix in value.outputs)
        function = self._kernel.function
        derivatives = []
        if self._jacobian in self._kernels:
            derivatives.append(self._describe_jacobian(unread))
        if f"{function}_{ADJOINT}" in self._kernels:
            adjoint = self._describe_adjoint(value, unread)
            derivatives.append(adjoint)
            if _name_kernel(function) in self._kernels:
                derivatives.append(self._describe_second_order(adjoint))
        return CasadiFunction(value, tuple(derivatives))

    def _list_inputs(self) -> Iterator[Input]:
        """Yield the inputs of the CasADi function.

        They are the inputs of the kernel. For `discrete_step`, q and qd are joined to the input x,
        and tau is called u.
        """
        arguments = {argument.name: argument for argument in self._kernel.program.inputs}
        taken = {part for parts in self._joined.values() for part in parts}
        alone = {name: (name,) for name in arguments if name not in taken}
        for name, parts in {**self._joined, **alone}.items():
            if name == PARAMS:
                yield Input(PARAMETERS, ((PARAMS, 0),), (len(self._package.parameters), 1))
            else:
                yield _join(name, [arguments[part] for part in parts])

    def _make(
        self,
        prefix: str,
        function: str,
        inputs: tuple[Input, ...],
        matrices: Sequence[tuple[str, Blocks]],
    ) -> CasadiSymbol:
        """Describe a C function; rewrite its kernel to store results column-major.

        The C function calls the kernel `function`. `prefix` begins the C name, such as `jac_`.
        `inputs` are in CasADi's order. `matrices` pairs each output with the kernel's results of
        which the output consists.
        """
        kernel = self._kernels[function]
        program, stored = store_by_columns(kernel.program, matrices)
        self._stored[function] = replace(
            kernel, program=program, operations=count(program), calls=None, partition=None
        )
        return CasadiSymbol(prefix, self._name, function, inputs, stored, program.can_fail)

    def _differentiate(
        self, outputs: Sequence[str], entry: Input, transposed: bool = False
    ) -> Blocks:
        """Return the blocks of the matrix of derivatives of outputs (rows) by an input (columns).

        With `transposed`, the matrix is transposed.
        """
        rows = [
            [Part(f"d{output}_d{part}", transposed=transposed) for part, _ in entry.parts]
            for output in outputs
        ]
        # Rows of blocks are outputs and columns are parts of the input; transposed, the reverse.
        return tuple(zip(*rows, strict=True)) if transposed else tuple(map(tuple, rows))

    def _describe_jacobian(self, unread: tuple[Input, ...]) -> CasadiSymbol:
        matrices = [
            (f"jac_{name}_{entry.name}", self._differentiate(parts, entry))
            for name, parts in self._results.items()
            for entry in self._inputs
        ]
        return self._make("jac_", self._jacobian, (*self._inputs, *unread), matrices)

    def _describe_adjoint(self, value: CasadiSymbol, unread: tuple[Input, ...]) -> CasadiSymbol:
        function = f"{self._kernel.function}_{ADJOINT}"
        arguments = {each.name: each for each in self._kernels[function].program.inputs}
        weights = (
            _join(f"adj_{name}", [arguments[f"{part}_bar"] for part in parts])
            for name, parts in self._results.items()
        )
        inputs = (*self._inputs, *unread, *weights)
        matrices = [
            (f"adj_{entry.name}", tuple((Part(f"{part}_bar"),) for part, _ in entry.parts))
            for entry in self._inputs
        ]
        return self._make("adj1_", function, inputs, matrices)

    def _describe_second_order(self, adjoint: CasadiSymbol) -> CasadiSymbol:
        function = _name_kernel(self._kernel.function)
        arguments = {each.name: each for each in self._kernels[function].program.inputs}
        weights = [
            _join(each.name, [arguments[_name_weight(part, arguments)] for part, _ in each.parts])
            for each in adjoint.inputs
            if each.name.startswith("adj_")
        ]
        unread = [each for each in adjoint.inputs if not each.parts]
        # H has the inputs of the kernel in order, so an input of CasADi is a range of its rows.
        sizes = [arguments[part].size for entry in self._inputs for part, _ in entry.parts]
        parts = [part for entry in self._inputs for part, _ in entry.parts]
        starts = dict(zip(parts, accumulate(sizes, initial=0), strict=False))
        ranges = {
            entry.name: (starts[entry.parts[0][0]], starts[entry.parts[0][0]] + entry.size)
            for entry in self._inputs
        }
        matrices: list[tuple[str, Blocks]] = []
        for of in self._inputs:
            for by in self._inputs:
                block = Part("H", ranges[of.name], ranges[by.name])
                matrices.append((f"jac_adj_{of.name}_{by.name}", ((block,),)))
            for each in unread:
                # Values of outputs are not read, so derivatives by them are zero.
                zeros = Part("", (0, of.size), (0, each.size))
                matrices.append((f"jac_adj_{of.name}_{each.name}", ((zeros,),)))
            for name, outputs in self._results.items():
                blocks = self._differentiate(outputs, of, transposed=True)
                matrices.append((f"jac_adj_{of.name}_adj_{name}", blocks))
        inputs = (
            *self._inputs,
            *unread,
            *weights,
            *(_make_unread("out_", matrix) for matrix in adjoint.outputs),
        )
        return self._make("jac_adj1_", function, inputs, matrices)


def _name_weight(name: str, arguments: Mapping[str, Argument]) -> str:
    """Return the name of a kernel's input for the weights of an output.

    The name is `name` if `arguments`, the inputs of the kernel, contain it. Otherwise it is
    `multiplier`, as in kernels for Hessians.
    """
    return name if name in arguments else "multiplier"


def _join(name: str, arguments: Sequence[Argument]) -> Input:
    """Return an input of a CasADi function that consists of several inputs of a kernel.

    Only the first of the kernel's inputs may contain quaternions.
    """
    sizes = [argument.size for argument in arguments]
    places = accumulate(sizes[:-1], initial=0)
    parts = tuple(zip((argument.name for argument in arguments), places, strict=True))
    return Input(name, parts, (sum(sizes), 1), arguments[0].ones)


def _make_unread(prefix: str, matrix: ColumnMatrix) -> Input:
    """Return an input named `<prefix><output>` for the value of an output; no kernel reads it."""
    shape = matrix.sparsity.rows, matrix.sparsity.columns
    return Input(f"{prefix}{matrix.name}", (), shape)


class SparsityTable:
    """The distinct sparsity patterns of a file, as C arrays.

    Attributes:
        arrays: mapping from the name of each array to its elements as text.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, str] = {}
        self._names: dict[tuple[int, ...], str] = {}

    def add_input(self, entry: Input) -> str:
        """Return the name of the C array with an input's sparsity pattern, which is added if new.

        The pattern of an input is dense if the kernel reads the input, and empty otherwise.
        """
        rows, columns = entry.shape
        if entry.parts:
            return self._add(f"dense_{rows}_{columns}", (rows, columns, 1))
        return self._add(f"empty_{rows}_{columns}", (rows, columns, *[0] * (columns + 1)))

    def add(self, sparsity: Sparsity, symbol: str) -> str:
        """Return the name of the C array with a sparsity pattern, which is added if new.

        The name of a pattern that is neither dense nor empty contains `symbol`, the name of the
        first C function with this pattern.
        """
        rows, columns = sparsity.rows, sparsity.columns
        if sparsity.is_dense:
            return self._add(f"dense_{rows}_{columns}", (rows, columns, 1))
        if not sparsity.count:
            return self._add(f"empty_{rows}_{columns}", (rows, columns, *sparsity.starts))
        # CasADi's format: rows, columns, starts of the columns, rows of the stored elements.
        numbers = rows, columns, *sparsity.starts, *sparsity.indices
        return self._add(f"{symbol}_stores_{len(self.arrays)}", numbers)

    def _add(self, name: str, numbers: tuple[int, ...]) -> str:
        if numbers not in self._names:
            self._names[numbers] = name
            self.arrays[name] = _wrap(map(str, numbers))
        return self._names[numbers]


@dataclass(frozen=True)
class SymbolText:
    """Texts in C of a function in CasADi's interface, for the jinja2 template.

    Attributes:
        symbol: name of the C function.
        title: arguments and results, as text of a comment.
        kernel: name of the kernel's function, without the prefix.
        arguments: C texts of the arguments that are passed to the kernel.
        results: indices of the results that have stored elements; others are always zero.
        unused: size of the array for results that CasADi does not request; 0 if there is only one
            result.
        parameters: index of the run-time parameters among the inputs; -1 without run-time
            parameters.
        can_fail: whether the kernel returns a status code.
        inputs: names of the inputs, quoted.
        outputs: names of the outputs, quoted.
        given: names of the arrays with the sparsities of the inputs.
        stored: names of the arrays with the sparsities of the outputs.
        input_count: number of inputs.
        output_count: number of outputs.
    """

    symbol: str
    title: str
    kernel: str
    arguments: tuple[str, ...]
    results: tuple[int, ...]
    unused: int
    parameters: int
    can_fail: bool
    inputs: str
    outputs: str
    given: str
    stored: str
    input_count: int
    output_count: int


def write_symbol(function: CasadiSymbol, kernel: Kernel, sparsities: SparsityTable) -> SymbolText:
    """Return the C texts of a function that CasADi calls, for the jinja2 template.

    Args:
        function: description of the C function.
        kernel: called kernel, which stores results column-major.
        sparsities: table to which the sparsities of the function are added.
    """
    given = [sparsities.add_input(entry) for entry in function.inputs]
    stored = [sparsities.add(matrix.sparsity, function.symbol) for matrix in function.outputs]
    results = tuple(place for place, matrix in enumerate(function.outputs) if matrix.sparsity.count)
    arrays = {
        part: _write_input(place, part, start)
        for place, entry in enumerate(function.inputs)
        for part, start in entry.parts
    }
    many = len(results) > 1
    names = [entry.name for entry in function.inputs]
    outputs = [matrix.name for matrix in function.outputs]
    return SymbolText(
        symbol=function.symbol,
        title=f"{function.symbol}: {', '.join(names)} -> {', '.join(outputs)}",
        kernel=function.kernel,
        arguments=(
            *(arrays[argument.name] for argument in kernel.program.inputs),
            *(f"res[{place}]" + f" ? res[{place}] : unused" * many for place in results),
        ),
        results=results,
        unused=max(function.outputs[place].sparsity.count for place in results) if many else 0,
        parameters=names.index(PARAMETERS) if PARAMETERS in names else -1,
        can_fail=function.can_fail,
        inputs=_wrap(f'"{name}"' for name in names),
        outputs=_wrap(f'"{name}"' for name in outputs),
        given=_wrap(given),
        stored=_wrap(stored),
        input_count=len(given),
        output_count=len(stored),
    )


def _write_input(place: int, part: str, start: int) -> str:
    """Return the C expression of the array to pass for the kernel's input `part`.

    The array begins at element `start` of input number `place` (from 0) of the CasADi function.
    """
    if part == PARAMS:
        return PARAMS
    # CasADi passes NULL for an input that is zero.
    array = f"arg[{place}] ? arg[{place}] : zeros"
    return f"({array}) + {start}" if start else array


def _wrap(items: Iterable[str]) -> str:
    """Return the elements of a C array as text, in one line or several."""
    text = ", ".join(items)
    if len(text) <= _SHORT:
        return text
    return "\n    " + "\n    ".join(wrap_text(text, WIDTH - 4)) + "\n"
