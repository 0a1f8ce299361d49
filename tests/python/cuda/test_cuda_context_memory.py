# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests of tests/python/test_context_memory.py on the GPU."""

from test_context_memory import *  # noqa: F403
