"""Table of targets: every row states what the listing, the checks and the driver need."""

from dataclasses import fields

import pytest

from dynagen.codegen.languages import LANGUAGES
from dynagen.codegen.targets import TARGETS, find_target, list_targets_with
from dynagen.errors import UsageError
from dynagen.options import list_options
from dynagen.pipeline.settings import TARGET_OPTIONS, Settings


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_target_is_found_by_name_and_states_everything(target):
    assert find_target(target.name) is target
    assert target.languages
    assert all(language in LANGUAGES for language in target.languages)
    assert all((target.audience, target.files, target.requirements, target.out))
    assert target.proof.endswith(".")
    settings = {field.name for field in fields(Settings)}
    assert {*target.options, *target.always} <= settings
    assert not set(target.options) & set(target.always)


def test_names_are_unique_and_the_default_delivers_in_every_language():
    names = [target.name for target in TARGETS]
    assert sorted(set(names)) == sorted(names)
    assert find_target(Settings().target).languages == LANGUAGES


def test_help_texts_name_the_targets_that_offer_an_option():
    options = list_options(Settings)
    offered = {name for target in TARGETS for name in target.options}
    assert offered == set(TARGET_OPTIONS)
    for name in ("release", "native", "hessian", "gpu"):
        assert options[name].meaning.startswith(f"With --target {list_targets_with(name)}: ")


def test_an_unknown_target_is_refused_with_the_nearest_name():
    with pytest.raises(
        UsageError, match=r"expected one of folder, wheel, .*, found `Wheels`; did you mean"
    ):
        find_target("Wheels")
    with pytest.raises(UsageError, match=r"expected one of folder, wheel, .*, found `xyz`"):
        find_target("xyz")
