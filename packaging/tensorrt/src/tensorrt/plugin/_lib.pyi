# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""For type checkers: ``tensorrt.plugin._lib`` is kiln.plugin._lib."""

from kiln.plugin._lib import *
