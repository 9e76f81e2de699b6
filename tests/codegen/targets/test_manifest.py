"""The manifest: the machine contract."""

import json
import re

import pytest

from tests.support.packages import EVERYTHING, GRAVITY, kernel, package, render, texts


def test_the_manifest_says_everything():
    made = package(kernel(EVERYTHING), kernel(GRAVITY))
    files = render("c", made)
    assert files[-1].path == "puma560.manifest.json"
    manifest = json.loads(files[-1].text)
    verified = {
        "states": 1000,
        "seed": 7,
        "within": 1e-12,
        "references": ["Newton-Euler", "Lagrange"],
    }
    gravity = {
        "request": "gravity_forces",
        "file": "src/puma560_gravity_forces.c",
        "symbol": "puma560_gravity_forces",
        "arguments": [
            {"name": "q", "direction": "in", "shape": [3], "unit": "rad"},
            {"name": "g", "direction": "out", "shape": [2], "unit": "N m"},
        ],
        "formulation": [],
        "operations": {"mul": 1, "add": 0, "div": 0, "sqrt": 0, "sincos": 1, "neg": 0, "other": 0},
        "size": {
            "statements": 2,
            "most_live_values": 1,
            "segments": 1,
            "expected": {
                "of": "gcc 12 -O2 on x86-64",
                "code_bytes": 110,
                "stack_bytes": 48,
                "seconds": 0.02,
            },
        },
        "verified": verified,
    }
    everything = manifest["kernels"].pop("everything")
    assert everything["arguments"][0] == {
        "name": "q",
        "direction": "in",
        "shape": [3],
        "unit": ["rad", "rad", "m"],
    }
    assert everything["arguments"][4] == {
        "name": "jacobian",
        "direction": "out",
        "shape": [2, 3],
        "unit": "m",
    }
    assert manifest == {
        "schema": 1,
        "dynagen": "1.2.3",
        "robot": "puma560",
        "input": "puma560.yaml",
        "input_sha256": "0f" * 32,
        "language": "c",
        "real": "double",
        "layout": "row-major",
        "rule": "Nothing is off by more than the bound.",
        "joints": [
            {"name": "shoulder", "type": "revolute", "unit": "rad"},
            {"name": "upper arm", "type": "revolute", "unit": "rad"},
            {"name": "slide", "type": "prismatic", "unit": "m"},
        ],
        "kernels": {"gravity_forces": gravity},
        "parameters": [],
        "files": sorted(file.path for file in files),
    }


@pytest.mark.parametrize(
    ("language", "file", "symbol", "layout"),
    [
        ("c", "src/puma560_everything.c", "puma560_everything", "row-major"),
        ("fortran", "puma560_dynamics.f90", "puma560_everything", "natural (column-major)"),
        ("python", "puma560.py", "everything", "row-major"),
        ("javascript", "puma560.js", "everything", "row-major"),
        ("matlab", "puma560_everything.m", "puma560_everything", "column-major"),
        ("rust", "src/functions.rs", "puma560::everything", "row-major"),
        ("cpp", "include/puma560.hpp", "puma560::everything", "row-major"),
    ],
)
def test_every_language_says_where_its_kernels_are(language, file, symbol, layout):
    files = texts(render(language, package()))
    manifest = json.loads(files["puma560.manifest.json"])
    assert (manifest["language"], manifest["layout"]) == (language, layout)
    assert manifest["kernels"]["everything"]["file"] == file
    assert manifest["kernels"]["everything"]["symbol"] == symbol
    assert f"{symbol.rpartition(':')[2]}(" in files[file]


def test_what_is_not_verified_says_so_everywhere(language):
    files = texts(render(language, package(proof=None)))
    not_about_kernels = re.compile(
        r"CMakeLists.txt|misra.txt|package.json|Cargo.toml|src/(lib|numbers).rs|.*_eigen.hpp|"
        r".*_(info|build_mex).m|mex/.*|examples?/.*|tests?/.*"
    )
    assert (
        json.loads(files["puma560.manifest.json"])["kernels"]["everything"]["verified"]
        == "not verified"
    )
    for path, text in files.items():
        assert "Proved" not in text
        assert (
            path.endswith(".json") or not_about_kernels.fullmatch(path) or "Not verified." in text
        )


def test_names_of_users_survive_in_json():
    text = render("c", package(robot='Zażółć "*/"\\'))[-1].text
    assert text.isascii()
    assert json.loads(text)["robot"] == 'Zażółć "*/"\\'
