# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""For type checkers: ``tensorrt`` is kiln."""

from kiln import *
from kiln import __version__ as __version__
from kiln import aot as aot
from kiln import plugin as plugin
