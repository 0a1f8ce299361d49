# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests of tests/python/test_sizes_in_bodies.py on the GPU."""

from test_sizes_in_bodies import *  # noqa: F403
