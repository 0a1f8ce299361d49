# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""For type checkers: ``tensorrt.plugin`` is kiln.plugin."""

from kiln.plugin import *
