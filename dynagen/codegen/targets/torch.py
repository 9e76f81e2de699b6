"""Target `torch`: a Python package of differentiable functions of PyTorch tensors.

Compiled kernels are operators of torch on the CPU and, with `--gpu`, on NVIDIA GPUs. Some kernels
compute products of Jacobians with vectors. The kernels call torch by its stable C interface, so
that one library serves all supported versions of torch. To verify the package, dynagen calls it in
a new process, as users do: on rows and columns of states, by `vmap`, by forward and reverse
derivatives, and in `torch.compile`.
"""

from __future__ import annotations

from dynagen.codegen.language import Language
from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.package import Package, SourceFile
from dynagen.codegen.targets.archive import Archive
from dynagen.codegen.targets.gpu_kernels import CODE
from dynagen.codegen.targets.learning import (
    LIBRARY,
    build_wheel,
    check,
    collect_values,
    describe_distribution,
    describe_functions,
    list_requests,
    list_turning_joints,
    load_functions,
)
from dynagen.codegen.targets.target import Built, SourceFiles, Target
from dynagen.codegen.templating import fill, read_template
from dynagen.toolchain.kernel import CompiledKernel

_PAGES = ("description", "functions", "operators", "rules")
"""Modules of the delivered Python package that are the same for all robots."""
_PRINTERS = {
    language.name: language.print_torch_library
    for language in LANGUAGES
    if language.print_torch_library is not None
}


def name_module(package: Package) -> str:
    """Return `<prefix>_torch`, the name of the Python package for PyTorch."""
    return f"{package.prefix}_torch"


def _print_files(package: Package, language: Language) -> SourceFiles:
    """Return the text files of the Python package."""
    module = name_module(package)
    distribution = describe_distribution(package, module)
    values = collect_values(package, describe_functions(package), distribution)
    texts = {
        f"{module}/__init__.py": fill("torch/init.py.j2", **values),
        **{f"{module}/_{page}.py": read_template(f"torch/{page}.py") for page in _PAGES},
        f"{module}/_motions.py": fill(
            "motions.py.j2",
            arrays="torch",
            move_axis="movedim",
            join="cat",
            joints=list_turning_joints(package),
        ),
        f"{module}/py.typed": "",
        f"{distribution.information}/METADATA": fill("torch/METADATA.j2", **values),
    }
    return tuple(SourceFile(path, text) for path, text in texts.items())


def _build(package: Package, language: Language, files: SourceFiles) -> Archive:
    """Compile the library of kernels, and pack it with the text files into a wheel.

    Raises:
        ToolchainError: the compiler is not installed or rejects the code.
    """
    printer = _PRINTERS[language.name]
    return build_wheel(package, language, files, name_module(package), printer)


def _load(
    package: Package, language: Language, files: SourceFiles, built: Built | None
) -> dict[str, CompiledKernel]:
    """Load the functions of the unpacked package, and their Jacobian products by autograd.

    Raises:
        ToolchainError: the package cannot be imported, or lacks a function.
    """
    assert isinstance(built, Archive)  # `_build` made it
    return load_functions(package, built, name_module(package), "torch")


TORCH = Target(
    name="torch",
    audience="users of PyTorch: learning, gradient-based identification, batches of simulations",
    languages=tuple(language for language in LANGUAGES if language.name in _PRINTERS),
    out="dist",
    files=(
        "<robot>_torch/__init__.py",
        *(f"<robot>_torch/_{page}.py" for page in (*_PAGES, "motions")),
        "<robot>_torch/py.typed",
        f"<robot>_torch/{LIBRARY} (compiled)",
        f"<robot>_torch/{CODE} (with --gpu)",
        *(f"<robot>_torch-<release>.dist-info/{name}" for name in ("METADATA", "RECORD", "WHEEL")),
    ),
    tools=("gcc or clang",),
    extras=("torch",),
    proof=(
        "The package is unpacked. A Python process without dynagen imports it and calls each "
        "function on one state and many, by vmap, forward and reverse derivatives."
    ),
    print_files=_print_files,
    build=_build,
    load=_load,
    check=lambda language, settings: check("torch", settings),
    list_requests=list_requests,
    is_one_file=True,
    options=("release", "native", "gpu"),
    always=("batch",),
)
