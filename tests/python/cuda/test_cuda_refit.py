# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests of tests/python/test_refit.py on the GPU."""

from test_refit import *  # noqa: F403
