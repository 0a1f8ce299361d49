# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""For type checkers: ``tensorrt.tensorrt`` is also kiln."""

from kiln import *
from kiln import __version__ as __version__
