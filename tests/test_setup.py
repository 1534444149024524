# SPDX-License-Identifier: AGPL-3.0-or-later
"""The set-up: requirements and pins agree, the test environment is what the tests assume."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT, shared_path
from tests.hostile import HOSTILE_TEXTS, LONG_TEXTS, REFUSED_TEXTS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIREMENTS = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]


def normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def read_pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {normalise(name): version for name, version in pins}


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_each_requirement_has_a_pin_within_its_range(requirement):
    from packaging.requirements import Requirement

    wanted = Requirement(requirement)

    assert wanted.specifier.contains(read_pins()[normalise(wanted.name)])


def test_each_pin_is_one_exact_public_version():
    for name, version in read_pins().items():
        assert re.fullmatch(r"[0-9][0-9a-z.]*", version), f"{name}=={version}"


def test_list_requirements_prints_the_product_and_the_named_extra():
    printed = subprocess.run(
        [sys.executable, ROOT / "scripts" / "list_requirements.py", "dev"],
        check=True,
        capture_output=True,
        text=True,
    )

    assert printed.stdout.splitlines() == REQUIREMENTS


@pytest.mark.parametrize("name", ["CACHE", "DATA", "CONFIG"])
def test_tests_have_folders_of_their_own(name, tmp_path_factory):
    folder = Path(os.environ[f"CHUNKSCOPE_{name}_DIR"])

    assert folder.is_relative_to(tmp_path_factory.getbasetemp())


def test_the_shared_folder_is_a_folder_or_none():
    folder = shared_path()

    assert folder is None or folder.is_dir()


def test_hostile_texts_are_texts_and_refused_ones_are_not():
    for text in (*HOSTILE_TEXTS.values(), *LONG_TEXTS.values()):
        text.encode("utf-8")
    for text in REFUSED_TEXTS.values():
        with pytest.raises(UnicodeEncodeError):
            text.encode("utf-8")


def test_no_registry_host_stands_in_the_set_up():
    for name in ("Makefile", "constraints.txt", "pyproject.toml", ".ci/run"):
        assert "://" not in (ROOT / name).read_text(encoding="utf-8"), name
