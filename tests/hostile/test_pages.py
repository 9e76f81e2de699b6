"""Pages of robots with hostile names, in a browser: nothing of the names runs or becomes markup."""

from __future__ import annotations

import json

import pytest

from tests.support.chromium import page_after_scripts
from tests.support.simulated_logs import SMALL_ARM, model_of, simulated_log, write_log

pytestmark = [pytest.mark.tools, pytest.mark.slow]

MARK = "XX"
# The name of a robot has at most 40 characters; names begin with a letter.
NAME = f"a<script>document.title='{MARK}'</script>"
LINKS = (
    f"a</script><script>document.title='{MARK}'</script>",
    f"a<img src=x onerror=\"document.title='{MARK}'\">",
    "a'\"><svg onload=document.title=" + f"'{MARK}'>" + " {{7*7}} ${7*7} {% raw %}",
)
LOG = f"a<img src=x onerror=\"document.title='{MARK}'\">.csv"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A folder with an arm whose texts are payloads, and its log, whose name is one too."""
    folder = tmp_path_factory.mktemp("hostile")
    text = SMALL_ARM
    text = text.replace("name: small_arm", f"name: {json.dumps(NAME)}", 1)
    text += f"source: {json.dumps(LINKS[0])}\n"
    for link, payload in zip(("column", "upper_arm", "slide"), LINKS, strict=True):
        assert f"name: {link}" in text
        text = text.replace(f"name: {link}", f"name: {json.dumps(payload)}")
    (folder / "arm.yaml").write_text(text)
    write_log(folder / LOG, simulated_log(model_of(), seed=3, noise=0.3))
    return folder


@pytest.mark.parametrize("command", ["check", "report", "schedule", "identify"])
def test_names_are_text_in_every_page(hostile, run, command):
    page = hostile / f"{command}.html"
    words = [command, str(hostile / "arm.yaml"), "--html", str(page)]
    if command == "identify":
        words += [str(hostile / LOG)]
    status, _, errors = run(*words)
    assert status == 0, errors
    shown = page_after_scripts(page)
    source = page.read_text()
    assert "document.title" in source  # the names are there
    title = shown.partition("<title>")[2].partition("</title>")[0]
    assert title != MARK
    assert "<img src=" not in source.replace('<img src="data:', "")
    assert "<svg onload" not in source
    assert "49" not in title


def test_a_page_that_does_not_escape_would_be_noticed(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(f"<html><title>arm</title><body>{LINKS[1]}</body></html>")
    assert f"<title>{MARK}</title>" in page_after_scripts(page)
