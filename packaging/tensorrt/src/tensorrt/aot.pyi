# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""For type checkers: ``tensorrt.aot`` is kiln.aot."""

from kiln.aot import *
