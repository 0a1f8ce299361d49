# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernels of the cuda target, compiled by NVIDIA's compiler. No GPU is needed.

Rows sampled across each case table are built, not run: each with one of its types and for one
architecture, in rotation. Needs NVRTC, from requirements/test.txt or the toolkit.
"""

import kiln
import pytest
from case import build
from case_tables import TABLES

ROWS = 8  # per table, and those in bfloat16; a compilation takes 0.1 to 1 s
ARCHITECTURES = ["sm_75", "sm_90", "sm_100"]  # the oldest that CUDA 13 knows, Hopper, Blackwell


def bfloat16_cases(cases):
    """The cases made by bfloat16.py."""
    return [case for case in cases if case.name.startswith("bfloat16_")]


@pytest.fixture
def target():
    """Sets the default target for one test."""
    yield kiln.set_default_target
    kiln.set_default_target(None)


@pytest.mark.parametrize("table", TABLES)
def test_table(table, target, logger):
    cases = TABLES[table]
    sample = [*cases[:: -(-len(cases) // ROWS)], *bfloat16_cases(cases)]
    for index, case in enumerate(sample):
        turn, which = divmod(index, len(case.types))
        architecture = ARCHITECTURES[(turn + which) % len(ARCHITECTURES)]
        target(f"cuda:{architecture}")
        dtype = case.types[which]
        row = f"{table}-{case.name}-{dtype.__name__} for {architecture}"
        try:
            build(case, dtype, logger, dynamic=False)
        except AssertionError as problem:
            raise AssertionError(f"{row}: {problem}\n" + "\n".join(logger.errors)) from None


def test_of_several_architectures(target, logger):
    """A plan holds code for each, also in bfloat16, for which older GPUs have no instructions."""
    target("cuda:sm_75+sm_90")
    cases = [case for table in TABLES.values() for case in bfloat16_cases(table)]
    for case in cases[:3]:
        build(case, case.types[0], logger, dynamic=False)
