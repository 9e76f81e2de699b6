"""Times of an operation and a hand-off, measured on request, rejected if invalid."""

from dynagen.toolchain.shared_library import measure_times


def test_an_operation_takes_less_than_a_hand_over():
    operation, handover = measure_times()
    assert 0.01 < operation < 50
    assert operation < handover
    assert f"{operation:.2g}" == f"{operation:g}"


def test_measured_times_are_in_the_manifest_as_numbers(tmp_path, run, monkeypatch):
    monkeypatch.setattr("dynagen.cli.options.measure_times", lambda: (0.31, 47.0))
    options = ("--cores", 2, "--handover-ns", "measured", "--no-verify", "--out", tmp_path / "x")
    assert run("planar3", *options)[0] == 0
    text = (tmp_path / "x" / "planar3.manifest.json").read_text()
    assert '"handover_ns": 47.0' in text
    assert "operation_ns" not in text


def test_what_is_no_time_is_refused(run):
    status, _, errors = run("planar3", "--cores", 2, "--handover-ns", "soon")
    assert status == 2
    assert (
        "--handover-ns: expected nanoseconds, for example 60 or 0.25, or `measured`, found 'soon'"
        in errors
    )
