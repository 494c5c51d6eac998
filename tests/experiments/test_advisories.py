"""Advisories are looked up by pip-audit; where that cannot be done, it is said."""

import subprocess

import pytest

from experiments.advisories import REQUIREMENTS, look_up


def answering(code, out="", err=""):
    def run(arguments):
        assert str(REQUIREMENTS) in arguments
        return subprocess.CompletedProcess(arguments, code, out, err)

    return run


@pytest.mark.parametrize(
    ("run", "code", "says"),
    [
        (answering(0, err="No known vulnerabilities found"), 0, "No known vulnerabilities"),
        (answering(1, out="gradio 6.31.0 GHSA-x"), 1, "GHSA-x"),
        (answering(1, err="requests.exceptions.ConnectionError: pypi.org"), 2, "network"),
        (answering(0, out="x could not be audited\n" * 99), 2, "network"),
        (answering(0, out="x could not be audited\n" * 2), 0, "could not"),
        (answering(2, err="usage: pip-audit"), 2, "pip-audit failed"),
    ],
)
def test_what_is_said(run, code, says):
    found, said = look_up(run)
    assert found == code
    assert says in said


def test_no_answer_in_time_is_told():
    def run(arguments):
        raise subprocess.TimeoutExpired(arguments, 300)

    assert look_up(run)[0] == 2


def test_every_requirement_is_pinned_to_one_version():
    lines = [line for line in REQUIREMENTS.read_text().splitlines() if line[:1] not in ("#", "")]
    assert all("==" in line for line in lines)
