# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""For type checkers: ``tensorrt.plugin._tensor`` is kiln.plugin._tensor."""

from kiln.plugin._tensor import *
