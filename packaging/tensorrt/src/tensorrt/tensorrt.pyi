# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""For type checkers: ``tensorrt.tensorrt`` is kiln, too."""

from kiln import *
from kiln import __version__ as __version__
