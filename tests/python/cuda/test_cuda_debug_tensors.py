# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests of tests/python/test_debug_tensors.py on the GPU."""

from test_debug_tensors import *  # noqa: F403
