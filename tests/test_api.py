"""The Python interface: what it takes, beside what the command line takes."""

import pytest

import dynagen
from dynagen.errors import UsageError


def test_one_function_may_be_asked_for_by_its_name_alone():
    one = dynagen.generate("planar3", "gravity_forces+mass_matrix", verify=False)
    same = dynagen.generate("planar3", ["gravity_forces+mass_matrix"], verify=False)
    assert one.files == same.files
    with pytest.raises(UsageError, match="did you mean `mass_matrix`"):
        dynagen.generate("planar3", "mas_matrix", verify=False)


def test_no_function_at_all_is_refused():
    with pytest.raises(UsageError, match="no function is asked for"):
        dynagen.generate("planar3", [])


def test_implausible_links_are_told_to_the_command_line_only(capsys):
    dynagen.generate("puma560", verify=False)
    assert capsys.readouterr() == ("", "")
